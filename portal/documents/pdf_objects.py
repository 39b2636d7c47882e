"""The text objects of a PDF page, those inside of drawings included. Runs in the reading child only."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf_boxes import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

DEEPEST_DRAWING = 16


@dataclass(frozen=True, slots=True)
class TextObject:
    """One text object: pdfium's handle, and the address of the drawing it is in (0 for the page itself)."""

    handle: object
    parent: int

    @property
    def address(self) -> int:
        """Tells it from all others of the page."""
        return address_of(self.handle)

    @property
    def bounds(self) -> Box:
        """Where it is, in the coordinates of its drawing."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        pdfium.FPDFPageObj_GetBounds(self.handle, left, bottom, right, top)
        return Box(left.value, bottom.value, right.value, top.value)


def text_objects(page: PdfPage) -> Iterator[TextObject]:
    """All text objects of a page."""
    pending = [(pdfium.FPDFPage_GetObject(page, place), 0, 0) for place in range(pdfium.FPDFPage_CountObjects(page))]
    while pending:
        handle, parent, depth = pending.pop()
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield TextObject(handle, parent)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST_DRAWING:
            inside = range(pdfium.FPDFFormObj_CountObjects(handle))
            own = address_of(handle)
            pending += [(pdfium.FPDFFormObj_GetObject(handle, place), own, depth + 1) for place in inside]


def address_of(handle: object) -> int:
    """The address behind a handle of pdfium; 0 for none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0  # type: ignore[arg-type]  # a pointer
