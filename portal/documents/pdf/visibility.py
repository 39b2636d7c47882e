"""Which glyphs of a page a reader sees: take a text away, and see whether the picture changes. In the child only.

A page is drawn as it is and once more without its texts. A glyph whose place looks the same both times is not
seen, for whatever reason: painted in the colour of its ground, under a picture or a shape, transparent, clipped,
in a layer that is off. Texts that overlap are taken away one after the other.
"""

from __future__ import annotations

import ctypes
import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.appearance import alike
from portal.documents.pdf.drawn import Drawn, taken_away
from portal.documents.pdf.objects import Box, font_of, objects_of, text_objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.appearance import Colour
    from portal.documents.pdf.drawn import Area
    from portal.documents.pdf.glyphs import Glyph

SMALLEST_READABLE_POINTS = 2.0
# Squeezed letters are told by their widths, and one may well be an "l".
LETTERS_TO_TELL_WIDTH = 3
THINNEST_STROKE = 0.05  # in sizes of the letters
# In steps of a channel; strokes thinner than a pixel differ by less than their colour does.
SAME_STROKE_WITHIN, SAME_COLOUR_WITHIN = 10, 20
SHARE_OF_A_SHADOW = 0.8  # of the pixels that change
# More texts than this on top of each other are judged together.
MOST_GROUPS, MOST_COMPARED = 6, 200
# Changes of colour along a row, on average; a frame of a table has a few.
PICTURED_FROM = 10.0
SAME_PLACE_WITHIN = 1.5
_TILE_POINTS, MOST_TILES = 24.0, 100
# Of the pixels inside and around a letter that a page shows by a pattern and a mask.
SHARE_OF_A_SHAPE, LEAST_CONTRAST, PIXELS_TO_TELL, MOST_PICTURES = 0.9, 48, 4, 200
_INK, _PAPER, _OPAQUE = 64, 224, 255
_INVISIBLE_MODES = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_STROKED_MODES = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_BOTH_MODES = (pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)

_Paints = tuple[tuple["Colour", float], ...]
"""Colours and their opacity, 0 to 1."""


@dataclass(slots=True)
class _Text:
    """One text object of the page, with those of its glyphs that may be seen, and the box around these."""

    handle: object
    box: Box | None = None
    glyphs: list[Glyph] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(glyph.text for glyph in self.glyphs)

    @property
    def mode(self) -> int:
        """How its letters are painted."""
        return int(pdfium.FPDFTextObj_GetTextRenderMode(self.handle))


def unseen_in(page: PdfPage, texts: PdfTextPage, glyphs: Sequence[Glyph]) -> set[int]:
    """The `first` of every glyph that a reader of the page does not see. Draws the page a few times."""
    sheet = Box(*page.get_bbox())
    hidden = {glyph.first for glyph in glyphs if glyph.surplus or _is_off(glyph, sheet)}
    by_address = {text_object.address: _Text(text_object.handle) for text_object in text_objects(page)}
    for glyph in glyphs:
        entry = by_address.get(glyph.owner.address)
        if entry is not None and not glyph.is_space and glyph.first not in hidden:
            entry.glyphs.append(glyph)
            entry.box = glyph.ink if entry.box is None else entry.box.joined(glyph.ink)
    listed = [entry for entry in by_address.values() if entry.glyphs]
    # Texts that pdfium does not list because they repeat another one: bold letters and shadows are painted twice.
    silent = [entry.handle for entry in by_address.values() if not entry.glyphs]
    drawn = Drawn(page)
    with taken_away(entry.handle for entry in by_address.values()):
        empty = Drawn(page)
    groups = _groups(listed)
    for group in groups:
        bare = empty
        if len(groups) > 1:
            with taken_away([*(entry.handle for entry in group), *silent]):
                bare = Drawn(page)
        for entry in group:
            hidden |= _unseen_of(entry, texts, drawn, bare, empty)
    transparent = [entry for entry in listed if _is_transparent(entry, texts)]
    return hidden - _masked(page, drawn, transparent) if transparent else hidden


def is_pictured(page: PdfPage) -> bool:
    """Whether the page without its texts shows more than bands and frames: a picture, a drawing, drawn letters."""
    with taken_away(text_object.handle for text_object in text_objects(page)):
        return Drawn(page).changes_per_row() >= PICTURED_FROM


def _is_off(glyph: Glyph, sheet: Box) -> bool:
    """Whether more of the glyph is off the page than on it."""
    x, y = (glyph.ink.left + glyph.ink.right) / 2, (glyph.ink.bottom + glyph.ink.top) / 2
    return not glyph.is_space and not (sheet.left <= x <= sheet.right and sheet.bottom <= y <= sheet.top)


def _groups(entries: list[_Text]) -> list[list[_Text]]:
    """The texts in as few groups as needed for no two of a group to overlap; the same text twice stays together."""
    groups: list[list[_Text]] = []
    tiles: dict[tuple[int, int], list[tuple[_Text, Box, int]]] = {}
    for entry in entries:
        box = entry.box
        if box is None:
            continue
        covered = list(_tiles(box))
        taken: set[int] = set()
        own: int | None = None
        for tile in covered:
            for other, other_box, number in tiles.get(tile, [])[:MOST_COMPARED]:
                if number in taken or not other_box.overlaps(box):
                    continue
                if other_box.is_near(box, SAME_PLACE_WITHIN) and other.text == entry.text:
                    own = number
                else:
                    taken.add(number)
        free = (index for index in range(MOST_GROUPS) if index not in taken)
        number = own if own is not None else next(free, MOST_GROUPS - 1)
        while len(groups) <= number:
            groups.append([])
        groups[number].append(entry)
        for tile in covered:
            tiles.setdefault(tile, []).append((entry, box, number))
    return groups


def _tiles(box: Box) -> Iterator[tuple[int, int]]:
    """The parts of the page that the box lies on, no more than there are on a sheet."""
    columns = range(int(box.left // _TILE_POINTS), int(box.right // _TILE_POINTS) + 1)
    rows = range(int(box.bottom // _TILE_POINTS), int(box.top // _TILE_POINTS) + 1)
    return product(columns[:MOST_TILES], rows[:MOST_TILES])


def _unseen_of(entry: _Text, texts: PdfTextPage, drawn: Drawn, bare: Drawn, empty: Drawn) -> set[int]:
    first = entry.glyphs[0].first
    if entry.mode in _INVISIBLE_MODES or _is_tiny(entry, texts, first):
        return {glyph.first for glyph in entry.glyphs}
    paints = _paints_of(texts, first, entry.mode)
    is_embedded = pdfium.FPDFFont_GetIsEmbedded(font_of(entry.handle)) == 1
    unseen = set()
    for glyph in entry.glyphs:
        area = drawn.area(glyph.ink)
        is_changed = drawn.differs(bare, area, SAME_STROKE_WITHIN)
        if not is_changed and _is_stroke(glyph):
            # Letters of bitmap fonts are painted up to a pixel beside their place, which an "l" hardly is wide.
            area = drawn.area(glyph.ink, around=1)
            is_changed = drawn.differs(bare, area, SAME_STROKE_WITHIN)
        if is_changed:
            ground = empty.one_colour(area)
            if ground is None or not _is_like(ground, paints):
                seen = (paints is not None and ground is not None) or drawn.differs(bare, area, SAME_COLOUR_WITHIN)
            else:
                seen = _shows_more(drawn, bare, empty, area)
        elif glyph.ink.width <= 0 or glyph.ink.height <= 0:
            # The font does not say where its glyph is painted, as fonts that draw their glyphs may do.
            size = max(glyph.size for glyph in entry.glyphs)
            seen = entry.box is not None and drawn.differs(
                bare, drawn.area(entry.box.widened(size)), SAME_STROKE_WITHIN
            )
        else:
            # Glyphs that neither the file nor this computer has a font for (often Chinese) are not drawn here
            # but are elsewhere; ASCII always is.
            is_missing = not is_embedded and not glyph.text.isascii()
            seen = is_missing and not _is_like(next(drawn.pixels(area)), paints)
        if not seen:
            unseen.add(glyph.first)
    return unseen


def _shows_more(drawn: Drawn, bare: Drawn, empty: Drawn, area: Area) -> bool:
    """Whether letters in the colour of the paper change it, as those do of which pdfium lists but a pale shadow.

    Otherwise they show as gaps in other letters, if at all.
    """
    pixels = zip(*(picture.pixels(area) for picture in (drawn, bare, empty)), strict=True)
    changed = [(pixel, paper) for pixel, before, paper in pixels if not alike(pixel, before)]
    return sum(not alike(pixel, paper) for pixel, paper in changed) > SHARE_OF_A_SHADOW * len(changed)


def _is_stroke(glyph: Glyph) -> bool:
    """Whether a glyph is thick enough to be a letter or sign, not one squeezed to a line."""
    return min(glyph.ink.width, glyph.ink.height) >= THINNEST_STROKE * glyph.size


def _is_tiny(entry: _Text, texts: PdfTextPage, first: int) -> bool:
    """Smaller than a reader can make out, both as set and as drawn (font size 1 is often scaled up)."""
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFText_GetMatrix(texts, first, matrix):
        return False
    scale = min(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d))
    if abs(pdfium.FPDFText_GetFontSize(texts, first) * scale) >= SMALLEST_READABLE_POINTS:
        return False
    widest = max(glyph.ink.width for glyph in entry.glyphs)
    tallest = max(glyph.ink.height for glyph in entry.glyphs)
    if len(entry.glyphs) >= LETTERS_TO_TELL_WIDTH:
        return min(widest, tallest) < SMALLEST_READABLE_POINTS
    if any(glyph.angle == 0 and glyph.text.isascii() and glyph.text.isalnum() for glyph in entry.glyphs):
        # Any such letter is higher than that, if it can be read.
        return tallest < SMALLEST_READABLE_POINTS
    return max(widest, tallest) < SMALLEST_READABLE_POINTS


def _paints_of(texts: PdfTextPage, index: int, mode: int) -> _Paints | None:
    """The colours the glyphs are painted with and their opacity; None when that cannot be told (patterns)."""
    getters = [pdfium.FPDFText_GetFillColor, pdfium.FPDFText_GetStrokeColor]
    if mode in _STROKED_MODES:
        getters = getters[1:]
    elif mode not in _BOTH_MODES:
        getters = getters[:1]
    paints = []
    for get in getters:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not get(texts, index, red, green, blue, alpha):
            return None
        paints.append(((red.value, green.value, blue.value), alpha.value / _OPAQUE))
    return tuple(paints)


def _is_like(ground: Colour, paints: _Paints | None) -> bool:
    """Whether none of the paints would visibly change the ground."""
    return paints is not None and all(alike(colour, ground, opacity) for colour, opacity in paints)


def _is_transparent(entry: _Text, texts: PdfTextPage) -> bool:
    """Whether a text has no colour at all but may be the edge of something else that is painted."""
    first = entry.glyphs[0].first
    if _is_tiny(entry, texts, first):
        return False
    paints = _paints_of(texts, first, entry.mode) if entry.mode == pdfium.FPDF_TEXTRENDERMODE_FILL else None
    is_clear = paints is not None and all(opacity == 0 for _, opacity in paints)
    return is_clear or entry.mode == pdfium.FPDF_TEXTRENDERMODE_CLIP


def _masked(page: PdfPage, drawn: Drawn, texts: Sequence[_Text]) -> set[int]:
    """The `first` of glyphs of transparent `texts` whose shapes `drawn` shows; nothing that lies on a picture.

    Browsers print headings in a gradient so: the letters one sees are the edge of a mask, which no program takes for
    text, and the text lies over them without any colour. A scan has its letters in a picture, and what a program
    recognised in it over them.
    """
    pictures = objects_of(page, pdfium.FPDF_PAGEOBJ_IMAGE)
    images = [picture.bounds for picture in islice(pictures, MOST_PICTURES + 1)]
    if len(images) > MOST_PICTURES:
        return set()
    with _alone(page, [entry.handle for entry in texts]):
        shapes = Drawn(page)
    return {
        glyph.first
        for entry in texts
        for glyph in entry.glyphs
        if not any(glyph.ink.overlaps(image) for image in images) and _has_shape(drawn, shapes, glyph.ink.widened(1))
    }


@contextmanager
def _alone(page: PdfPage, texts: Sequence[object]) -> Iterator[None]:
    """The page with these texts in black and nothing else, for the body of a `with`."""
    objects = [pdfium.FPDFPage_GetObject(page, place) for place in range(pdfium.FPDFPage_CountObjects(page))]
    original = []
    for text in texts:
        colour = tuple(ctypes.c_uint() for _ in range(4))
        pdfium.FPDFPageObj_GetFillColor(text, *colour)
        original.append(([part.value for part in colour], pdfium.FPDFTextObj_GetTextRenderMode(text)))
    with taken_away(objects):
        for text in texts:
            pdfium.FPDFPageObj_SetIsActive(text, True)
            pdfium.FPDFPageObj_SetFillColor(text, 0, 0, 0, _OPAQUE)
            pdfium.FPDFTextObj_SetTextRenderMode(text, pdfium.FPDF_TEXTRENDERMODE_FILL)
        yield
        for text, (colour_parts, mode) in zip(texts, original, strict=True):
            pdfium.FPDFPageObj_SetFillColor(text, *colour_parts)
            pdfium.FPDFTextObj_SetTextRenderMode(text, mode)


def _has_shape(drawn: Drawn, shapes: Drawn, box: Box) -> bool:
    """Whether what is drawn differs from its ground just where the letter would be."""
    area = drawn.area(box)
    inside, around = [], []
    for shape, pixel in zip(shapes.pixels(area), drawn.pixels(area), strict=True):
        if max(shape) <= _INK:
            inside.append(pixel)
        elif min(shape) >= _PAPER:
            around.append(pixel)
    if min(len(inside), len(around)) < PIXELS_TO_TELL:
        return False
    ground = sorted(around)[len(around) // 2]

    def contrasts(pixel: Colour) -> bool:
        return max(abs(one - other) for one, other in zip(pixel, ground, strict=True)) >= LEAST_CONTRAST

    even = sum(not contrasts(pixel) for pixel in around)
    return even >= SHARE_OF_A_SHAPE * len(around) and sum(map(contrasts, inside)) >= SHARE_OF_A_SHAPE * len(inside)
