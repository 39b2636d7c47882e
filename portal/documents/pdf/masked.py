"""Transparent text whose letters a page shows by a pattern and a mask. Runs in the reading child only.

Browsers print headings in a gradient so: the letters one sees are the edge of a mask, which no program takes for text,
and the text lies over them without any colour. Others let the text be the edge of what is painted next. What is drawn
there has the shape of the letters.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.boxes import Box
from portal.documents.pdf.drawn import Drawn
from portal.documents.pdf.objects import pictures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pypdfium2 import PdfPage

    from portal.documents.pdf.drawn import Area
    from portal.documents.pdf.glyphs import Glyph

# Of the pixels inside and around a letter.
SHARE_OF_A_SHAPE = 0.9
LEAST_CONTRAST = 48
PIXELS_TO_TELL = 4
# With more of them, letters on none are not looked for.
MOST_PICTURES = 200
_INK, _PAPER = 64, 224
_OPAQUE = 255


def masked(page: PdfPage, drawn: Drawn, texts: Sequence[tuple[object, Sequence[Glyph]]]) -> set[int]:
    """The `first` of glyphs of transparent `texts` whose shapes `drawn` shows; nothing that lies on a picture.

    A scan has its letters in a picture, and what a program recognised in it over them.
    """
    images = [picture.bounds for picture in islice(pictures(page), MOST_PICTURES + 1)]
    if len(images) > MOST_PICTURES:
        return set()
    count = pdfium.FPDFPage_CountObjects(page)
    objects = [pdfium.FPDFPage_GetObject(page, place) for place in range(count)]
    with _alone(objects, [handle for handle, _ in texts]):
        shapes = Drawn(page)
    return {
        glyph.first
        for _, glyphs in texts
        for glyph in glyphs
        if not any(glyph.ink.overlaps(image) for image in images) and _has_shape(drawn, shapes, _around(glyph, drawn))
    }


@contextmanager
def _alone(objects: Sequence[object], texts: Sequence[object]) -> Iterator[None]:
    """The page with these texts in black and nothing else, for the body of a `with`."""
    original = [(_colour(text), pdfium.FPDFTextObj_GetTextRenderMode(text)) for text in texts]
    for handle in objects:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    for text in texts:
        pdfium.FPDFPageObj_SetIsActive(text, True)
        pdfium.FPDFPageObj_SetFillColor(text, 0, 0, 0, _OPAQUE)
        pdfium.FPDFTextObj_SetTextRenderMode(text, pdfium.FPDF_TEXTRENDERMODE_FILL)
    try:
        yield
    finally:
        for text, (colour, mode) in zip(texts, original, strict=True):
            pdfium.FPDFPageObj_SetFillColor(text, *colour)
            pdfium.FPDFTextObj_SetTextRenderMode(text, mode)
        for handle in objects:
            pdfium.FPDFPageObj_SetIsActive(handle, True)


def _colour(text: object) -> tuple[int, int, int, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    pdfium.FPDFPageObj_GetFillColor(text, red, green, blue, alpha)
    return red.value, green.value, blue.value, alpha.value


def _around(glyph: Glyph, drawn: Drawn) -> Area:
    box = glyph.ink
    return drawn.area(Box(box.left - 1, box.bottom - 1, box.right + 1, box.top + 1))


def _has_shape(drawn: Drawn, shapes: Drawn, area: Area) -> bool:
    """Whether what is drawn differs from its ground just where the letter would be."""
    inside: list[tuple[int, int, int]] = []
    around: list[tuple[int, int, int]] = []
    for shape, pixel in zip(shapes.pixels(area), drawn.pixels(area), strict=True):
        if max(shape) <= _INK:
            inside.append(pixel)
        elif min(shape) >= _PAPER:
            around.append(pixel)
    if min(len(inside), len(around)) < PIXELS_TO_TELL:
        return False
    ground = sorted(around)[len(around) // 2]
    even = sum(_contrast(pixel, ground) < LEAST_CONTRAST for pixel in around)
    unlike = sum(_contrast(pixel, ground) >= LEAST_CONTRAST for pixel in inside)
    return even >= SHARE_OF_A_SHAPE * len(around) and unlike >= SHARE_OF_A_SHAPE * len(inside)


def _contrast(first: tuple[int, int, int], second: tuple[int, int, int]) -> int:
    return max(abs(channel - other_channel) for channel, other_channel in zip(first, second, strict=True))
