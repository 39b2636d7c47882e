"""Two versions of what was stated, part by part, for the person to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.facet_names import value_in_words
from portal.applications.stated import PARTS, Part, differing_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.applications.stated import Stated

LABELS: dict[Part, str] = {
    "topics": "Topics",
    "statement": "Statement",
    "facets": "What the lab should have",
    "discoverable": "Whether other labs may find you",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that differs: its label, and both versions as text, line by line."""

    part: Part
    label: str
    mine: str
    theirs: str


def differences(mine: Stated, theirs: Stated) -> list[Difference]:
    """The parts in which what was sent differs from what is saved."""
    return [
        Difference(part, LABELS[part], _as_text(mine, part), _as_text(theirs, part))
        for part in differing_parts(mine, theirs)
    ]


def is_choosing(sent: Mapping[str, str]) -> bool:
    """Whether a form comes from a page that showed both versions."""
    return any(f"take-{part}" in sent for part in PARTS)


def parts_taken(sent: Mapping[str, str]) -> Iterator[Part]:
    """The parts for which the person chose what is saved over what they sent."""
    return (part for part in PARTS if sent.get(f"take-{part}") == "theirs")


def _as_text(stated: Stated, part: Part) -> str:
    match part:
        case "topics":
            text = "\n".join(f"{topic.text} (weight {topic.weight:g})" for topic in stated.topics)
        case "statement":
            text = stated.statement
        case "facets":
            text = "\n".join(
                f"{facet.capitalize()}: {', '.join(value_in_words(facet, value) for value in values)}"
                for facet, values in stated.facets.items()
            )
        case "discoverable":
            text = "Labs I did not name may find me" if stated.discoverable else "Only labs I name can see me"
    return text or "Nothing"
