"""Sizes of letters that their fonts draw larger than the file says. Runs in the reading child only.

LuaTeX sets some OpenType fonts (Inter) in the units of the font, so that 10 points are called 3.5. What is measured in
sizes of the letters, such as the space between two words, would be measured by far too little.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

_HIGH_LETTERS = frozenset("ABDEFGHIKLMNPRTbdhkl0123456789")
# In sizes of the letters, as most fonts draw high ones, and as none does.
USUAL_HEIGHT, HIGHEST = 0.72, 1.3
LETTERS_TO_TELL = 5


def set_true_sizes(texts: PdfTextPage, glyphs: Sequence[Glyph]) -> None:
    """Set `size` of glyphs from fonts that draw their high letters larger than letters of that size can be."""
    high = [glyph for glyph in glyphs if glyph.angle == 0 and glyph.size > 0 and glyph.text in _HIGH_LETTERS]
    if not any(_height(glyph) > HIGHEST for glyph in high):
        return
    fonts: dict[int, int] = {}
    for glyph in glyphs:
        if glyph.owner not in fonts:
            text = pdfium.FPDFText_GetTextObject(texts, glyph.first)
            fonts[glyph.owner] = address_of(pdfium.FPDFTextObj_GetFont(text)) if text else 0
    heights: dict[int, list[float]] = {}
    for glyph in high:
        heights.setdefault(fonts[glyph.owner], []).append(_height(glyph))
    larger = {
        font: median(measured) / USUAL_HEIGHT
        for font, measured in heights.items()
        if len(measured) >= LETTERS_TO_TELL and median(measured) > HIGHEST
    }
    for glyph in glyphs:
        glyph.size *= larger.get(fonts[glyph.owner], 1.0)


def _height(glyph: Glyph) -> float:
    return (glyph.ink.top - glyph.ink.bottom) / glyph.size
