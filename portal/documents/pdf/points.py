"""Texts of no height or no width, which pdfium does not list: letters of size 0. Runs in the reading child only."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.objects import text_objects

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

    from portal.documents.pdf.objects import Matrix

READABLE_POINTS = 8.0
LINE_POINTS = 12.0
BESIDE_THE_PAGE = 100.0
SMALLEST_AREA = 1e-6


def put_points_beside_the_page(page: PdfPage) -> None:
    """Move every text that is no more than a point or a line off the page, each on a line of its own.

    There it is hidden as well, but can be read, and so shown as hidden. To be done before the texts are listed.
    """
    points = [text for text in text_objects(page) if _is_point(text.handle)]
    left, bottom, _, _ = page.get_bbox()
    for place, text in enumerate(reversed(points), start=1):
        pdfium.FPDFTextObj_SetFontSize(text.handle, READABLE_POINTS)
        below = bottom - BESIDE_THE_PAGE - LINE_POINTS * place
        pdfium.FPDFPageObj_SetMatrix(text.handle, _upright_at(left, below, text.matrix))


def _upright_at(x: float, y: float, drawing: Matrix) -> pdfium.FS_MATRIX:
    """What puts a text at this place of the page, upright and in its own size, through the matrix of its drawing."""
    a, b, c, d, e, f = drawing
    area = a * d - b * c
    if abs(area) < SMALLEST_AREA:  # the drawing is a point or a line itself, wherever its texts are
        return pdfium.FS_MATRIX(1, 0, 0, 1, x, y)
    right, up = x - e, y - f
    return pdfium.FS_MATRIX(
        d / area, -b / area, -c / area, a / area, (d * right - c * up) / area, (a * up - b * right) / area
    )


def _is_point(text: object) -> bool:
    """Whether the letters have size 0, or a matrix that squeezes them to a point or a line."""
    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    pdfium.FPDFTextObj_GetFontSize(text, size)
    if not pdfium.FPDFPageObj_GetMatrix(text, matrix):
        return False
    area: float = size.value * (matrix.a * matrix.d - matrix.b * matrix.c)
    return abs(area) < SMALLEST_AREA
