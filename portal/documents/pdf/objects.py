"""Texts, shapes and pictures of a PDF page, those inside of drawings included. Runs in the reading child only."""

from __future__ import annotations

import ctypes
import io
import re
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfDocument, PdfPage

DEEPEST_DRAWING = 16
MOST_OBJECTS = 200_000
LONGEST_NAME = 200  # bytes


class Box(NamedTuple):
    """A rectangle in points, in the page's own coordinates (upwards)."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        is_beside = self.left >= other.right or other.left >= self.right
        return not is_beside and self.bottom < other.top and other.bottom < self.top


def text_objects(page: PdfPage) -> list[object]:
    """All text objects of a page, in the order in which they are painted."""
    return list(objects_of(page, pdfium.FPDF_PAGEOBJ_TEXT))[::-1]


def objects_of(page: PdfPage, *kinds: int) -> Iterator[object]:
    """The objects of some kinds, the last one first; no more than any page of a resume has."""
    count = pdfium.FPDFPage_CountObjects(page)
    pending = [(pdfium.FPDFPage_GetObject(page, place), 0) for place in range(min(count, MOST_OBJECTS))]
    seen = 0
    while pending and seen < MOST_OBJECTS:
        seen += 1
        handle, depth = pending.pop()
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind in kinds:
            yield handle
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST_DRAWING:
            inside = range(min(pdfium.FPDFFormObj_CountObjects(handle), MOST_OBJECTS - seen))
            pending += [(pdfium.FPDFFormObj_GetObject(handle, place), depth + 1) for place in inside]


def address_of(handle: object) -> int:
    """The address behind a handle of pdfium; 0 for none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0  # type: ignore[arg-type]  # a pointer


def font_of(text: object) -> object:
    """The font of a text object; None for none."""
    return pdfium.FPDFTextObj_GetFont(text) if text else None


def name_of(font: object) -> str:
    """The name of a font; "" where it has none, or one longer than any."""
    name = ctypes.create_string_buffer(LONGEST_NAME)
    length = pdfium.FPDFFont_GetBaseFontName(font, name, LONGEST_NAME) if font else 0
    return name.value.decode("utf-8", "replace") if 0 < length <= LONGEST_NAME else ""


_HEX_IN_NAME = re.compile(rb"#([0-9A-Fa-f]{2})")
_ACTIONS = rb"/(?:JavaScript|Launch|ImportData|SubmitForm|Rendition|GoToE|RichMediaExecute)(?![A-Za-z0-9])"
# "/S /JavaScript" is an action; "JavaScript" alone is a word in many a resume. A type may also stand in an
# object of its own ("7 0 obj /JavaScript endobj") that the action refers to.
_ACTIVE = re.compile(
    rb"/S\s*" + _ACTIONS + rb"|\bobj\s*" + _ACTIONS + rb"|/EF\s*(?:<<|\d+\s+\d+\s+R)"
    rb"|/Subtype\s*/(?:FileAttachment|RichMedia)(?![A-Za-z0-9])"
    # A file on a computer of a network: whoever opens it signs in there.
    rb"|(?:/U?F|\bobj)\s*(?:\((?:\\\\){2}|<(?:FEFF00)?5[Cc](?:00)?5[Cc])"
)
_XFA_FORMS = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)
# Notes that only paper shows count as well: applicants and reviewers read on screens.
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


def rewritten(document: PdfDocument) -> bytes:
    """The document as pdfium writes it: every object it knows, unpacked and in one spelling."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def is_active(document: PdfDocument, *spellings: bytes) -> bool:
    """Whether the PDF, or one way to write it, holds scripts, actions that start or send something, files or XFA."""
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0 or pdfium.FPDFDoc_GetAttachmentCount(document) > 0:
        return True
    spelled_out = (_HEX_IN_NAME.sub(lambda match: bytes.fromhex(match[1].decode("ascii")), data) for data in spellings)
    return pdfium.FPDF_GetFormType(document) in _XFA_FORMS or any(map(_ACTIVE.search, spelled_out))


def put_fields_on_the_page(page: PdfPage) -> None:
    """Make what was filled into a form, and notes written on the page, part of its content, as far as they show.

    Takes effect when the page is opened again.
    """
    is_painted = False
    for number in reversed(range(pdfium.FPDFPage_GetAnnotCount(page))):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        is_removed = bool(pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN)
        is_link = pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_LINK
        # A link mostly paints nothing; and painting loses the fonts that a page has from the document.
        painting = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0)
        is_painted |= not is_removed and (not is_link or painting > len("\0".encode("utf-16-le")))
        pdfium.FPDFPage_CloseAnnot(annotation)
        if is_removed:
            pdfium.FPDFPage_RemoveAnnot(page, number)
    if is_painted:
        # Drawing makes pdfium paint the fields that come without a painting of their own.
        page.render(scale=0.05).close()
        bounds = page.get_bbox()
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        # It forgets bounds that a page has from the document, as those of TeX have, and makes it a letter sheet.
        page.set_mediabox(*bounds)
        page.set_cropbox(*bounds)
