"""Accents that a page paints beside or over the letters they belong to. Runs in the reading child only."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.documents.pdf.glyphs import Glyph

_ACCENTS = dict(
    zip(
        "`´ˆ^˜¯˘˙¨˚˝ˇ¸˛",
        "\u0300\u0301\u0302\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
        strict=True,
    )
)
_DOTLESS = {"ı": "i", "ȷ": "j"}
NEAR_IN_ORDER = 200
# In sizes of the letters.
OFF_BASE_WITHIN, SAME_PLACE_WITHIN = 0.5, 0.05
HIGHEST_ACCENT, FARTHEST_ACCENT = 0.35, 0.2


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with every accent that is painted on a letter merged into that letter."""
    taken: set[int] = set()
    for place, accent in enumerate(glyphs):
        if accent.text.isascii() and accent.text not in _ACCENTS:
            continue
        mark = _ACCENTS.get(accent.text, accent.text)
        if len(mark) == 1 and unicodedata.category(mark) == "Mn":
            near = range(max(0, place - NEAR_IN_ORDER), min(len(glyphs), place + NEAR_IN_ORDER + 1))
            others = sorted(
                (other for other in near if other != place and other not in taken), key=lambda other: abs(other - place)
            )
            if any(_put(mark, accent, glyphs[other]) for other in others):
                taken.add(place)
        elif place and _says_letter_below(accent, glyphs[place - 1]):
            _correct(glyphs[place - 1], accent)
            taken.add(place)
    return [glyph for place, glyph in enumerate(glyphs) if place not in taken]


def _put(mark: str, accent: Glyph, letter: Glyph) -> bool:
    """Make a mark part of a letter if it is painted on it; False if it is not."""
    if not letter.text[:1].isalpha() or letter.angle != accent.angle or len(letter.text) > 1 + (mark == accent.text):
        return False
    middle, width = (accent.start + accent.end) / 2, letter.end - letter.start
    is_near = abs(letter.base - accent.base) < OFF_BASE_WITHIN * letter.size
    is_on = letter.start + 0.1 * width <= middle <= letter.end - 0.1 * width
    # A combining mark, which has no room of its own, may be set right behind its letter.
    is_behind = mark == accent.text and abs(letter.end - accent.start) < SAME_PLACE_WITHIN * accent.size
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter.text, letter.text) + mark)
    if not is_near or not (is_on or is_behind) or (mark != accent.text and len(composed) > 1):
        return False
    letter.text = composed
    return True


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
        and accent.ink.height <= HIGHEST_ACCENT * size < letter.ink.height
        and min(abs(above), abs(below)) <= FARTHEST_ACCENT * size
        and abs(letter.base - accent.base) < OFF_BASE_WITHIN * size
        and letter.start <= (accent.start + accent.end) / 2 <= letter.end
    )


def _correct(letter: Glyph, accent: Glyph) -> None:
    """One accent of a font may be on several letters, and then says one of them."""
    composed = unicodedata.normalize("NFC", letter.text + unicodedata.normalize("NFD", accent.text)[1:])
    letter.text = composed if letter.text.isalpha() and len(composed) == 1 else accent.text
