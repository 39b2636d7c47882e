"""Texts, shapes and pictures of a PDF page, those inside of drawings included. Runs in the reading child only."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.boxes import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

DEEPEST_DRAWING = 16


Matrix = tuple[float, float, float, float, float, float]
_AS_IT_IS: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class PageObject:
    """One text, shape or picture: pdfium's handle, and how the drawing it is in is put on the page."""

    handle: object
    matrix: Matrix

    @property
    def address(self) -> int:
        """Identifies the object among all others of the page."""
        return address_of(self.handle)

    @property
    def bounds(self) -> Box:
        """Where it is on the page."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        pdfium.FPDFPageObj_GetBounds(self.handle, left, bottom, right, top)
        a, b, c, d, e, f = self.matrix
        corners = [(x, y) for x in (left.value, right.value) for y in (bottom.value, top.value)]
        columns = [a * x + c * y + e for x, y in corners]
        rows = [b * x + d * y + f for x, y in corners]
        return Box(min(columns), min(rows), max(columns), max(rows))


def text_objects(page: PdfPage) -> Iterator[PageObject]:
    """All text objects of a page, the last one first."""
    return _objects(page, pdfium.FPDF_PAGEOBJ_TEXT)


def painting_order(page: PdfPage) -> dict[int, int]:
    """For every text object of a page, by its address, how many are painted before it."""
    last_first = [text_object.address for text_object in text_objects(page)]
    return {address: place for place, address in enumerate(reversed(last_first))}


def shapes(page: PdfPage) -> Iterator[PageObject]:
    """All lines, areas and pictures of a page."""
    return _objects(page, pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE)


def pictures(page: PdfPage) -> Iterator[PageObject]:
    """All pictures of a page."""
    return _objects(page, pdfium.FPDF_PAGEOBJ_IMAGE)


def _objects(page: PdfPage, *kinds: int) -> Iterator[PageObject]:
    count = pdfium.FPDFPage_CountObjects(page)
    pending = [(pdfium.FPDFPage_GetObject(page, place), _AS_IT_IS, 0) for place in range(count)]
    while pending:
        handle, matrix, depth = pending.pop()
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind in kinds:
            yield PageObject(handle, matrix)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST_DRAWING:
            inner = _times(_matrix_of(handle), matrix)
            inside = range(pdfium.FPDFFormObj_CountObjects(handle))
            pending += [(pdfium.FPDFFormObj_GetObject(handle, place), inner, depth + 1) for place in inside]


def _matrix_of(handle: object) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(handle, matrix):
        return _AS_IT_IS
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _times(first: Matrix, second: Matrix) -> Matrix:
    """The transformation that applies `first` and then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def address_of(handle: object) -> int:
    """The address behind a handle of pdfium; 0 for none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0  # type: ignore[arg-type]  # a pointer


def font_of(text: object) -> tuple[int, int]:
    """The address of the font of a text; and once more, or 0 if it has no name: browsers write one font as several."""
    font = pdfium.FPDFTextObj_GetFont(text) if text else None
    address = address_of(font)
    return address, address if font and pdfium.FPDFFont_GetBaseFontName(font, None, 0) > 1 else 0
