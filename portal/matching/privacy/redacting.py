"""Removes from a resume what must not enter a match: who somebody is, where they are from, and dates.

Names, e-mail and web addresses, telephone numbers, schools, employers, countries and cities, dates and
gendered words are blanked, character for character, so that spans of the rest stay right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.privacy.capitals import lines_in_capitals
from portal.matching.privacy.entries import organisations
from portal.matching.privacy.languages import languages
from portal.matching.privacy.names import TITLED_NAME, names
from portal.matching.privacy.rules import RULES
from portal.matching.privacy.schools import schools_over_lines
from portal.matching.privacy.search import written_of
from portal.matching.privacy.searched import searched, searched_for_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.search import Reason, Written

    Found = tuple[Reason, int, int]
    """A reason, and where what is left out for it begins and ends."""

_BREAK = "\v"


@dataclass(frozen=True, slots=True)
class Removed:
    """A stretch of the text that was removed, and the reason."""

    reason: Reason
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text with every removed stretch blanked (same length), and what was removed, in order."""

    text: str
    removed: tuple[Removed, ...]


@lru_cache(maxsize=256)
def redact(text: str) -> Redacted:
    """Take out of `text` what must not enter a match; see `Reason` for the kinds."""
    seen = searched(text)
    found = [(reason, *seen.span(start, end)) for reason, start, end in _found(written_of(seen.text))]
    if not found:
        return Redacted(text, ())
    blanked: list[str] = []
    removed: list[Removed] = []
    position = 0
    for reason, begin, end in found:
        if end <= position:
            continue
        # Of two that overlap, the second goes on where the first ends.
        start = max(begin, position)
        left_out = Removed(reason, text[start:end], start, end)
        blanked += (text[position:start], blank(left_out.text))
        position = end
        if left_out.text.strip():
            removed.append(left_out)
    blanked.append(text[position:])
    return Redacted("".join(blanked), tuple(removed))


def blank(text: str) -> str:
    """White space of the same length that ends a sentence, so that the words on both sides of it form no pair."""
    white = "\n".join(" " * len(line) for line in text.split("\n"))
    return _BREAK + white[1:] if white[:1] == " " else white


def _found(written: Written) -> list[Found]:
    """Everything to be left out, the longer of two that begin together first."""
    for_names = searched_for_names(written.text)
    named: Iterator[Found] = (("name", *for_names.span(*span)) for span in names(written_of(for_names.text)))
    in_capitals = lines_in_capitals(written.text)
    written_large = ((reason, *in_capitals.span(*span)) for reason, *span in _by_rules(written_of(in_capitals.text)))
    found = list(dict.fromkeys((*named, *_by_rules(written), *written_large)))
    found += organisations(written.text, found)
    return sorted(found, key=lambda item: (item[1], -item[2]))


def _by_rules(written: Written) -> Iterator[Found]:
    for rule in (TITLED_NAME, *RULES):
        for match in rule.found(written):
            yield rule.reason, *match.span("found" if "found" in match.re.groupindex else 0)
    yield from (("school", *span) for span in schools_over_lines(written))
    yield from (("place", *span) for span in languages(written))
