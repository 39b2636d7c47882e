"""What glyphs read as where their fonts do not say it: TeX's bitmap fonts, names alone, private codes, icons.

Runs in the reading child only. A bitmap font of TeX has a picture for each number and no names. TeX has two ways to
number the letters of a text, the old one (OT1), where accents are painted apart, and a newer one (T1); which of them a
page uses shows by its ligatures. Other fonts have names that are put together ("f_f_i", "T_h") or mark a variant
("one.taboldstyle"), of which pdfium gives the number of the glyph.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.notices import is_named_after_icons
from portal.documents.pdf.objects import font_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pypdfium2 import PdfTextPage

    from portal.documents.pdf.glyphs import Glyph

_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
_OLD_LIGATURES, _NEW_LIGATURES = range(0x0B, 0x10), range(0x1B, 0x20)
# Numbers of letters and digits are the same everywhere; these few signs differ from ASCII.
_OLD = {
    **dict(zip(_OLD_LIGATURES, _LIGATURES, strict=True)),
    **dict(zip(range(0x10, 0x20), "ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ", strict=True)),
    **dict(zip((0x22, 0x27, 0x3C, 0x3E, 0x5C, 0x5E, 0x5F, 0x60), "”’¡¿“ˆ˙‘", strict=True)),
    **dict(zip(range(0x7B, 0x80), "–—˝˜¨", strict=True)),
}
_NEW = {
    **dict(zip(range(1, 0x17), "´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—", strict=True)),
    **dict.fromkeys((0x17, 0x18), ""),
    **dict(zip((0x19, 0x1A, 0x27, 0x60, 0x7F), "ıȷ’‘-", strict=True)),
    **dict(zip(_NEW_LIGATURES, _LIGATURES, strict=True)),
    **dict(zip(range(0x80, 0xA0), "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§", strict=True)),
    **dict(zip(range(0xA0, 0xC0), "ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", strict=True)),
    **dict(zip((0xD7, 0xDF, 0xF7, 0xFF), "Œẞœß", strict=True)),
}
_MATHS = {0x01: "·", 0x02: "×", 0x0F: "•", 0x14: "≤", 0x15: "≥", 0x18: "∼", 0x21: "→", 0x88: "•"}
_ACCENTED = range(0x80, 0x100)
_UNREADABLE = range(0x7F, 0xA0)
LETTERS_TO_TELL_WIDTH = 5
_DIGITS = dict(
    zip(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), "0123456789", strict=True)
)
MOST_LETTERS_OF_A_NAME = 4
_NUMBERS = 0x100
_OBJECT = re.compile(rb"\b(\d+) 0 obj\s*<<")
_DIFFERENCES = re.compile(rb"/Differences\s*\[([^\]]*)\]")
_NUMBER_OR_NAME = re.compile(rb"(\d+)|/([^\s/\[\]<>()]+)")
_FONT = re.compile(rb"/BaseFont\s*/([^\s/\[\]<>()]+)")
_ENCODING = re.compile(rb"/Encoding\s+(\d+) 0 R")
# Before the name of a font of which a file holds a part; pdfium leaves it out for some.
_PART = re.compile(r"[A-Z]{6}\+")


Letters = Callable[[], Mapping[str, Mapping[int, str]]]
"""Gives `letters_by_font` of a document, when a glyph first needs one."""


def with_letters(texts: PdfTextPage, glyphs: Iterable[Glyph], letters: Letters) -> list[Glyph]:
    """The glyphs, with what those say of which a font gives a number, a name or a private code; no icons.

    Those that say nothing at all are left out.
    """
    fonts: dict[int, list[Glyph]] = {}
    for glyph in glyphs:
        fonts.setdefault(glyph.owner.font, []).append(glyph)
    icons: set[int] = set()
    silent: list[list[Glyph]] = []
    for address, of_font in fonts.items():
        font = font_of(of_font[0].owner.handle)
        name = name_of(font)
        if is_named_after_icons(name):
            # Bullets and other signs are no words in any font.
            kinds = {glyph.first: unicodedata.category(glyph.text[0]) for glyph in of_font if glyph.text not in "•·‣◦∙"}
            icons.update(first for first, kind in kinds.items() if kind not in {"So", "Sm", "Co", "Zs"})
            continue
        if address:
            unmapped = [glyph for glyph in of_font if _is_unmapped(texts, glyph)]
            if unmapped:
                # A letter or figure of ASCII has the number of its plain form.
                for glyph in unmapped:
                    if not " " <= glyph.text <= "~" and ord(glyph.text) < _NUMBERS:
                        glyph.text = letters().get(_PART.sub("", name), {}).get(ord(glyph.text)) or glyph.text
                silent.append([glyph for glyph in of_font if len(glyph.text) == 1])
    _spell_out([font for font in silent if font])
    kept = (glyph for of_font in fonts.values() for glyph in of_font if glyph.first not in icons)
    readable = (glyph for glyph in kept if glyph.text >= " " and ord(glyph.text[0]) not in _UNREADABLE)
    return sorted(readable, key=lambda glyph: glyph.first)


def _is_unmapped(texts: PdfTextPage, glyph: Glyph) -> bool:
    return len(glyph.text) == 1 and pdfium.FPDFText_HasUnicodeMapError(texts, glyph.first) == 1


def _spell_out(fonts: list[list[Glyph]]) -> None:
    """Set what glyphs of TeX's bitmap fonts say, which have nothing but a number."""
    lettered = [font for font in fonts if any(glyph.text.isascii() and glyph.text.isalnum() for glyph in font)]
    numbers = {ord(glyph.text) for font in lettered for glyph in font if len(glyph.text) == 1}
    # Of the two, each has rare letters where the other has its ligatures; only the newer one has letters with accents.
    new, old = len(numbers.intersection(_NEW_LIGATURES)), len(numbers.intersection(_OLD_LIGATURES))
    new += sum(number in _NEW for number in numbers.intersection(_ACCENTED))
    old += 0x7F in numbers  # noqa: PLR2004 - the accent of ü
    for font in fonts if new + old else ():
        letters = (_NEW if new >= old else _OLD) if font in lettered else _MATHS
        # Letters of a typewriter are as wide as each other, and have all the signs of ASCII.
        widths = {round(glyph.room.width / (glyph.size or 1), 1) for glyph in font}
        keeps_ascii = font in lettered and len(widths) == 1 and len(font) >= LETTERS_TO_TELL_WIDTH
        for glyph in font:
            if len(glyph.text) == 1 and not (keeps_ascii and " " <= glyph.text <= "~"):
                glyph.text = letters.get(ord(glyph.text), glyph.text)


def letters_by_font(data: bytes) -> dict[str, dict[int, str]]:
    """What the names of glyphs say, by their numbers, for each font of a document as pdfium writes it.

    Where parts of a font disagree, none is believed.
    """
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
    for name, encoding in fonts:
        letters = by_font.setdefault(name, {})
        for number, text in encodings.get(encoding, {}).items():
            letters[number] = text if letters.get(number, text) == text else ""
    return by_font


def _letters_in(differences: bytes) -> Iterator[tuple[int, str]]:
    number = 0
    for token in _NUMBER_OR_NAME.finditer(differences):
        if token[1]:
            number = int(token[1])
            continue
        parts = [_DIGITS.get(part, part) for part in token[2].decode("latin-1").partition(".")[0].split("_")]
        is_plain = all(len(part) == 1 and part.isascii() and part.isalnum() for part in parts)
        if is_plain and len(parts) <= MOST_LETTERS_OF_A_NAME:
            yield number, "".join(parts)
        number += 1
