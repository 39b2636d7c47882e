"""Texts, shapes and pictures of a PDF page, those inside of drawings included. Runs in the reading child only."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

DEEPEST_DRAWING = 16
MOST_OBJECTS = 200_000
LONGEST_NAME = 200  # bytes
Matrix = tuple[float, float, float, float, float, float]
_AS_IT_IS: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class Box:
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

    def widened(self, points: float) -> Box:
        """The box with so much around it."""
        return Box(self.left - points, self.bottom - points, self.right + points, self.top + points)

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def is_near(self, other: Box, within: float) -> bool:
        """Whether all edges of the two are in about the same place."""
        return (
            abs(self.left - other.left) <= within
            and abs(self.right - other.right) <= within
            and abs(self.bottom - other.bottom) <= within
            and abs(self.top - other.top) <= within
        )


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


def text_objects(page: PdfPage) -> list[PageObject]:
    """All text objects of a page, in the order in which they are painted."""
    return list(objects_of(page, pdfium.FPDF_PAGEOBJ_TEXT))[::-1]


def objects_of(page: PdfPage, *kinds: int) -> Iterator[PageObject]:
    """The objects of some kinds, the last one first; no more than any page of a resume has."""
    count = pdfium.FPDFPage_CountObjects(page)
    pending = [(pdfium.FPDFPage_GetObject(page, place), _AS_IT_IS, 0) for place in range(min(count, MOST_OBJECTS))]
    seen = 0
    while pending and seen < MOST_OBJECTS:
        seen += 1
        handle, matrix, depth = pending.pop()
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind in kinds:
            yield PageObject(handle, matrix)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST_DRAWING:
            inner = _times(_matrix_of(handle), matrix)
            inside = range(min(pdfium.FPDFFormObj_CountObjects(handle), MOST_OBJECTS - seen))
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


def font_of(text: object) -> object:
    """The font of a text object; None for none."""
    return pdfium.FPDFTextObj_GetFont(text) if text else None


def name_of(font: object) -> str:
    """The name of a font; "" where it has none, or one longer than any."""
    name = ctypes.create_string_buffer(LONGEST_NAME)
    length = pdfium.FPDFFont_GetBaseFontName(font, name, LONGEST_NAME) if font else 0
    return name.value.decode("utf-8", "replace") if 0 < length <= LONGEST_NAME else ""
