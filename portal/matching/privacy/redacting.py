"""Blanks, letter by letter, what of a resume must not enter a match: who somebody is, where they are from, dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.privacy.entries import organisations
from portal.matching.privacy.names import names_in
from portal.matching.privacy.patterns import found_by_patterns
from portal.matching.privacy.searched import searched, searched_for_names
from portal.matching.privacy.words import TECHNICAL_AFTER

if TYPE_CHECKING:
    from portal.matching.privacy.patterns import Found, Reason

_BREAK = "\v"
_CAPITALS = r"(?<![^\W_])[^\W\d_a-z]{2,}(?![^\W_])"
_RUN = re.compile(rf"{_CAPITALS}(?:[ \t]+{_CAPITALS})*")
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 8  # letters and spaces; fewer in capitals are mostly abbreviations
_SMALL_WORDS = ("and", "at", "da", "de", "del", "des", "di", "du", "et", "für", "in", "of", "the", "und", "von", "y")
_WRITTEN_AS = {word.upper(): word for word in (*(word.removesuffix("s?") for word in TECHNICAL_AFTER), *_SMALL_WORDS)}


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
    blanked: list[str] = []
    removed: list[Removed] = []
    position = 0
    for reason, begin, stop in _found(seen.text):
        start, end = seen.span(begin, stop)
        if end <= position:
            continue
        # Of two that overlap, the second goes on where the first ends.
        start = max(start, position)
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


def _found(text: str) -> list[Found]:
    """Everything to be left out, the longer of two that begin together first."""
    for_names = searched_for_names(text)
    found: list[Found] = [("name", *for_names.span(*span)) for span in names_in(for_names.text)]
    found += found_by_patterns(text)
    as_others = _RUN.sub(_as_others_are_written, text)
    if as_others != text and len(as_others) == len(text):
        found += found_by_patterns(as_others)
    found = list(dict.fromkeys(found))
    found += organisations(text, found)
    return sorted(found, key=lambda item: (item[1], -item[2]))


def _as_others_are_written(run: re.Match[str]) -> str:
    """Words in capitals, as in headings of many templates, as others are written: Peking University."""
    written = run.group()
    if len(written) < _SHORTEST or not written.isupper():
        return written
    return _WORD.sub(lambda word: _WRITTEN_AS.get(word[0], word[0].capitalize()), written)
