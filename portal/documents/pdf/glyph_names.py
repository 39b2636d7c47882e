"""Letters that a font tells by the names of its glyphs alone. Runs in the reading child only.

TeX writes many fonts without a table of what their glyphs say. pdfium knows the usual names ("fi"), but of those that
are put together ("f_f_i", "T_h") or mark a variant ("one.taboldstyle") it gives the number of the glyph in the font.
"""

from __future__ import annotations

import ctypes
import io
import re
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pypdfium2 import PdfDocument, PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

_NAMES_OF_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DIGITS = dict(zip(_NAMES_OF_DIGITS, "0123456789", strict=True))
MOST_LETTERS = 4
_OBJECT = re.compile(rb"\b(\d+) 0 obj\s*<<")
_DIFFERENCES = re.compile(rb"/Differences\s*\[([^\]]*)\]")
_NUMBER_OR_NAME = re.compile(rb"(\d+)|/([^\s/\[\]<>()]+)")
_FONT = re.compile(rb"/BaseFont\s*/([^\s/\[\]<>()]+)")
# Before the name of a font of which a file holds a part; pdfium leaves it out for some.
_PART = re.compile(r"[A-Z]{6}\+")
_ENCODING = re.compile(rb"/Encoding\s+(\d+) 0 R")
_NUMBERS = 0x100


class GlyphNames:
    """The names of glyphs in the fonts of a document, read when a glyph first needs one."""

    def __init__(self, document: PdfDocument) -> None:
        self._document = document
        self._fonts: dict[str, dict[int, str]] | None = None

    def letters_of(self, font: str) -> Mapping[int, str]:
        """What the names in a font say, by the numbers of its glyphs, as far as all parts of the font agree."""
        if self._fonts is None:
            rewritten = io.BytesIO()
            self._document.save(rewritten)
            self._fonts = _letters_by_font(rewritten.getvalue())
        return self._fonts.get(font, {})


def with_named_letters(texts: PdfTextPage, glyphs: list[Glyph], names: GlyphNames) -> list[Glyph]:
    """The glyphs, with what their names say for those of which pdfium knows nothing but a number."""
    letters: dict[int, Mapping[int, str]] = {}
    for glyph in glyphs:
        # A letter or figure of ASCII has the number of its plain form.
        if len(glyph.text) != 1 or " " <= glyph.text <= "~" or ord(glyph.text) >= _NUMBERS:
            continue
        if glyph.owner and pdfium.FPDFText_HasUnicodeMapError(texts, glyph.first) == 1:
            font = pdfium.FPDFTextObj_GetFont(pdfium.FPDFText_GetTextObject(texts, glyph.first))
            address = address_of(font)
            if address not in letters:
                letters[address] = names.letters_of(_name_of(font))
            glyph.text = letters[address].get(ord(glyph.text), glyph.text)
    return glyphs


def _name_of(font: object) -> str:
    size = pdfium.FPDFFont_GetBaseFontName(font, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, size)
    return _PART.sub("", buffer.value.decode("latin-1"))


def _letters_by_font(data: bytes) -> dict[str, dict[int, str]]:
    """The letters of every font of a document, by its name, from the document as pdfium writes it."""
    encodings: dict[bytes, dict[int, str]] = {}
    fonts: list[tuple[str, bytes]] = []
    for entry in data.split(b"endobj"):
        start = _OBJECT.search(entry)
        if start is None:
            continue
        content = entry[start.end() :].partition(b"stream")[0]
        differences, font = _DIFFERENCES.search(content), _FONT.search(content)
        if differences is not None:
            encodings[start[1]] = dict(_letters_in(differences[1]))
        if font is not None:
            reference = _ENCODING.search(content)
            fonts.append((_PART.sub("", font[1].decode("latin-1")), start[1] if reference is None else reference[1]))
    by_font: dict[str, dict[int, str]] = {}
    disputed: set[tuple[str, int]] = set()
    for name, encoding in fonts:
        letters = by_font.setdefault(name, {})
        for number, text in encodings.get(encoding, {}).items():
            if letters.setdefault(number, text) != text:
                disputed.add((name, number))
    for name, number in disputed:
        del by_font[name][number]
    return by_font


def _letters_in(differences: bytes) -> Iterator[tuple[int, str]]:
    """The numbers of the glyphs that a font names, and what these names say, if it is letters or figures."""
    number = 0
    for token in _NUMBER_OR_NAME.finditer(differences):
        if token[1]:
            number = int(token[1])
            continue
        text = _said_by(token[2].decode("latin-1"))
        if text:
            yield number, text
        number += 1


def _said_by(name: str) -> str:
    """The letters of a name that is put together, or the one of a variant; "" for any other."""
    parts = [_DIGITS.get(part, part) for part in name.partition(".")[0].split("_")]
    is_plain = all(len(part) == 1 and part.isascii() and part.isalnum() for part in parts)
    return "".join(parts) if is_plain and len(parts) <= MOST_LETTERS else ""
