"""Underscores that a page draws as a short bar between letters. Runs in the reading child only.

TeX does so where its font has none: io_uring is "io", a bar and "uring".
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.objects import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pypdfium2 import PdfPage

    from portal.documents.pdf.boxes import Box

# In points; longer bars underline, and there are pages of ten thousands of small shapes.
LONGEST, HIGHEST = 20.0, 2.0
MOST_SHAPES = 20_000
# In sizes of the letters.
WIDTH = (0.2, 0.8)
GAP = (0.25, 0.9)
REACHES_OVER = 0.1
SAME_BASE_WITHIN = 0.1
BELOW_BASE, ABOVE_BASE = 0.3, 0.1
_TILE_POINTS = 8.0


def with_underscores(page: PdfPage, glyphs: list[Glyph]) -> list[Glyph]:
    """The glyphs, with an underscore where a bar fills the gap between two letters at the foot of their line."""
    bars: dict[int, list[Box]] = {}
    for shape in islice(shapes(page), MOST_SHAPES):
        bounds = shape.bounds
        if bounds.top - bounds.bottom <= HIGHEST and bounds.right - bounds.left <= LONGEST:
            bars.setdefault(int(bounds.top // _TILE_POINTS), []).append(bounds)
    if not bars:
        return glyphs
    result: list[Glyph] = []
    for glyph in glyphs:
        if result and not glyph.is_space and not result[-1].is_space:
            result += _between(result[-1], glyph, bars)
        result.append(glyph)
    return result


def _between(last: Glyph, glyph: Glyph, bars: dict[int, list[Box]]) -> Iterator[Glyph]:
    size = last.size
    is_beside = last.angle == glyph.angle == 0 and abs(last.base - glyph.base) <= SAME_BASE_WITHIN * size
    if not (is_beside and GAP[0] * size <= glyph.start - last.end <= GAP[1] * size):
        return
    tile = int(last.base // _TILE_POINTS)
    for bar in (bar for row in (tile - 1, tile, tile + 1) for bar in bars.get(row, ())):
        if (
            WIDTH[0] * size <= bar.right - bar.left <= WIDTH[1] * size
            and last.end - REACHES_OVER * size <= bar.left
            and bar.right <= glyph.start + REACHES_OVER * size
            and last.base - BELOW_BASE * size <= bar.bottom
            and bar.top <= last.base + ABOVE_BASE * size
        ):
            # It is as hidden as the letter before it, and of no text object.
            yield Glyph("_", last.first, 0, bar, bar, bar.left, bar.right, last.base, size, last.angle)
            return
