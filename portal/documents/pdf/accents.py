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
HIGHEST_ACCENT, FARTHEST_ACCENT = 0.35, 0.2


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with every accent that is painted on a letter merged into that letter."""
    glyphs = _with_letters_below(glyphs)
    taken: set[int] = set()
    for place, accent in enumerate(glyphs):
        if accent.text in _ACCENTS:
            is_put = _put_accent(glyphs, place, taken)
        else:
            is_put = len(accent.text) == 1 and unicodedata.category(accent.text) == "Mn" and _put_mark(glyphs, place)
        if is_put:
            taken.add(place)
    return [glyph for place, glyph in enumerate(glyphs) if place not in taken]


def _with_letters_below(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with accents that say the letter which they are painted on merged into it."""
    merged: list[Glyph] = []
    for glyph in glyphs:
        if merged and _says_letter_below(glyph, merged[-1]):
            letter, marks = merged[-1], unicodedata.normalize("NFD", glyph.text)[1:]
            composed = unicodedata.normalize("NFC", letter.text + marks)
            # One accent of a font may be on several letters, and then says one of them.
            letter.text = composed if letter.text.isalpha() and len(composed) == 1 else glyph.text
        else:
            merged.append(glyph)
    return merged


def _says_letter_below(accent: Glyph, letter: Glyph) -> bool:
    """Whether a glyph says a letter with its accent but paints the accent alone, on or below the glyph before it.

    Programs do so where a font has the two by themselves, as for small capitals; what the other says is then no letter.
    """
    if len(accent.text) != 1 or not accent.text.isalpha() or len(unicodedata.normalize("NFD", accent.text)) == 1:
        return False
    size = accent.size
    above, below = accent.ink.bottom - letter.ink.top, letter.ink.bottom - accent.ink.top
    return (
        accent.angle == letter.angle == 0
        and accent.ink.top - accent.ink.bottom <= HIGHEST_ACCENT * size
        and letter.ink.top - letter.ink.bottom > HIGHEST_ACCENT * size
        and min(abs(above), abs(below)) <= FARTHEST_ACCENT * size
        and abs(letter.base - accent.base) < OFF_BASE_WITHIN * size
        and letter.start <= (accent.start + accent.end) / 2 <= letter.end
    )


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
