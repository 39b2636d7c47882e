"""Accents that a page paints beside or over the letters they belong to. Runs in the reading child only."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.documents.pdf.glyphs import Glyph

_ACCENTS = {
    "`": "\u0300",
    "´": "\u0301",
    "ˆ": "\u0302",
    "^": "\u0302",
    "˜": "\u0303",
    "¯": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "¨": "\u0308",
    "˚": "\u030a",
    "˝": "\u030b",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˛": "\u0328",
}
_DOTLESS = {"ı": "i", "ȷ": "j"}
_NEAR_IN_ORDER = 200
# A combining mark stands next to its letter, if kerning or spacing did not put it behind the next one.
LETTERS_TO_A_MARK = 2
# In sizes of the letters.
SAME_PLACE_WITHIN = 0.05
OFF_BASE_WITHIN = 0.5


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with every accent that is painted on a letter merged into that letter."""
    taken: set[int] = set()
    for place, accent in enumerate(glyphs):
        if accent.text in _ACCENTS:
            is_put = _put_accent(glyphs, place, taken)
        else:
            is_put = len(accent.text) == 1 and unicodedata.category(accent.text) == "Mn" and _put_mark(glyphs, place)
        if is_put:
            taken.add(place)
    return [glyph for place, glyph in enumerate(glyphs) if place not in taken]


def _put_mark(glyphs: list[Glyph], place: int) -> bool:
    """Merge a combining mark into its letter; False if there is none."""
    mark = glyphs[place]
    near = glyphs[max(0, place - LETTERS_TO_A_MARK) : place + LETTERS_TO_A_MARK + 1]
    letters = [letter for letter in near if letter.text[0].isalpha()]
    # Some programs set a mark right behind its letter, others where it is painted.
    for belongs in (_bears, _is_under):
        for letter in letters:
            if belongs(letter, mark):
                letter.text = unicodedata.normalize("NFC", letter.text + mark.text)
                return True
    return False


def _bears(letter: Glyph, mark: Glyph) -> bool:
    """Whether a combining mark, which has no room of its own, was set right behind the letter."""
    limit = SAME_PLACE_WITHIN * mark.size
    return letter.angle == mark.angle and abs(letter.base - mark.base) < limit and abs(letter.end - mark.start) < limit


def _is_under(letter: Glyph, mark: Glyph) -> bool:
    """Whether a combining mark is painted over, under or in the letter."""
    middle = (mark.start + mark.end) / 2
    is_near = abs(letter.base - mark.base) < OFF_BASE_WITHIN * mark.size
    return letter.angle == mark.angle and is_near and letter.start <= middle <= letter.end


def _put_accent(glyphs: list[Glyph], place: int, taken: set[int]) -> bool:
    """Merge an accent that is a character by itself into the letter it is painted on; False if there is none."""
    accent = glyphs[place]
    near = range(max(0, place - _NEAR_IN_ORDER), min(len(glyphs), place + _NEAR_IN_ORDER + 1))
    for other in sorted(near, key=lambda index: abs(index - place)):
        letter = glyphs[other]
        if other == place or other in taken or not letter.text.isalpha() or not _carries(letter, accent):
            continue
        plain = _DOTLESS.get(letter.text, letter.text)
        composed = unicodedata.normalize("NFC", plain + _ACCENTS[accent.text])
        if len(composed) == 1:
            letter.text = composed
            return True
    return False


def _carries(letter: Glyph, accent: Glyph) -> bool:
    """Whether the accent is painted over (or under) the letter rather than beside it."""
    if letter.angle != accent.angle or letter.angle is None or len(letter.text) != 1:
        return False
    middle = (accent.start + accent.end) / 2
    width = letter.end - letter.start
    within = letter.start + 0.1 * width <= middle <= letter.end - 0.1 * width
    return within and abs(letter.base - accent.base) < 0.5 * letter.size
