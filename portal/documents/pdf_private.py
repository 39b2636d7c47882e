"""Letters that fonts of text keep in the private use area, where others have icons. In the reading child only.

Times New Roman, Arial and fonts made after them have ligatures there, and expert fonts small capitals and old figures;
a program that takes what a glyph says from its font writes that into the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf_objects import address_of

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

    from portal.documents.pdf_glyphs import Glyph

_SAID = {
    "\uf001": "fi",
    "\uf002": "fl",
    **{chr(0xF700 + ord(sign)): sign for sign in "0123456789"},
    **{chr(0xF700 + ord(letter)): letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
}
# A font of icons may have one for a letter or two.
LETTERS_OF_A_TEXT = 3


def with_private_letters(texts: PdfTextPage, glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with what those say that are letters in a font that has other letters as well."""
    private = [glyph for glyph in glyphs if glyph.text in _SAID]
    if not private:
        return glyphs
    fonts: dict[int, int] = {}
    letters: dict[int, set[str]] = {}
    for glyph in glyphs:
        if glyph.owner not in fonts:
            text = pdfium.FPDFText_GetTextObject(texts, glyph.first) if glyph.owner else None
            fonts[glyph.owner] = address_of(pdfium.FPDFTextObj_GetFont(text)) if text else 0
        if glyph.text.isascii() and glyph.text.isalpha():
            letters.setdefault(fonts[glyph.owner], set()).add(glyph.text)
    for glyph in private:
        if fonts[glyph.owner] and len(letters.get(fonts[glyph.owner], ())) >= LETTERS_OF_A_TEXT:
            glyph.text = _SAID[glyph.text]
    return glyphs
