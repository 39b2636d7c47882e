"""Pictures that are set as letters of a font of icons. In the reading child only.

Such a font gives its telephone as "ñ", whose place it takes, or as "Phone", its name in the font. Neither is on the
page: a reader sees a picture.
"""

from __future__ import annotations

import ctypes
import unicodedata
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.icons import is_named_after_icons

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

LONGEST_NAME = 200  # bytes
_BULLETS = "•·‣◦∙"
_SIGNS = ("So", "Sm", "Co", "Zs")


def without_icons(texts: PdfTextPage, glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs without letters from fonts that are named after a collection of icons."""
    of_icons: dict[int, bool] = {}
    for glyph in glyphs:
        if glyph.owner and glyph.owner not in of_icons:
            of_icons[glyph.owner] = _has_icons(pdfium.FPDFText_GetTextObject(texts, glyph.first))
    return [glyph for glyph in glyphs if not of_icons.get(glyph.owner) or _is_sign(glyph.text)]


def _is_sign(text: str) -> bool:
    """Whether a glyph says a bullet or another sign, which is no word."""
    return text in _BULLETS or unicodedata.category(text[0]) in _SIGNS


def _has_icons(text: object) -> bool:
    name = ctypes.create_string_buffer(LONGEST_NAME)
    font = pdfium.FPDFTextObj_GetFont(text) if text else None
    # Nothing is written where the name is longer.
    length = pdfium.FPDFFont_GetBaseFontName(font, name, LONGEST_NAME) if font else 0
    return 0 < length <= LONGEST_NAME and is_named_after_icons(name.value.decode("utf-8", "replace"))
