"""Whether glyphs in given colours differ from what is behind them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.colours import SAME_COLOUR_WITHIN, alike

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

    from portal.documents.colours import Colour
    from portal.documents.pdf.drawn import Area, Drawn, Pixel

# Other text may reach into the surroundings of a hidden one, so not all of them need to have its colour.
SURROUNDED_SHARE = 0.8
# Letters that others lie on leave this much of the paper free; a block or disc of an icon font leaves less.
PAPER_SHARE = 0.25

_STROKED_MODES = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_BOTH_MODES = (pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)

# A colour and its opacity, 0 to 1.
Paint = tuple["Colour", float]


def paints_of(texts: PdfTextPage, index: int, mode: int) -> tuple[Paint, ...] | None:
    """The colours the glyphs are painted with and their opacity; None when that cannot be told (patterns)."""
    getters = [pdfium.FPDFText_GetFillColor, pdfium.FPDFText_GetStrokeColor]
    if mode in _STROKED_MODES:
        getters = getters[1:]
    elif mode not in _BOTH_MODES:
        getters = getters[:1]
    paints: list[Paint] = []
    for get in getters:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not get(texts, index, red, green, blue, alpha):
            return None
        paints.append(((red.value, green.value, blue.value), alpha.value / 255))
    return tuple(paints)


def stands_out(drawn: Drawn, bare: Drawn, area: Area, paints: tuple[Paint, ...] | None) -> bool:
    """Whether glyphs in these paints differ from what is behind them, given that something changed there."""
    if paints is None:
        return drawn.differs(bare, area, SAME_COLOUR_WITHIN)
    plain = bare.one_colour(area)
    if plain is not None and not is_like(plain, paints):
        return True
    grounds = list(bare.pixels(area))
    unlike = 0
    for ground, pixel in zip(grounds, drawn.pixels(area), strict=True):
        if not is_like(ground, paints):
            unlike += 1
            if unlike > (1 - SURROUNDED_SHARE) * len(grounds):
                return True
        # The paint is not what it was said to be: a pattern, or a colour beyond what was understood.
        elif not alike(pixel, ground):
            return True
    return False


def only_erases(bare: Drawn, empty: Drawn | None, area: Area, paints: tuple[Paint, ...] | None) -> bool:
    """Whether glyphs have the colour of the paper and show only as gaps in the letters of another text below them."""
    paper = empty.one_colour(area) if empty is not None else None
    if paper is None or not is_like(paper, paints):
        return False
    grounds = list(bare.pixels(area))
    return sum(alike(ground, paper) for ground in grounds) > PAPER_SHARE * len(grounds)


def is_like(ground: Pixel, paints: tuple[Paint, ...] | None) -> bool:
    """Whether none of the paints would visibly change the ground."""
    if paints is None:
        return False
    return all(alike(colour, ground, opacity) for colour, opacity in paints)
