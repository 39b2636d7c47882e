"""Letters of TeX's bitmap fonts, which have no names: identified by their numbers. Runs in the reading child only.

Such a font has a picture for each number and no names. TeX has two ways to number the letters of a text, the old one
(OT1), where accents are painted apart, and a newer one (T1); which of them a page uses shows by its ligatures. Signs
of formulas are in fonts of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
_OLD_LIGATURES, _NEW_LIGATURES = range(0x0B, 0x10), range(0x1B, 0x20)
# Numbers of letters and digits are the same everywhere; these few signs differ from ASCII.
_OLD = {
    **dict(zip(_OLD_LIGATURES, _LIGATURES, strict=True)),
    **dict(zip(range(0x10, 0x20), "ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ", strict=True)),
    0x22: "”",
    0x27: "’",
    0x3C: "¡",
    0x3E: "¿",
    0x5C: "“",
    0x5E: "ˆ",
    0x5F: "˙",
    0x60: "‘",
    0x7B: "–",
    0x7C: "—",
    0x7D: "˝",
    0x7E: "˜",
    0x7F: "¨",
}
_NEW = {
    **dict(zip(range(1, 0x17), "´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—", strict=True)),
    0x17: "",
    0x18: "",
    0x19: "ı",
    0x1A: "ȷ",
    0x27: "’",
    0x60: "‘",
    0x7F: "-",
    **dict(zip(_NEW_LIGATURES, _LIGATURES, strict=True)),
    **dict(zip(range(0x80, 0xA0), "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§", strict=True)),
    **dict(zip(range(0xA0, 0xC0), "ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", strict=True)),
    0xD7: "Œ",
    0xDF: "ẞ",
    0xF7: "œ",
    0xFF: "ß",
}
_SIGNS = {0x01: "·", 0x02: "×", 0x0F: "•", 0x14: "≤", 0x15: "≥", 0x18: "∼", 0x21: "→", 0x88: "•"}
_UNREADABLE = range(0x7F, 0xA0)
# Letters of a typewriter are as wide as each other, and have all the signs of ASCII.
LETTERS_TO_TELL_WIDTH = 5
SAME_WIDTH_WITHIN = 0.02


def spell_out(texts: PdfTextPage, glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with what those say that had nothing but a number; those that say nothing at all are left out."""
    fonts = _silent_fonts(texts, glyphs)
    lettered = [font for font in fonts if any(glyph.text.isascii() and glyph.text.isalnum() for glyph in font)]
    numbers = {ord(glyph.text) for font in lettered for glyph in font}
    # Of the two, each has rare letters where the other has its ligatures.
    new, old = len(numbers.intersection(_NEW_LIGATURES)), len(numbers.intersection(_OLD_LIGATURES))
    for font in fonts if new + old else ():
        if font in lettered:
            _spell(font, _NEW if new >= old else _OLD, keeps_ascii=_is_typewriter(font))
        else:
            _spell(font, _SIGNS)
    return [glyph for glyph in glyphs if glyph.text >= " " and ord(glyph.text[0]) not in _UNREADABLE]


def _silent_fonts(texts: PdfTextPage, glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """The glyphs of every font that does not say what its glyphs mean."""
    fonts: dict[int, list[Glyph]] = {}
    font_of: dict[int, int] = {}
    for glyph in glyphs:
        if glyph.owner not in font_of:
            font_of[glyph.owner] = 0
            if glyph.owner and pdfium.FPDFText_HasUnicodeMapError(texts, glyph.first) == 1:
                text = pdfium.FPDFText_GetTextObject(texts, glyph.first)
                font_of[glyph.owner] = address_of(pdfium.FPDFTextObj_GetFont(text))
        if font_of[glyph.owner] and len(glyph.text) == 1 and not glyph.guessed:
            fonts.setdefault(font_of[glyph.owner], []).append(glyph)
    return list(fonts.values())


def _spell(font: list[Glyph], letters: dict[int, str], *, keeps_ascii: bool = False) -> None:
    for glyph in font:
        if not (keeps_ascii and " " <= glyph.text <= "~"):
            glyph.text = letters.get(ord(glyph.text), glyph.text)


def _is_typewriter(font: list[Glyph]) -> bool:
    widths = {glyph.text: (glyph.loose.right - glyph.loose.left) / glyph.size for glyph in font if glyph.size}
    return len(widths) >= LETTERS_TO_TELL_WIDTH and max(widths.values()) - min(widths.values()) < SAME_WIDTH_WITHIN


def numbers_without_meaning(texts: PdfTextPage, glyphs: Iterable[Glyph]) -> list[int]:
    """The numbers of glyphs for which their font gives no character and none was told, one for each glyph."""
    read = {glyph.first for glyph in glyphs}
    return [
        code
        for index in range(texts.count_chars())
        if 0 < (code := pdfium.FPDFText_GetUnicode(texts, index)) < ord(" ")
        and index not in read
        and pdfium.FPDFText_HasUnicodeMapError(texts, index) == 1
    ]
