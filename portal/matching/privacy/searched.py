"""A text as the filter searches it: signs that look alike are one sign, and signs that show nothing are left out."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.words import simplified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.results import Span

# Those that Unicode calls ignorable: soft hyphens, joiners, marks of direction, selectors of variants, fillers, tags.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_HYPHENS = "\u2010\u2011"
# Full-width, circled and mathematical letters (𝐌𝐞𝐢), and the full-width @.
_SHAPED = (range(0xFF10, 0xFF5B), range(0x24B6, 0x24EA), range(0x1D400, 0x1D800))
_ALIKE = {ord(blank): " " for blank in _BLANKS} | {ord(hyphen): "-" for hyphen in _HYPHENS}
_ALIKE |= {
    code: plain
    for block in _SHAPED
    for code in block
    if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1 and (plain.isalnum() or plain == "@")
}
# What is written on letters or left out: accents on their own, points of Arabic and Hebrew.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_OF_SCRIPTS_WITH_VOWEL_SIGNS = range(0x0700, 0xAC00)
_ANY_OF_THESE = re.compile(f"[{chr(_OF_SCRIPTS_WITH_VOWEL_SIGNS[0])}-{chr(_OF_SCRIPTS_WITH_VOWEL_SIGNS[-1])}]")
_FIRST_STAND_IN = 0x17000
"""Of Tangut, whose letters are in no resume."""


class Searched(NamedTuple):
    """A text with where each sign stands in it as written, and where it ends; empty if nothing is left out."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        """Where a passage stands in the text as written, with what was left out inside and behind it."""
        return (self.places[start], self.places[end]) if self.places else (start, end)


def searched(text: str) -> Searched:
    """A text as it is searched, Chinese in simplified characters."""
    return _without(_UNSEEN, text if text.isascii() else simplified(text.translate(_ALIKE)))


def searched_for_names(text: str) -> Searched:
    """A text as names are searched in it: also without accents on their own, and with letters for vowel signs.

    Scripts such as those of India write most vowels as marks (र्मा), which to regular expressions would end a word.
    """
    found = searched(text)
    without_accents = _without(_ACCENTS, found.text)
    places = [found.span(place, place)[0] for place in without_accents.places] or found.places
    has_marks = not found.text.isascii() and _ANY_OF_THESE.search(found.text)
    return Searched(without_accents.text.translate(_stand_ins()) if has_marks else without_accents.text, places)


def _without(signs: re.Pattern[str], text: str) -> Searched:
    """A text without the signs that a pattern of one sign finds."""
    if text.isascii() or not signs.search(text):
        return Searched(text, ())
    places = [place for place, sign in enumerate(text) if not signs.match(sign)]
    return Searched("".join([text[place] for place in places]), [*places, len(text)])


@cache
def _stand_ins() -> dict[int, str]:
    """The letter for each vowel sign, by its code point."""
    signs = (code for code in _OF_SCRIPTS_WITH_VOWEL_SIGNS if unicodedata.category(chr(code)) in {"Mn", "Mc"})
    return {code: chr(_FIRST_STAND_IN + number) for number, code in enumerate(signs)}
