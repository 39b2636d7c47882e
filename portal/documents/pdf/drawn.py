"""A page as a picture. Runs in the reading child only."""

from __future__ import annotations

import ctypes
import math
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pypdfium2 import PdfPage

    from portal.documents.appearance import Colour
    from portal.documents.pdf.objects import Box

# Two pixels per point show the thin strokes of small letters; larger sheets are drawn smaller.
PIXELS_PER_POINT, LONGEST_SIDE_PIXELS = 2.0, 1_800
# Enough of a large letter to tell its colour from its ground.
PIXELS_LOOKED_AT = 200
# Of a large sheet, not all rows are counted.
_ROWS_LOOKED_AT = 400


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of pixels; the last row and column belong to it."""

    left: int
    top: int
    right: int
    bottom: int


class Drawn:
    """One page drawn once, in colour, as a reader sees it."""

    def __init__(self, page: PdfPage) -> None:
        width, height = page.get_size()
        scale = min(PIXELS_PER_POINT, LONGEST_SIDE_PIXELS / max(width, height, 1.0))
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        self._width: int = bitmap.width
        self._height: int = bitmap.height
        self._stride: int = bitmap.stride
        self._channels: int = bitmap.n_channels
        self._pixels = bytes(bitmap.buffer)
        bitmap.close()
        self._to_pixels = _matrix(page, self._width, self._height)

    def area(self, box: Box, around: int = 0) -> Area:
        """The area of `box` in the picture and so many pixels around it, clipped to the picture."""
        a, b, c, d, e, f = self._to_pixels
        columns = sorted((a * box.left + c * box.bottom + e, a * box.right + c * box.top + e))
        rows = sorted((b * box.left + d * box.bottom + f, b * box.right + d * box.top + f))
        left, right = (
            min(max(int(x) + side, 0), self._width - 1) for x, side in zip(columns, (-around, around), strict=True)
        )
        top, bottom = (
            min(max(int(y) + side, 0), self._height - 1) for y, side in zip(rows, (-around, around), strict=True)
        )
        return Area(left, top, right, bottom)

    def differs(self, other: Drawn, area: Area, more_than: int) -> bool:
        """Whether a channel of a pixel of the area differs by more than that from another drawing of the page."""
        for row in range(area.top, area.bottom + 1):
            start = row * self._stride + area.left * self._channels
            end = start + (area.right - area.left + 1) * self._channels
            own_row, other_row = self._pixels[start:end], other._pixels[start:end]
            if own_row != other_row and any(
                abs(channel - other_channel) > more_than
                for channel, other_channel in zip(own_row, other_row, strict=True)
            ):
                return True
        return False

    def one_colour(self, area: Area) -> Colour | None:
        """The colour of the area where it has but one."""
        first = area.top * self._stride + area.left * self._channels
        pixel = self._pixels[first : first + self._channels]
        plain_row = pixel * (area.right - area.left + 1)
        for row in range(area.top, area.bottom + 1):
            start = row * self._stride + area.left * self._channels
            if self._pixels[start : start + len(plain_row)] != plain_row:
                return None
        return pixel[0], pixel[1], pixel[2]

    def pixels(self, area: Area) -> Iterator[Colour]:
        """The pixels of the area, row by row; of a large one, some of them, always the same."""
        columns, rows = area.right - area.left + 1, area.bottom - area.top + 1
        step = max(1, math.isqrt(columns * rows // PIXELS_LOOKED_AT))
        for row in range(area.top, area.bottom + 1, step):
            for column in range(area.left, area.right + 1, step):
                offset = row * self._stride + column * self._channels
                red, green, blue = self._pixels[offset : offset + 3]
                yield red, green, blue

    def changes_per_row(self) -> float:
        """How often the colour changes along a row, on average: often in pictures and letters, hardly in bands."""
        width = self._width * self._channels
        rows = range(0, self._height, max(1, self._height // _ROWS_LOOKED_AT))
        changes = 0
        for row in rows:
            line = self._pixels[row * self._stride : row * self._stride + width]
            if line != line[: self._channels] * self._width:
                changes += sum(
                    line[offset : offset + self._channels] != line[offset - self._channels : offset]
                    for offset in range(self._channels, width, self._channels)
                )
        return changes / len(rows)


def _matrix(page: PdfPage, width: int, height: int) -> tuple[float, float, float, float, float, float]:
    """What turns a place on the page into a pixel, the rotation of the page included."""
    far = 10_000

    def pixel(x: float, y: float) -> tuple[int, int]:
        column, row = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, column, row)
        return column.value, row.value

    (e, f), (right, below), (across, up) = pixel(0, 0), pixel(far, 0), pixel(0, far)
    return (right - e) / far, (below - f) / far, (across - e) / far, (up - f) / far, e, f


@contextmanager
def taken_away(handles: Iterable[object]) -> Iterator[None]:
    """The page without these objects, for the body of a `with`."""
    handles = list(handles)
    for handle in handles:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    try:
        yield
    finally:
        for handle in handles:
            pdfium.FPDFPageObj_SetIsActive(handle, True)
