"""A page as a picture. Runs in the reading child only."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

    from portal.documents.pdf.boxes import Box

# Two pixels per point show the thin strokes of small letters; larger sheets are drawn smaller.
PIXELS_PER_POINT = 2.0
LONGEST_SIDE_PIXELS = 1_800
# Enough of a large letter to tell its colour from its ground.
PIXELS_LOOKED_AT = 200
THIN_PIXELS = 4
# Of a large sheet, not all rows are counted.
_ROWS_LOOKED_AT = 400

Pixel = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of pixels; the last row and column belong to it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_thin(self) -> bool:
        """Whether it is a stroke of a small letter rather than a letter."""
        return min(self.right - self.left, self.bottom - self.top) < THIN_PIXELS


class Drawn:
    """One page drawn once, in colour, as a reader sees it."""

    def __init__(self, page: PdfPage) -> None:
        width, height = page.get_size()
        scale = min(PIXELS_PER_POINT, LONGEST_SIDE_PIXELS / max(width, height, 1.0))
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        self._page = page
        self._width: int = bitmap.width
        self._height: int = bitmap.height
        self._stride: int = bitmap.stride
        self._channels: int = bitmap.n_channels
        self._pixels = bytes(bitmap.buffer)
        bitmap.close()

    def area(self, box: Box) -> Area:
        """The area of `box` in the picture, clipped to it, taking the page's rotation into account."""
        corners = (self._point(box.left, box.bottom), self._point(box.right, box.top))
        columns = sorted(min(max(x, 0), self._width - 1) for x, _ in corners)
        rows = sorted(min(max(y, 0), self._height - 1) for _, y in corners)
        return Area(columns[0], rows[0], columns[1], rows[1])

    def widened(self, area: Area) -> Area:
        """The area with the pixels around it."""
        return Area(
            max(area.left - 1, 0),
            max(area.top - 1, 0),
            min(area.right + 1, self._width - 1),
            min(area.bottom + 1, self._height - 1),
        )

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

    def one_colour(self, area: Area) -> Pixel | None:
        """The colour of the area where it has but one."""
        first = area.top * self._stride + area.left * self._channels
        first_pixel = self._pixels[first : first + self._channels]
        plain_row = first_pixel * (area.right - area.left + 1)
        for row in range(area.top, area.bottom + 1):
            start = row * self._stride + area.left * self._channels
            if self._pixels[start : start + len(plain_row)] != plain_row:
                return None
        return first_pixel[0], first_pixel[1], first_pixel[2]

    def pixels(self, area: Area) -> Iterator[Pixel]:
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

    def _point(self, x: float, y: float) -> tuple[int, int]:
        column, row = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, column, row)
        return column.value, row.value
