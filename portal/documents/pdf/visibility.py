"""Which glyphs of a page a reader sees: take a text away, and see whether the picture changes. In the child only.

A page is drawn as it is and once more without its texts. A glyph whose place looks the same both times is not
seen, for whatever reason: painted in the colour of its ground, under a picture or a shape, transparent, clipped,
in a layer that is off. Texts that overlap are taken away one after the other.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.pdf.boxes import Box
from portal.documents.pdf.drawn import Drawn
from portal.documents.pdf.masked import masked
from portal.documents.pdf.objects import text_objects
from portal.documents.pdf.paints import is_like, only_erases, paints_of, stands_out
from portal.documents.pdf.piled import blotted, piled_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.pdf.drawn import Area
    from portal.documents.pdf.glyphs import Glyph

SMALLEST_READABLE_POINTS = 2.0
# Squeezed letters are told by their widths, and one may well be an "l".
LETTERS_TO_TELL_WIDTH = 3
# In sizes of the letters.
THINNEST_STROKE = 0.05
# Strokes thinner than a pixel differ by less than their colour does.
SAME_STROKE_WITHIN = 10
# More texts than this on top of each other are judged together.
MOST_GROUPS = 6
# Changes of colour along a row, on average; a frame of a table has a few.
PICTURED_FROM = 10.0
MOST_COMPARED = 200
SAME_PLACE_WITHIN = 1.5
# How far a shadow stands off its text, as a share of the higher one of the two.
SHADOW_WITHIN = 0.5
_TILE_POINTS = 24.0
MOST_TILES = 100

_INVISIBLE_MODES = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)


@dataclass(slots=True)
class _Text:
    """One text object of the page, with those of its glyphs that may be seen."""

    handle: object
    bounds: Box
    glyphs: list[Glyph] = field(default_factory=list)
    box: Box | None = None

    def is_twin_of(self, other: _Text) -> bool:
        """Whether the two are alike and in one place, but for the distance of a shadow."""
        own_bounds, other_bounds = self.bounds, other.bounds
        across, up = own_bounds.left - other_bounds.left, own_bounds.bottom - other_bounds.bottom
        moved = Box(
            other_bounds.left + across, other_bounds.bottom + up, other_bounds.right + across, other_bounds.top + up
        )
        farthest = max(
            SAME_PLACE_WITHIN,
            SHADOW_WITHIN * min(own_bounds.top - own_bounds.bottom, own_bounds.right - own_bounds.left),
        )
        return max(abs(across), abs(up)) <= farthest and _in_one_place(own_bounds, moved)

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(glyph.text for glyph in self.glyphs)


def unseen_in(page: PdfPage, texts: PdfTextPage, glyphs: list[Glyph]) -> set[int]:
    """The `first` of every glyph that a reader of the page does not see. Draws the page a few times."""
    sheet = Box(*page.get_bbox())
    hidden = {glyph.first for glyph in glyphs if glyph.surplus or _is_off(glyph, sheet)} | piled_up(glyphs)
    by_address = {
        text_object.address: _Text(text_object.handle, text_object.bounds) for text_object in text_objects(page)
    }
    for glyph in glyphs:
        entry = by_address.get(glyph.owner)
        if entry is not None and not glyph.is_space and glyph.first not in hidden:
            entry.glyphs.append(glyph)
            entry.box = glyph.ink if entry.box is None else entry.box.joined(glyph.ink)
    listed = [entry for entry in by_address.values() if entry.glyphs]
    silent = [entry for entry in by_address.values() if not entry.glyphs]
    drawn = Drawn(page)
    groups = _groups(listed)
    empty = None
    if len(groups) > 1:
        with _taken_away(by_address.values()):
            empty = Drawn(page)
    for group in groups:
        with _taken_away([*group, *_twins(group, silent)]):
            bare = Drawn(page)
        for entry in group:
            hidden |= _unseen_of(entry, texts, drawn, bare, empty)
    transparent = [(entry.handle, entry.glyphs) for entry in listed if _is_transparent(entry, texts)]
    if transparent:
        hidden -= masked(page, drawn, transparent)
    return hidden | blotted([glyph for glyph in glyphs if glyph.first not in hidden])


def is_pictured(page: PdfPage) -> bool:
    """Whether the page without its texts shows more than bands and frames: a picture, a drawing, drawn letters."""
    with _taken_away([_Text(text_object.handle, text_object.bounds) for text_object in text_objects(page)]):
        return Drawn(page).changes_per_row() >= PICTURED_FROM


def _is_off(glyph: Glyph, sheet: Box) -> bool:
    """Whether more of the glyph is off the page than on it."""
    x, y = (glyph.ink.left + glyph.ink.right) / 2, (glyph.ink.bottom + glyph.ink.top) / 2
    return not glyph.is_space and Box(x, y, x, y).outside(sheet)


@contextmanager
def _taken_away(entries: Iterable[_Text]) -> Iterator[None]:
    """The page without these texts, for the body of a `with`."""
    handles = [entry.handle for entry in entries]
    for handle in handles:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    try:
        yield
    finally:
        for handle in handles:
            pdfium.FPDFPageObj_SetIsActive(handle, True)


def _groups(entries: list[_Text]) -> list[list[_Text]]:
    """The texts in as few groups as needed for no two of a group to overlap; the same text twice stays together."""
    groups: list[list[_Text]] = []
    tiles: dict[tuple[int, int], list[tuple[_Text, int]]] = {}
    for entry in entries:
        box = entry.box or entry.bounds
        covered = list(_tiles(box))
        taken: set[int] = set()
        own: int | None = None
        for tile in covered:
            for other, number in tiles.get(tile, [])[:MOST_COMPARED]:
                if number in taken or other.box is None or not other.box.overlaps(box):
                    continue
                if _in_one_place(other.box, box) and other.text == entry.text:
                    own = number
                else:
                    taken.add(number)
        number = (
            own
            if own is not None
            else next((index for index in range(MOST_GROUPS) if index not in taken), MOST_GROUPS - 1)
        )
        while len(groups) <= number:
            groups.append([])
        groups[number].append(entry)
        for tile in covered:
            tiles.setdefault(tile, []).append((entry, number))
    return groups


def _tiles(box: Box) -> Iterator[tuple[int, int]]:
    """The parts of the page that the box lies on, no more than there are on a sheet."""
    columns = range(int(box.left // _TILE_POINTS), int(box.right // _TILE_POINTS) + 1)
    rows = range(int(box.bottom // _TILE_POINTS), int(box.top // _TILE_POINTS) + 1)
    return product(columns[:MOST_TILES], rows[:MOST_TILES])


def _twins(group: list[_Text], silent: list[_Text]) -> list[_Text]:
    """Texts that pdfium does not list because they repeat one of the group: bold letters are often painted twice."""
    if not silent:
        return []
    places: dict[tuple[int, int], list[_Text]] = {}
    for entry in group:
        places.setdefault(_spot(entry.bounds), []).append(entry)
    return [entry for entry in silent if any(map(entry.is_twin_of, _near(places, entry)))]


def _near(places: dict[tuple[int, int], list[_Text]], entry: _Text) -> Iterator[_Text]:
    # No shadow is farther away than the next tile.
    column, row = _spot(entry.bounds)
    for x, y in product((-1, 0, 1), repeat=2):
        yield from places.get((column + x, row + y), [])[:MOST_COMPARED]


def _spot(box: Box) -> tuple[int, int]:
    return int(box.left // _TILE_POINTS), int(box.bottom // _TILE_POINTS)


def _in_one_place(first: Box, second: Box) -> bool:
    return all(
        abs(edge - other_edge) <= SAME_PLACE_WITHIN
        for edge, other_edge in (
            (first.left, second.left),
            (first.right, second.right),
            (first.bottom, second.bottom),
            (first.top, second.top),
        )
    )


def _unseen_of(entry: _Text, texts: PdfTextPage, drawn: Drawn, bare: Drawn, empty: Drawn | None) -> set[int]:
    mode = pdfium.FPDFTextObj_GetTextRenderMode(entry.handle)
    first = entry.glyphs[0].first
    if mode in _INVISIBLE_MODES or _is_tiny(entry, texts, first):
        return {glyph.first for glyph in entry.glyphs}
    paints = paints_of(texts, first, mode)
    font = pdfium.FPDFTextObj_GetFont(entry.handle)
    embedded = pdfium.FPDFFont_GetIsEmbedded(font) == 1
    unseen = set()
    for glyph in entry.glyphs:
        area = drawn.area(glyph.ink)
        if area.is_thin and _is_stroke(glyph) and not drawn.differs(bare, area, SAME_STROKE_WITHIN):
            # Letters of bitmap fonts are painted up to a pixel beside their place, which an "l" hardly is wide.
            area = drawn.widened(area)
        if drawn.differs(bare, area, SAME_STROKE_WITHIN):
            seen = stands_out(drawn, bare, area, paints) and not only_erases(bare, empty, area, paints)
        elif _is_placeless(glyph, area):
            seen = drawn.differs(bare, drawn.area(_around(entry)), SAME_STROKE_WITHIN)
        else:
            # Glyphs that neither the file nor this computer has a font for (often Chinese) are not drawn here
            # but are elsewhere; ASCII always is.
            missing = not embedded and not glyph.text.isascii()
            seen = missing and not is_like(next(drawn.pixels(area)), paints)
        if not seen:
            unseen.add(glyph.first)
    return unseen


def _is_stroke(glyph: Glyph) -> bool:
    """Whether a glyph is thick enough to be a letter or sign, not one squeezed to a line."""
    thickness = min(glyph.ink.right - glyph.ink.left, glyph.ink.top - glyph.ink.bottom)
    return thickness >= THINNEST_STROKE * glyph.size


def _is_placeless(glyph: Glyph, area: Area) -> bool:
    """Whether the font does not say where its glyph is painted, as fonts that draw their glyphs may do."""
    empty = glyph.ink.right - glyph.ink.left <= 0 or glyph.ink.top - glyph.ink.bottom <= 0
    return empty or area.right - area.left < 1 or area.bottom - area.top < 1


def _around(entry: _Text) -> Box:
    """An area slightly larger than the whole text."""
    box = entry.box or entry.bounds
    size = max(glyph.size for glyph in entry.glyphs)
    return Box(box.left - size, box.bottom - size, box.right + size, box.top + size)


def _is_tiny(entry: _Text, texts: PdfTextPage, first: int) -> bool:
    """Smaller than a reader can make out, both as set and as drawn (font size 1 is often scaled up)."""
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFText_GetMatrix(texts, first, matrix):
        return False
    scale = min(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d))
    if abs(pdfium.FPDFText_GetFontSize(texts, first) * scale) >= SMALLEST_READABLE_POINTS:
        return False
    widest = max(glyph.ink.right - glyph.ink.left for glyph in entry.glyphs)
    tallest = max(glyph.ink.top - glyph.ink.bottom for glyph in entry.glyphs)
    if len(entry.glyphs) >= LETTERS_TO_TELL_WIDTH:
        return min(widest, tallest) < SMALLEST_READABLE_POINTS
    if any(glyph.angle == 0 and glyph.text.isascii() and glyph.text.isalnum() for glyph in entry.glyphs):
        # Any such letter is higher than that, if it can be read.
        return tallest < SMALLEST_READABLE_POINTS
    return max(widest, tallest) < SMALLEST_READABLE_POINTS


def _is_transparent(entry: _Text, texts: PdfTextPage) -> bool:
    """Whether a text has no colour at all but may be the edge of something else that is painted."""
    mode = pdfium.FPDFTextObj_GetTextRenderMode(entry.handle)
    first = entry.glyphs[0].first
    if _is_tiny(entry, texts, first):
        return False
    paints = paints_of(texts, first, mode) if mode == pdfium.FPDF_TEXTRENDERMODE_FILL else None
    is_filled = paints is not None and all(opacity == 0 for _, opacity in paints)
    return is_filled or mode == pdfium.FPDF_TEXTRENDERMODE_CLIP
