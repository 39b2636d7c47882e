"""Form fields and notes that a PDF page shows beside its content, and replacement texts that it claims.

Runs in the reading child only.
"""

from __future__ import annotations

import codecs
import ctypes
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import address_of, text_objects
from portal.documents.sentences import WORDS_OF_A_SENTENCE

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# What a program that reads aloud is to say instead of the text that stands there.
_CLAIM = b"ActualText"
# Notes that only paper shows count as well: applicants and reviewers read on screens.
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
# What opens with a click, beside a mark on the page. Links say where they lead, fields and typed texts are painted.
_OPENED = frozenset(
    {
        *(pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE),
        *(pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE),
        *(pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_POLYGON, pdfium.FPDF_ANNOT_POLYLINE, pdfium.FPDF_ANNOT_INK),
        *(pdfium.FPDF_ANNOT_CARET, pdfium.FPDF_ANNOT_STAMP),
    }
)
# pdfium's own reading of texts in marks takes the two bytes of a letter for two letters.
_ENCODINGS = {codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF8: "utf-8"}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a marked text claims to read as; `mark` tells it from others that say the same."""

    mark: int
    text: str


@dataclass(frozen=True, slots=True)
class Claims:
    """What marked texts of a page claim to read as.

    Attributes:
        texts: each claim once.
        by_object: the claim about each text object, by its address; it may be about several.
        of_objects: those about a single text object.
    """

    texts: tuple[str, ...]
    by_object: dict[int, Claim]
    of_objects: dict[int, str]


def put_fields_on_the_page(page: PdfPage) -> None:
    """Make what was filled into a form, and notes written on the page, part of its content, as far as they show.

    Takes effect when the page is opened again.
    """
    if pdfium.FPDFPage_GetAnnotCount(page) == 0:
        return
    for number in reversed(range(pdfium.FPDFPage_GetAnnotCount(page))):
        if _flags(page, number) & _UNSEEN:
            pdfium.FPDFPage_RemoveAnnot(page, number)
    if all(_is_bare_link(page, number) for number in range(pdfium.FPDFPage_GetAnnotCount(page))):
        # Nothing to paint; and painting would lose the fonts that a page has from the document.
        return
    # Drawing makes pdfium paint the fields that come without a painting of their own.
    page.render(scale=0.05).close()
    bounds = page.get_bbox()
    pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
    # It forgets bounds that a page has from the document, as those of TeX have, and makes it a letter sheet.
    page.set_mediabox(*bounds)
    page.set_cropbox(*bounds)


def unseen_notes(page: PdfPage) -> list[str]:
    """Sentences in fields and notes that a page on a screen does not show, or not before somebody opens them.

    To be asked before they are put on the page. Forms have many fields that stay hidden and say "Off".
    """
    sentences = []
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        is_unseen = pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN or _has_no_room(annotation)
        is_opened = pdfium.FPDFAnnot_GetSubtype(annotation) in _OPENED
        keys = ((b"V",) if is_unseen else ()) + ((b"Contents",) if is_unseen or is_opened else ())
        texts = (_string(annotation, key) for key in keys)
        sentences += [text for text in texts if len(text.split()) >= WORDS_OF_A_SENTENCE]
        pdfium.FPDFPage_CloseAnnot(annotation)
    return list(dict.fromkeys(sentences))


def _has_no_room(annotation: object) -> bool:
    """Whether a field is a point or a line: nothing of it is painted."""
    room = pdfium.FS_RECTF()
    is_known = pdfium.FPDFAnnot_GetRect(annotation, room)
    is_field = pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET
    return bool(is_known and is_field and (room.left == room.right or room.top == room.bottom))


def _flags(page: PdfPage, number: int) -> int:
    annotation = pdfium.FPDFPage_GetAnnot(page, number)
    flags: int = pdfium.FPDFAnnot_GetFlags(annotation)
    pdfium.FPDFPage_CloseAnnot(annotation)
    return flags


def _is_bare_link(page: PdfPage, number: int) -> bool:
    """Whether an annotation is a link that paints nothing itself."""
    annotation = pdfium.FPDFPage_GetAnnot(page, number)
    is_link = pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_LINK
    painting = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) if is_link else 0
    pdfium.FPDFPage_CloseAnnot(annotation)
    return is_link and painting <= len("\0".encode("utf-16-le"))


def _string(annotation: object, key: bytes) -> str:
    size = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").strip()


def without_claims(page: PdfPage) -> Claims:
    """Take away what marked texts claim to read as: a reader sees what stands there, and so does the matcher.

    Returns the claims.
    """
    by_object: dict[int, Claim] = {}
    texts: dict[str, None] = {}
    marked: list[tuple[object, object]] = []
    for text_object in text_objects(page):
        for number in range(pdfium.FPDFPageObj_CountMarks(text_object.handle)):
            mark = pdfium.FPDFPageObj_GetMark(text_object.handle, number)
            text = _claim_of(mark) if mark else None
            if text is not None:
                by_object[text_object.address] = Claim(address_of(mark), text)
                texts[text] = None
                marked.append((text_object.handle, mark))
    # Not before all are known: objects that follow each other lose the mark together.
    for handle, mark in marked:
        pdfium.FPDFPageObj_RemoveMark(handle, mark)
    # A claim about several objects does not say which of them reads as what.
    objects = Counter(claim.mark for claim in by_object.values())
    of_objects = {address: claim.text for address, claim in by_object.items() if objects[claim.mark] == 1}
    return Claims(tuple(texts), by_object, of_objects)


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
