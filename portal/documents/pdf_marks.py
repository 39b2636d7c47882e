"""What a PDF page shows beyond its content, and says beyond what it shows. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf_objects import text_objects

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# What a program that reads aloud is to say instead of the text that stands there.
_CLAIM = b"ActualText"


def put_fields_on_the_page(page: PdfPage) -> None:
    """Make what was filled into a form, and notes written on the page, part of its content, as far as they show.

    Takes effect when the page is opened again.
    """
    if pdfium.FPDFPage_GetAnnotCount(page) == 0:
        return
    # Drawing makes pdfium paint the fields that come without a painting of their own.
    page.render(scale=0.05).close()
    pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)


def without_claims(page: PdfPage) -> None:
    """Take away what marked texts claim to read as: a reader sees what stands there, and so does the matcher."""
    for found in text_objects(page):
        for number in reversed(range(pdfium.FPDFPageObj_CountMarks(found.handle))):
            mark = pdfium.FPDFPageObj_GetMark(found.handle, number)
            if mark and _claims(mark):
                pdfium.FPDFPageObj_RemoveMark(found.handle, mark)


def _claims(mark: object) -> bool:
    kind: int = pdfium.FPDFPageObjMark_GetParamValueType(mark, _CLAIM)
    return kind != int(pdfium.FPDF_OBJECT_UNKNOWN)
