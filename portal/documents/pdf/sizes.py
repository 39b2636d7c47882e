"""Sizes of letters that their fonts draw larger than the file says. Runs in the reading child only.

LuaTeX sets some OpenType fonts (Inter) in the units of the font, so that 10 points are called 3.5, and Ghostscript some
letters of a word in 1 point. What is measured in sizes of the letters, such as the space between two words, would be
measured by far too little.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.documents.pdf.glyphs import Glyph

_HIGH_LETTERS = frozenset("ABDEFGHIKLMNPRTbdhkl0123456789")
# In sizes of the letters, as most fonts draw high ones, and as none does.
USUAL_HEIGHT, HIGHEST = 0.72, 1.3
LETTERS_TO_TELL = 5
# No letter is as high, not even one with two accents.
FAR_TOO_HIGH = 2.5
HIGHEST_STOP = 0.7
_STOPS = frozenset(".,")


def set_true_sizes(glyphs: Sequence[Glyph]) -> None:
    """Set `size` of glyphs from fonts that draw their high letters larger than letters of that size can be."""
    high = [glyph for glyph in glyphs if glyph.angle == 0 and glyph.size > 0 and glyph.text in _HIGH_LETTERS]
    if any(_height(glyph) > HIGHEST for glyph in high):
        heights: dict[int, list[float]] = {}
        for glyph in high:
            heights.setdefault(glyph.font, []).append(_height(glyph))
        larger = {
            font: median(measured) / USUAL_HEIGHT
            for font, measured in heights.items()
            if len(measured) >= LETTERS_TO_TELL and median(measured) > HIGHEST
        }
        for glyph in glyphs:
            glyph.size *= larger.get(glyph.font, 1.0)
    _set_by_neighbours(glyphs)


def _set_by_neighbours(glyphs: Sequence[Glyph]) -> None:
    """Set `size` of single letters that are far too high for theirs to that of a letter beside them."""
    for place, glyph in enumerate(glyphs):
        highest = FAR_TOO_HIGH if glyph.text.isalpha() else HIGHEST_STOP if glyph.text in _STOPS else 0.0
        if glyph.angle == 0 and glyph.size > 0 and 0 < highest < _height(glyph):
            beside = (glyphs[index] for index in (place - 1, place + 1) if 0 <= index < len(glyphs))
            sizes = [other.size for other in beside if other.angle == 0 and other.base == glyph.base]
            glyph.size = max((size for size in sizes if size > glyph.size), default=glyph.size * _height(glyph))


def _height(glyph: Glyph) -> float:
    return (glyph.ink.top - glyph.ink.bottom) / glyph.size
