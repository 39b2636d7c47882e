"""What an applicant states, as one value: what a form sends, what is stored, and what differs between two."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.matching import Topic

Part = Literal["topics", "statement", "facets", "discoverable"]
PARTS: tuple[Part, ...] = ("topics", "statement", "facets", "discoverable")

USUAL_RESUME_WEIGHT = 0.3

# Control characters that no text needs and some databases refuse; line ends and tabs stay.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Stated:
    """Topics with weights, a statement, wanted facets (values by the name of the facet), and whether labs that
    the applicant does not share with may find them. `resume_weight` is how much the resume counts beside a topic of
    weight 1. Compares by value.
    """

    topics: tuple[Topic, ...] = ()
    statement: str = ""
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    discoverable: bool = False
    resume_weight: float = USUAL_RESUME_WEIGHT

    def with_part_of(self, other: Stated, part: Part) -> Stated:
        """A copy with one part taken from `other`."""
        match part:
            case "topics":
                return replace(self, topics=other.topics)
            case "statement":
                return replace(self, statement=other.statement)
            case "facets":
                return replace(self, facets=other.facets)
            case "discoverable":
                return replace(self, discoverable=other.discoverable)


def differing_parts(mine: Stated, theirs: Stated) -> tuple[Part, ...]:
    """The parts in which two differ, in the order of the form."""
    return tuple(part for part in PARTS if mine.with_part_of(theirs, part) != mine)


def one_line(text: str) -> str:
    """`text` in NFC on one line: control characters out, runs of blanks as one space."""
    return _BLANKS.sub(" ", _CONTROLS.sub(" ", unicodedata.normalize("NFC", text))).strip()


def running_text(text: str) -> str:
    """`text` in NFC with single line feeds as line ends and without control characters or blanks at its end."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", unicodedata.normalize("NFC", unified)).rstrip()


def topic_key(text: str) -> str:
    """A short name of a topic for addresses and field names; equal for topics that differ in case only."""
    return hashlib.sha256(one_line(text).casefold().encode()).hexdigest()[:10]
