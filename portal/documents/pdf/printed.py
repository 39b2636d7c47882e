"""Hyphens at line ends of pages that Chromium printed: typed, or put there where a word was broken. In the child only.

Chromium draws the hyphen that breaks a word as a text of its own, which stands on the grid of its layout, 64ths of a
pixel; what was typed follows the letter before it, wherever that ends.
"""

from __future__ import annotations

import ctypes
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfDocument, PdfTextPage

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line
    from portal.documents.pdf.words import Word

_CHROMIUM = re.compile(r"skia", re.IGNORECASE)
STEPS_OF_A_PIXEL = 64
# In steps; coordinates in the file are rounded.
ON_GRID_WITHIN = 0.01
# Of the beginnings of lines, which all stand on the grid, and of letters in lines, which do so by chance.
SURELY, HARDLY = 0.9, 0.4
LETTERS_TO_TELL = 5
LETTERS_BACK = 12
_HYPHEN = "-"
_BREAKING_HYPHEN = "\u2010"


def is_printed(document: PdfDocument) -> bool:
    """Whether the document says that Chromium made it, or a browser like it."""
    return any(_CHROMIUM.search(document.get_metadata_value(key)) for key in ("Producer", "Creator"))


def tell_printed_hyphens(texts: PdfTextPage, lines: Sequence[Line]) -> None:
    """Set `goes_on` of lines behind a hyphen that was typed, and put another sign for one that breaks a word."""
    ends = [
        ([glyph for word in above.words for glyph in word.glyphs], above.words[-1], line)
        for above, line in pairwise(lines)
        if above.words[-1].glyphs[-1].text == _HYPHEN
        and len(above.words[-1].glyphs) > 1
        and above.first.angle == line.first.angle == 0
        and line.first.text[0].isalpha()
    ]
    if not ends:
        return
    grid = _Grid(texts, [line.first for line in lines if line.first.angle == 0])
    if not grid.is_sure:
        return
    for glyphs, word, line in ends:
        hyphen, inside = glyphs[-1], glyphs[1:-1][-LETTERS_BACK:]
        if hyphen.owner == glyphs[-2].owner or not _is_plain(word) or not grid.has(hyphen):
            line.goes_on = True
        elif len(inside) >= LETTERS_TO_TELL and sum(map(grid.has, inside)) <= HARDLY * len(inside):
            hyphen.text = _BREAKING_HYPHEN


def _is_plain(word: Word) -> bool:
    """Whether a word in front of a hyphen has nothing but letters: addresses are not broken inside of words."""
    text = word.text.rstrip(_HYPHEN)
    return text.lstrip("([{“‘\"'").replace(_HYPHEN, "").isalpha()


class _Grid:
    """The grid of a page's layout, found from where its lines begin."""

    def __init__(self, texts: PdfTextPage, begins: Sequence[Glyph]) -> None:
        self._texts = texts
        self._first = _pen(texts, begins[0])
        self.is_sure = sum(map(self.has, begins)) >= SURELY * len(begins)

    def has(self, glyph: Glyph) -> bool:
        """Whether a glyph stands on the grid."""
        size = abs(pdfium.FPDFText_GetFontSize(self._texts, glyph.first))
        if not size or not glyph.size:
            return False
        pixel = glyph.size / size
        steps = (_pen(self._texts, glyph) - self._first) / pixel * STEPS_OF_A_PIXEL
        return bool(abs(steps - round(steps)) <= ON_GRID_WITHIN)


def _pen(texts: PdfTextPage, glyph: Glyph) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(texts, glyph.first, x, y)
    return float(x.value)
