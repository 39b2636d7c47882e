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
from itertools import product
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium
from PIL import ImageChops
from PIL.Image import Resampling

from portal.documents.notices import alike
from portal.documents.pdf.objects import Box, address_of, font_of, objects_of, text_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PIL.Image import Image
    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.notices import Colour
    from portal.documents.pdf.glyphs import Glyph

# Two pixels per point show the thin strokes of small letters; larger sheets are drawn smaller.
PIXELS_PER_POINT, LONGEST_SIDE_PIXELS = 2.0, 1_800
# Enough of a large letter to tell its colour from its ground.
PIXELS_LOOKED_AT = 200

Area = tuple[int, int, int, int]
"""A rectangle of pixels from its left and top to its right and bottom, these without."""


class Drawn:
    """One page drawn once, in colour, as a reader sees it."""

    def __init__(self, page: PdfPage) -> None:
        width, height = page.get_size()
        scale = min(PIXELS_PER_POINT, LONGEST_SIDE_PIXELS / max(width, height, 1.0))
        self._bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=True)
        self.picture = self._bitmap.to_pil()  # of the same memory
        self._to_pixels = _matrix(page, *self.picture.size)

    def area(self, box: Box, around: int = 0) -> Area:
        """The area of `box` in the picture and so many pixels around it, clipped to the picture."""
        a, b, c, d, e, f = self._to_pixels
        left, right = sorted((a * box.left + c * box.bottom + e, a * box.right + c * box.top + e))
        top, bottom = sorted((b * box.left + d * box.bottom + f, b * box.right + d * box.top + f))
        width, height = self.picture.size
        return (
            min(max(int(left) - around, 0), width - 1),
            min(max(int(top) - around, 0), height - 1),
            min(max(int(right) + around + 1, 1), width),
            min(max(int(bottom) + around + 1, 1), height),
        )

    def changes_to(self, other: Drawn) -> Image:
        """In grey, by how much the channel of each pixel differs that differs most from another drawing of the page."""
        red, green, blue, _ = ImageChops.difference(self.picture, other.picture).split()
        return ImageChops.lighter(ImageChops.lighter(red, green), blue)

    def one_colour(self, area: Area) -> Colour | None:
        """The colour of the area where it has but one."""
        colours = self.picture.crop(area).getcolors(1)
        return None if colours is None else colours[0][1][:3]

    def pixels(self, area: Area) -> Sequence[Colour]:
        """The pixels of the area, row by row; of a large one, some of them, always the same."""
        cut = self.picture.crop(area)
        step = max(1, math.isqrt(cut.width * cut.height // PIXELS_LOOKED_AT))
        some = cut.resize((-(-cut.width // step), -(-cut.height // step)), Resampling.NEAREST)
        red, green, blue = (band.tobytes() for band in some.split()[:3])
        return list(zip(red, green, blue, strict=True))


def _most_in(changes: Image, area: Area) -> float:
    return changes.crop(area).getextrema()[1]  # type: ignore[return-value]  # it has one channel


def _matrix(page: PdfPage, width: int, height: int) -> tuple[float, float, float, float, float, float]:
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


SMALLEST_READABLE_POINTS = 2.0
# Squeezed letters are told by their widths, and one may well be an "l".
LETTERS_TO_TELL_WIDTH = 3
THINNEST_STROKE = 0.05  # in sizes of the letters
# In steps of a channel; strokes thinner than a pixel differ by less than their colour does.
SAME_STROKE_WITHIN, SAME_COLOUR_WITHIN = 10, 20
SHARE_OF_A_SHADOW = 0.8  # of the pixels that change
# More texts than this on top of each other are judged together.
MOST_GROUPS, MOST_COMPARED = 6, 200
SAME_PLACE_WITHIN = 1.5
_TILE_POINTS, MOST_TILES = 24.0, 100
# What makes a page a picture: pictures on that share of it, or as many lines and areas as drawn letters have.
PICTURED_SHARE, SHAPES_OF_A_DRAWING = 0.3, 300
_INVISIBLE_MODES = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_STROKED_MODES = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)

_Paint = tuple["Colour", float]
"""A colour and its opacity, 0 to 1."""


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


def unseen_in(page: PdfPage, texts: PdfTextPage, glyphs: Sequence[Glyph]) -> set[int]:
    """The `first` of every glyph that a reader of the page does not see. Draws the page a few times."""
    sheet = Box(*page.get_bbox())
    hidden = {glyph.first for glyph in glyphs if glyph.surplus or _is_off(glyph, sheet)}
    by_address = {address_of(handle): _Text(handle) for handle in text_objects(page)}
    for glyph in glyphs:
        entry = by_address.get(glyph.owner.address)
        if entry is not None and not glyph.is_space and glyph.first not in hidden:
            entry.glyphs.append(glyph)
            entry.box = glyph.ink if entry.box is None else entry.box.joined(glyph.ink)
    # Texts that pdfium does not list because they repeat another one: bold letters and shadows are painted twice.
    silent = [entry.handle for entry in by_address.values() if not entry.glyphs]
    drawn = Drawn(page)
    with taken_away(entry.handle for entry in by_address.values()):
        empty = Drawn(page)
    groups = _groups([entry for entry in by_address.values() if entry.glyphs])
    for group in groups:
        bare = empty
        if len(groups) > 1:
            with taken_away([*(entry.handle for entry in group), *silent]):
                bare = Drawn(page)
        changes = drawn.changes_to(bare)
        for entry in group:
            hidden |= _unseen_of(entry, texts, drawn, bare, empty, changes)
    return hidden


def is_pictured(page: PdfPage) -> bool:
    """Whether the page shows a picture or drawn letters besides its texts, rather than bands and frames."""
    sheet, area = Box(*page.get_bbox()), 0.0
    for picture in objects_of(page, pdfium.FPDF_PAGEOBJ_IMAGE):
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        pdfium.FPDFPageObj_GetBounds(picture, left, bottom, right, top)
        area += (right.value - left.value) * (top.value - bottom.value)
    shapes = sum(1 for _ in objects_of(page, pdfium.FPDF_PAGEOBJ_PATH))
    return area >= PICTURED_SHARE * sheet.width * sheet.height or shapes >= SHAPES_OF_A_DRAWING


def _is_off(glyph: Glyph, sheet: Box) -> bool:
    x, y = (glyph.ink.left + glyph.ink.right) / 2, (glyph.ink.bottom + glyph.ink.top) / 2
    return not glyph.is_space and not (sheet.left <= x <= sheet.right and sheet.bottom <= y <= sheet.top)


def _groups(entries: list[_Text]) -> list[list[_Text]]:
    """The texts in as few groups as needed for no two of a group to overlap; the same text twice stays together."""
    groups: list[list[_Text]] = []
    tiles: dict[tuple[int, int], list[tuple[_Text, Box, int]]] = {}
    for entry in entries:
        box = entry.box or entry.glyphs[0].ink
        taken: set[int] = set()
        own: int | None = None
        for tile in _tiles(box):
            for other, other_box, number in tiles.get(tile, [])[:MOST_COMPARED]:
                if number not in taken and other_box.overlaps(box):
                    is_here = all(abs(one - two) <= SAME_PLACE_WITHIN for one, two in zip(box, other_box, strict=True))
                    if is_here and other.text == entry.text:
                        own = number
                    else:
                        taken.add(number)
        free = (index for index in range(MOST_GROUPS) if index not in taken)
        number = own if own is not None else next(free, MOST_GROUPS - 1)
        groups += [[] for _ in range(number + 1 - len(groups))]
        groups[number].append(entry)
        for tile in _tiles(box):
            tiles.setdefault(tile, []).append((entry, box, number))
    return groups


def _tiles(box: Box) -> Iterator[tuple[int, int]]:
    columns = range(int(box.left // _TILE_POINTS), int(box.right // _TILE_POINTS) + 1)
    rows = range(int(box.bottom // _TILE_POINTS), int(box.top // _TILE_POINTS) + 1)
    return product(columns[:MOST_TILES], rows[:MOST_TILES])


def _unseen_of(entry: _Text, texts: PdfTextPage, drawn: Drawn, bare: Drawn, empty: Drawn, changes: Image) -> set[int]:
    mode, first = pdfium.FPDFTextObj_GetTextRenderMode(entry.handle), entry.glyphs[0].first
    if mode in _INVISIBLE_MODES or _is_tiny(entry, texts):
        return {glyph.first for glyph in entry.glyphs}
    paint = _paint_of(texts, first, is_stroked=mode in _STROKED_MODES)
    is_embedded = pdfium.FPDFFont_GetIsEmbedded(font_of(entry.handle)) == 1
    unseen = set()
    for glyph in entry.glyphs:
        area = drawn.area(glyph.ink)
        change = _most_in(changes, area)
        if change <= SAME_STROKE_WITHIN and min(glyph.ink.width, glyph.ink.height) >= THINNEST_STROKE * glyph.size:
            # Letters of bitmap fonts are painted up to a pixel beside their place, which an "l" hardly is wide.
            area = drawn.area(glyph.ink, around=1)
            change = _most_in(changes, area)
        if change > SAME_STROKE_WITHIN:
            ground = empty.one_colour(area)
            if ground is None or paint is None:
                seen = change > SAME_COLOUR_WITHIN
            else:
                seen = not _is_like(ground, paint) or _shows_more(drawn, bare, empty, area)
        elif min(glyph.ink.width, glyph.ink.height) <= 0:
            # The font does not say where its glyph is painted, as fonts that draw their glyphs may do.
            left, bottom, right, top = entry.box or glyph.ink
            around = Box(left - glyph.size, bottom - glyph.size, right + glyph.size, top + glyph.size)
            seen = _most_in(changes, drawn.area(around)) > SAME_STROKE_WITHIN
        else:
            # Glyphs that neither the file nor this computer has a font for (often Chinese) are not drawn here
            # but are elsewhere; ASCII always is.
            is_missing = not is_embedded and not glyph.text.isascii()
            seen = is_missing and paint is not None and not _is_like(drawn.pixels(area)[0], paint)
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


def _is_tiny(entry: _Text, texts: PdfTextPage) -> bool:
    """Smaller than a reader can make out, both as set and as drawn (font size 1 is often scaled up)."""
    matrix, first = pdfium.FS_MATRIX(), entry.glyphs[0].first
    if not pdfium.FPDFText_GetMatrix(texts, first, matrix):
        return False
    scale = min(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d))
    if abs(pdfium.FPDFText_GetFontSize(texts, first) * scale) >= SMALLEST_READABLE_POINTS:
        return False
    widest = max(glyph.ink.width for glyph in entry.glyphs)
    tallest = max(glyph.ink.height for glyph in entry.glyphs)
    if len(entry.glyphs) >= LETTERS_TO_TELL_WIDTH:
        return min(widest, tallest) < SMALLEST_READABLE_POINTS
    # Any letter is higher than that, if it can be read.
    has_letters = any(glyph.angle == 0 and glyph.text.isascii() and glyph.text.isalnum() for glyph in entry.glyphs)
    return (tallest if has_letters else max(widest, tallest)) < SMALLEST_READABLE_POINTS


def _paint_of(texts: PdfTextPage, index: int, *, is_stroked: bool) -> _Paint | None:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    get = pdfium.FPDFText_GetStrokeColor if is_stroked else pdfium.FPDFText_GetFillColor
    is_known = get(texts, index, red, green, blue, alpha)
    return ((red.value, green.value, blue.value), alpha.value / 255) if is_known else None


def _is_like(ground: Colour, paint: _Paint) -> bool:
    colour, opacity = paint
    return alike(colour, ground, opacity)
