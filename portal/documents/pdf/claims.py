"""What marked texts of a PDF claim to read as, and which of these claims are believed. Runs in the reading child only.

A claim (`ActualText`) is taken away from its text: a reader sees what stands there, and so does the matcher. It is
believed where glyphs say nothing themselves, or paint one letter together and say nothing else, as browsers and word
processors write it for ligatures, small capitals, Arabic and Indic syllables.
"""

from __future__ import annotations

import codecs
import ctypes
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.glyphs import UNKNOWN_TEXT
from portal.documents.pdf.objects import address_of, text_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfPage

    from portal.documents.pdf.glyphs import Glyph

_CLAIM = b"ActualText"
# pdfium's own reading of texts in marks takes the two bytes of a letter for two letters.
_ENCODINGS = {codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF8: "utf-8"}
MOST_GLYPHS = 6
LETTERS_OF_AN_UNREAD_GLYPH = 3
# In sizes of the letters.
WIDEST, HIGHEST = 3.0, 0.6
# Binds the letter before it to the next, as in a conjunct of Hindi.
_VIRAMA = 9


@dataclass(frozen=True, slots=True)
class Claim:
    """What a marked text claims to read as; `mark` tells it from others that say the same."""

    mark: int
    text: str


def take_claims(page: PdfPage) -> dict[int, Claim]:
    """Take all claims away from a page. Returns the claim about each text object, by its address."""
    claims: dict[int, Claim] = {}
    marked: list[tuple[object, object]] = []
    for text_object in text_objects(page):
        for number in range(pdfium.FPDFPageObj_CountMarks(text_object.handle)):
            mark = pdfium.FPDFPageObj_GetMark(text_object.handle, number)
            text = _claim_of(mark) if mark else None
            if text is not None:
                claims[text_object.address] = Claim(address_of(mark), text)
                marked.append((text_object.handle, mark))
    # Not before all are known: objects that follow each other lose the mark together.
    for handle, mark in marked:
        pdfium.FPDFPageObj_RemoveMark(handle, mark)
    return claims


def _claim_of(mark: object) -> str | None:
    """The text that the mark claims; empty if its claim is not a text; None if it claims nothing."""
    if pdfium.FPDFPageObjMark_GetParamValueType(mark, _CLAIM) == int(pdfium.FPDF_OBJECT_UNKNOWN):
        return None
    size = ctypes.c_ulong()
    pdfium.FPDFPageObjMark_GetParamBlobValue(mark, _CLAIM, None, 0, size)
    buffer = (ctypes.c_ubyte * size.value)()
    pdfium.FPDFPageObjMark_GetParamBlobValue(mark, _CLAIM, buffer, size.value, size)
    claim = bytes(buffer)
    encoding = next((name for sign, name in _ENCODINGS.items() if claim.startswith(sign)), "cp1252")
    return claim.decode(encoding, "replace").lstrip("\ufeff")


def believed(glyphs: list[Glyph], claims: dict[int, Claim]) -> list[Glyph]:
    """The glyphs, with those merged of which a claim is believed; those that say nothing after that are left out."""
    read: list[Glyph] = []
    for claim, group in groupby(glyphs, key=lambda glyph: claims.get(glyph.owner.address)):
        painted = [glyph for glyph in group if claim is not None or glyph.text != UNKNOWN_TEXT]
        text = "" if claim is None else claim.text.replace("\u00ad", "")
        if painted and text and text.isprintable() and " " not in text and _agree(painted, text):
            if len(painted) == 1 or ((len(text) == 1 or _is_one_letter(text)) and _are_together(painted)):
                painted = [_as_one(painted, text)]
            elif len(painted) == len(text):
                for glyph, letter in zip(painted, text, strict=True):
                    glyph.text = letter if is_unread(glyph) else glyph.text
        read += [glyph for glyph in painted if glyph.text != UNKNOWN_TEXT]
    return read


def is_unread(glyph: Glyph) -> bool:
    """Whether a font does not say what a glyph reads as, or gives it a private code."""
    return glyph.text == UNKNOWN_TEXT or unicodedata.category(glyph.text[0]) == "Co"


def _agree(glyphs: Sequence[Glyph], claim: str) -> bool:
    """Whether all that can be read of the glyphs is part of what they are claimed to read as, and the rest may be."""
    remaining = Counter(_plain(claim))
    read = Counter(_plain("".join(glyph.text for glyph in glyphs if not is_unread(glyph))))
    if read - remaining or len(glyphs) > MOST_GLYPHS:
        return False
    return (remaining - read).total() <= LETTERS_OF_AN_UNREAD_GLYPH * sum(map(is_unread, glyphs))


def _plain(text: str) -> str:
    """Letters and marks by themselves; small capitals are told as small letters or as capitals."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in apart if unicodedata.category(character)[0] in "LM")


def _is_one_letter(text: str) -> bool:
    """Whether a text is one letter with marks, or several that are bound to each other."""
    count = marks = 0
    is_bound = False
    for character in unicodedata.normalize("NFD", text):
        category = unicodedata.category(character)
        if category[0] == "M":
            marks += 1
            is_bound = unicodedata.combining(character) == _VIRAMA
        elif category == "Cf":
            marks += 1
        elif category[0] != "L":
            return False
        else:
            count += not is_bound
            is_bound = False
    return count == 1 and marks > 0


def _are_together(glyphs: Sequence[Glyph]) -> bool:
    """Whether several glyphs stand in the place of one letter."""
    size = max(glyph.size for glyph in glyphs)
    heights = [glyph.base for glyph in glyphs]
    width = max(glyph.end for glyph in glyphs) - min(glyph.start for glyph in glyphs)
    is_even = all(glyph.angle == glyphs[0].angle for glyph in glyphs)
    return is_even and width <= WIDEST * size and max(heights) - min(heights) <= HIGHEST * size


def _as_one(glyphs: Sequence[Glyph], text: str) -> Glyph:
    """The largest of the glyphs, with the room of all."""
    whole = max(glyphs, key=lambda glyph: glyph.ink.width * glyph.ink.height)
    whole.start, whole.end = min(glyph.start for glyph in glyphs), max(glyph.end for glyph in glyphs)
    for glyph in glyphs:
        whole.ink = whole.ink.joined(glyph.ink)
    whole.text = unicodedata.normalize("NFC", text)
    return whole
