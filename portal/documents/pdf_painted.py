"""What a page looks like where a text stands. Runs in the reading child only."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

# One pixel per point shows whether something is there; larger sheets are drawn smaller.
LONGEST_SIDE_PIXELS = 1_600
# Channels (0 to 255) that differ by no more look the same on paper and on a screen.
SAME_COLOUR_WITHIN = 20
# Other text may reach into the surroundings of a hidden one, so not all of them need to have its colour.
SURROUNDED_SHARE = 0.8
SAMPLES_PER_SIDE = 24

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Box:
    """A rectangle in points, in the page's own coordinates (upwards)."""

    left: float
    bottom: float
    right: float
    top: float

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def outside(self, other: Box) -> bool:
        """Whether no point of this box is in `other`."""
        return self.right < other.left or self.left > other.right or self.top < other.bottom or self.bottom > other.top


class Painted:
    """One page drawn once, in colour, as a reader sees it (annotations included)."""

    def __init__(self, page: PdfPage) -> None:
        width, height = page.get_size()
        scale = min(1.0, LONGEST_SIDE_PIXELS / max(width, height, 1.0))
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        self._page = page
        self._width: int = bitmap.width
        self._height: int = bitmap.height
        self._stride: int = bitmap.stride
        self._channels: int = bitmap.n_channels
        self._pixels = bytes(bitmap.buffer)
        bitmap.close()

    def blank(self, box: Box, colours: tuple[Colour, ...]) -> bool:
        """Whether nothing is seen inside `box` although a text in `colours` is said to be painted there.

        A box of one colour throughout shows nothing, unless that is the colour of the text: a bullet or a
        dash may fill its box.
        """
        left, top, right, bottom = self._device(box)
        if right - left < 1 or bottom - top < 1:
            return False
        rows = range(top, bottom + 1)
        length = (right - left + 1) * self._channels
        first = self._pixel(left, top)
        plain = self._pixels[self._offset(left, top) : self._offset(left, top) + self._channels]
        if any(
            self._pixels[self._offset(left, row) : self._offset(left, row) + length] != plain * (right - left + 1)
            for row in rows
        ):
            return False
        return not any(_alike(first, colour) for colour in colours)

    def surrounded(self, box: Box, colours: tuple[Colour, ...]) -> bool:
        """Whether the surroundings of `box` have the colour of the text in it, for all its `colours`."""
        around = [self._pixel(x, y) for x, y in self._ring(self._device(box))]
        least = SURROUNDED_SHARE * len(around)
        return all(sum(_alike(pixel, colour) for pixel in around) >= least for colour in colours)

    def _device(self, box: Box) -> tuple[int, int, int, int]:
        """Left, top, right, bottom in pixels, on the page; rotation of the page is minded."""
        corners = [self._point(box.left, box.bottom), self._point(box.right, box.top)]
        columns = sorted(min(max(x, 0), self._width - 1) for x, _ in corners)
        rows = sorted(min(max(y, 0), self._height - 1) for _, y in corners)
        return columns[0], rows[0], columns[1], rows[1]

    def _point(self, x: float, y: float) -> tuple[int, int]:
        column, row = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, column, row)
        return column.value, row.value

    def _ring(self, device: tuple[int, int, int, int]) -> Iterator[tuple[int, int]]:
        """Points one pixel outside of the rectangle, all around."""
        left, top = max(device[0] - 1, 0), max(device[1] - 1, 0)
        right, bottom = min(device[2] + 1, self._width - 1), min(device[3] + 1, self._height - 1)
        for step in range(SAMPLES_PER_SIDE):
            x = left + (right - left) * step // (SAMPLES_PER_SIDE - 1)
            yield x, top
            yield x, bottom
        for step in range(1, 3):
            y = top + (bottom - top) * step // 3
            yield left, y
            yield right, y

    def _offset(self, x: int, y: int) -> int:
        return y * self._stride + x * self._channels

    def _pixel(self, x: int, y: int) -> Colour:
        offset = self._offset(x, y)
        red, green, blue = self._pixels[offset : offset + 3]
        return red, green, blue


def _alike(first: Colour, second: Colour) -> bool:
    return all(abs(one - other) <= SAME_COLOUR_WITHIN for one, other in zip(first, second, strict=True))
