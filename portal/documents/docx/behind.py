"""Coloured shapes and pictures of a Word document on which its text may stand. Runs in the reading child only.

White letters are honest on a drawn sidebar or banner. Where a shape lies is known, where a paragraph lies only Word
knows; here it is estimated from the text above it, so that white text far from every shape still counts as hidden.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap, qn

from portal.documents.colours import Colour, alike
from portal.documents.docx.colours import colour_of
from portal.documents.docx.places import EMU_PER_POINT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.colours import Theme

_WP = f"{{{nsmap['wp']}}}"
_DRAWING = f"{{{nsmap['a']}}}"
_PICTURE = f"{{{nsmap['pic']}}}"
_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
_GROUP = "{http://schemas.microsoft.com/office/word/2010/wordprocessingGroup}"
_VML = "{urn:schemas-microsoft-com:vml}"
_OLDER_SHAPES = tuple(f"{_VML}{kind}" for kind in ("shape", "rect", "roundrect", "oval"))
_MARGINS = (qn("w:hdr"), qn("w:ftr"))
_ON = frozenset({"1", "true", "on"})
_BESIDE_TEXT = frozenset({"paragraph", "line"})
MOST_SHAPES = 200
# A page as it is usual: a line, the letters in it, what of the paper is above the text, and all of the text.
LINE_POINTS = 15.0
LETTERS_OF_A_LINE = 90
MARGIN_POINTS = 72.0
PAGE_POINTS = 720.0
# How far an estimate may be off: always, and for each point of a shape's height.
OFF_POINTS = 30.0
OFF_SHARE = 0.1
OFF_COVER_SHARE = 0.3
# A cover is as wide as most of the text.
COVER_POINTS = 300.0


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The vertical extent of a drawing down the pages, and whether it is on every page."""

    top: float
    bottom: float
    on_every_page: bool = False

    def surely_holds(self, place: float) -> bool:
        """Whether a paragraph that is estimated to begin at `place` lies within, also if that is farther down."""
        return self.top - LINE_POINTS <= place <= self.bottom - OFF_POINTS - OFF_COVER_SHARE * (self.bottom - self.top)

    def may_hold(self, place: float) -> bool:
        """Whether a paragraph that is estimated to begin at `place` may lie within."""
        if self.on_every_page:
            place %= PAGE_POINTS
        tolerance = OFF_POINTS + OFF_SHARE * (self.bottom - self.top)
        return self.top - OFF_POINTS <= place <= self.bottom + tolerance


class Behind:
    """The coloured shapes of the parts of a document, one part after the other."""

    def __init__(self, theme: Theme, page_ground: Colour) -> None:
        self._theme = theme
        self._page_ground = page_ground
        self._tops: dict[Element, float] = {}
        self._anchors: list[Element] = []
        self._here: list[_Stretch] = []
        self._on_every_page: list[_Stretch] = []
        self._covers: list[_Stretch] = []

    def enter(self, root: Element, *, shown: bool) -> None:
        """Look at the shapes of a part; those of a header lie behind the text of all parts that follow."""
        self._tops = {}
        _stack(root, 0.0, self._tops)
        is_margin = root.tag in _MARGINS
        anchors = [anchor for anchor in root.iter(f"{_WP}anchor") if shown and self._is_coloured(anchor)]
        self._anchors = anchors[:MOST_SHAPES]
        # What lies before the text covers it.
        behind = [anchor for anchor in self._anchors if anchor.get("behindDoc") in _ON]
        self._here = [self._stretch_of(anchor, is_margin=is_margin) for anchor in behind]
        if is_margin:
            self._on_every_page += self._here
        covers = [anchor for anchor in root.iter(f"{_WP}anchor") if shown and self._is_cover(anchor)]
        self._covers = [self._stretch_of(anchor, is_margin=is_margin) for anchor in covers[:MOST_SHAPES]]

    def is_covered(self, run: Element) -> bool:
        """Whether a run of the text lies under a shape that looks like paper."""
        if not self._covers or next(run.iterancestors(f"{_WP}anchor"), None) is not None:
            return False
        place = self._top_of(run)
        return any(cover.surely_holds(place) for cover in self._covers)

    def may_lie_behind(self, run: Element) -> bool:
        """Whether letters without a ground of their own may stand on a coloured shape."""
        box = next(run.iterancestors(f"{_SHAPE}wsp"), None)
        own = next(run.iterancestors(f"{_WP}anchor"), None)
        older_group = next(run.iterancestors(f"{_VML}group"), None)
        if older_group is not None and any(map(self._is_filled_older, older_group.iter(*_OLDER_SHAPES))):
            return True
        if box is not None and own is not None and self._has_coloured_sibling(box):
            return True
        if own is not None:
            return any(anchor is not own and _overlap(anchor, own) for anchor in self._anchors)
        place = self._top_of(run)
        return any(stretch.may_hold(place) for stretch in (*self._here, *self._on_every_page))

    def _top_of(self, element: Element) -> float:
        """Where the paragraph that contains an element begins."""
        paragraph = next(element.iterancestors(qn("w:p")), None)
        return 0.0 if paragraph is None else self._tops.get(paragraph, 0.0)

    def _is_coloured(self, anchor: Element) -> bool:
        """Whether anything in a drawing has a colour other than the paper's; assumed if that cannot be told."""
        if next(anchor.iter(f"{_PICTURE}pic"), None) is not None:
            return True
        return any(self._is_filled(shape) for shape in anchor.iter(f"{_SHAPE}wsp"))

    def _is_filled(self, shape: Element) -> bool:
        properties = shape.find(f"{_SHAPE}spPr")
        if properties is None or properties.find(f"{_DRAWING}noFill") is not None:
            return False
        solid = properties.find(f"{_DRAWING}solidFill")
        if solid is not None:
            colour = self._theme.drawn(solid)
            return colour is None or not alike(colour, self._page_ground)
        fills = ("gradFill", "blipFill", "pattFill")
        is_filled = any(properties.find(f"{_DRAWING}{fill}") is not None for fill in fills)
        return is_filled or shape.find(f"{_SHAPE}style") is not None

    def _is_filled_older(self, shape: Element) -> bool:
        """Whether a shape of the older drawing language has a colour other than the paper's."""
        colour = colour_of(shape.get("fillcolor", "white"))
        return shape.get("filled", "t")[:1] not in {"f", "0"} and not (colour and alike(colour, self._page_ground))

    def _is_cover(self, anchor: Element) -> bool:
        """Whether a drawing is a wide shape before the text that looks like paper and says nothing itself."""
        extent = anchor.find(f"{_WP}extent")
        if anchor.get("behindDoc") in _ON or anchor.find(f"{_WP}wrapNone") is None or extent is None:
            return False
        shapes = list(anchor.iter(f"{_SHAPE}wsp"))
        if _points(extent.get("cx")) < COVER_POINTS or len(shapes) != 1 or _letters(anchor.iter(qn("w:t"))):
            return False
        solid = shapes[0].find(f"{_SHAPE}spPr/{_DRAWING}solidFill")
        colour = self._theme.drawn(solid)
        is_opaque = solid is not None and next(solid.iter(f"{_DRAWING}alpha"), None) is None
        return is_opaque and colour is not None and alike(colour, self._page_ground)

    def _has_coloured_sibling(self, box: Element) -> bool:
        """Whether another shape of the same group lies around the middle of a box."""
        group = next(box.iterancestors(f"{_GROUP}wgp"), None)
        if group is None:
            return False
        return any(other is not box and self._is_filled(other) and _holds(other, box) for other in group.iter(box.tag))

    def _stretch_of(self, anchor: Element, *, is_margin: bool) -> _Stretch:
        extent = anchor.find(f"{_WP}extent")
        height = _points(extent.get("cy")) if extent is not None else 0.0
        position = anchor.find(f"{_WP}positionV")
        start = self._top_of(anchor)
        if position is None:
            return _Stretch(start, start + height, is_margin)
        offset = position.find(f"{_WP}posOffset")
        down = _points(offset.text) if offset is not None else 0.0
        if position.get("relativeFrom") in _BESIDE_TEXT:
            # Headers stand above the text, where it begins is not far.
            return _Stretch(start + down, start + down + height, is_margin)
        align = position.findtext(f"{_WP}align") or ""
        down += {"center": (PAGE_POINTS - height) / 2, "bottom": PAGE_POINTS - height}.get(align, 0.0)
        down -= MARGIN_POINTS if position.get("relativeFrom") == "page" else 0.0
        page = 0.0 if is_margin else start - start % PAGE_POINTS
        return _Stretch(page + down, page + down + height, is_margin)


def _stack(element: Element, top: float, tops: dict[Element, float]) -> float:
    """Note where every paragraph under `element` begins, estimated in points down the pages; returns the end."""
    for child in element.iterchildren("{*}*"):
        if child.tag == qn("w:p"):
            tops[child] = top
            # What stands in boxes takes no room in the text.
            boxes = (text for box in child.iter(qn("w:txbxContent")) for text in box.iter(qn("w:t")))
            letters = max(0, _letters(child.iter(qn("w:t"))) - _letters(boxes))
            top += LINE_POINTS * (1 + letters // LETTERS_OF_A_LINE)
            if any(mark.get(qn("w:type")) == "page" for mark in child.iter(qn("w:br"))):
                top = PAGE_POINTS * math.ceil(top / PAGE_POINTS)
        elif child.tag == qn("w:tr"):
            top = max((_stack(cell, top, tops) for cell in child.iterchildren("{*}*")), default=top)
        else:
            top = _stack(child, top, tops)
    return top


def _letters(texts: Iterable[Element]) -> int:
    return sum(len(text.text or "") for text in texts)


def _overlap(anchor: Element, box: Element) -> bool:
    """Whether two drawings may overlap; along an axis on which they cannot be compared, they may."""
    for axis, extent in (("positionH", "cx"), ("positionV", "cy")):
        places = [drawing.find(f"{_WP}{axis}") for drawing in (anchor, box)]
        offsets = [place.findtext(f"{_WP}posOffset") if place is not None else None for place in places]
        origins = {place.get("relativeFrom") for place in places if place is not None}
        sizes = [drawing.find(f"{_WP}extent") for drawing in (anchor, box)]
        if None in offsets or None in sizes or len(origins) > 1:
            continue
        (start, length), (own, own_length) = (
            (_points(offset), _points(size.get(extent))) for offset, size in zip(offsets, sizes, strict=True)
        )
        if not start <= own + own_length / 2 <= start + length:
            return False
    return True


def _holds(shape: Element, box: Element) -> bool:
    """Whether the middle of a box lies in another shape of its group; assumed where groups are nested."""
    if shape.getparent() is not box.getparent():
        return True
    frames = [other.find(f"{_SHAPE}spPr/{_DRAWING}xfrm") for other in (shape, box)]
    if None in frames:
        return True
    (left, top, right, bottom), inner = (_rectangle(place) for place in frames)
    across, down = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return left <= across <= right and top <= down <= bottom


def _rectangle(place: Element) -> tuple[float, float, float, float]:
    start, size = place.find(f"{_DRAWING}off"), place.find(f"{_DRAWING}ext")
    if start is None or size is None:
        return 0.0, 0.0, 0.0, 0.0
    left, top = _points(start.get("x")), _points(start.get("y"))
    return left, top, left + _points(size.get("cx")), top + _points(size.get("cy"))


def _points(emu: str | None) -> float:
    digits = (emu or "").strip()
    return int(digits) / EMU_PER_POINT if digits.removeprefix("-").isdecimal() else 0.0
