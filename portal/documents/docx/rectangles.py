"""Where the shapes and paragraphs of a Word document lie, in terms that can be compared. In the reading child only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.docx.flow import BOX
from portal.documents.docx.names import SHAPE, qn
from portal.documents.docx.switches import OFF

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.flow import Flow, Place
    from portal.documents.docx.paper import Paper
    from portal.documents.docx.shape import Shape

_OLDER_TEXT = "{urn:schemas-microsoft-com:vml}textbox"
# Room between the edges of a box and its text.
BOX_INSET_ACROSS, BOX_INSET_DOWN = 7.2, 3.6
# Shapes of headers lie on every page.
EVERY_PAGE = 0
# Paragraphs farther apart than that may be parted by the end of a page.
ON_ONE_PAGE_WITHIN = 45.0


@dataclass(frozen=True, slots=True)
class Level:
    """How far down something begins, as bounds.

    Attributes:
        stream: the paragraphs among which it is measured; None where it is measured from the paper alone.
        low: from the begin of the stream, the least.
        high: from there, the most.
        page: the stream on whose first page it is; `EVERY_PAGE` for headers; None where nobody knows.
        page_low: from the upper edge of the paper, the least.
        page_high: from there, the most.
        moves: whether it moves with the text, so that `low` and `high` are bounds and not an estimate.
    """

    stream: int | None
    low: float
    high: float
    page: int | None
    page_low: float
    page_high: float
    moves: bool = True

    def down(self, least: float, most: float) -> Level:
        """Something that begins lower than this by so much."""
        return replace(
            self,
            low=self.low + least,
            high=self.high + most,
            page_low=self.page_low + least,
            page_high=self.page_high + most,
        )

    def below(self, other: Level) -> tuple[float, float] | None:
        """By how much this begins below the other, at the least and at the most; None where it cannot be told."""
        if self.stream is not None and self.stream == other.stream and self.moves and other.moves:
            ends = self.low - other.low, self.high - other.high
            is_one_page = self.page is not None and self.page == other.page
            if is_one_page or max(map(abs, ends)) <= ON_ONE_PAGE_WITHIN:
                return min(ends), max(ends)
        if self.page is not None and (self.page == other.page or EVERY_PAGE in {self.page, other.page}):
            return self.page_low - other.page_high, self.page_high - other.page_low
        return None


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Where a shape lies.

    Attributes:
        left: from the left edge of the paper; None where it cannot be told.
        right: its other end; None where it cannot be told.
        level: where it begins; None where it cannot be told.
        height: in points.
        cell: the cell of a table whose place is unknown, from which left and right are measured; else None.
        is_off_paper: whether none of it is on the paper.
    """

    left: float | None
    right: float | None
    level: Level | None
    height: float
    cell: Element | None
    is_off_paper: bool = False


class Rectangles:
    """The places of shapes and paragraphs of one part."""

    def __init__(self, flow: Flow, shapes: list[Shape], *, is_on_every_page: bool) -> None:
        self._flow = flow
        self._is_on_every_page = is_on_every_page
        self._by_element = {shape.element: shape for shape in shapes}
        self._of_shapes: dict[Element, Rectangle] = {}

    def of_shape(self, shape: Shape) -> Rectangle:
        """Where a shape lies."""
        rectangle = self._of_shapes.get(shape.element)
        if rectangle is None:
            paragraph = next(shape.anchor.iterancestors(qn("w:p")), None)
            place = self._flow.places.get(paragraph) if paragraph is not None else None
            rectangle = Rectangle(None, None, None, shape.down.length, None)
            if place is not None and paragraph is not None:
                left = shape.across.begin(self._area_across(shape, place))
                cell = self.unsure_cell(paragraph, place)
                rectangle = Rectangle(
                    left=left,
                    right=None if left is None else left + shape.across.length,
                    level=self._level(shape, paragraph, place),
                    height=shape.down.length,
                    cell=cell,
                    is_off_paper=self._is_off_paper(shape, place, None if cell is not None else left),
                )
            self._of_shapes[shape.element] = rectangle
        return rectangle

    def box_of(self, element: Element) -> Shape | None:
        """The shape in whose box an element is; None where it is in none or that is not known."""
        box = next(element.iterancestors(BOX), None)
        return None if box is None else self._by_element.get(self._drawing_of(box))

    def level_of(self, paragraph: Element, place: Place) -> Level | None:
        """Where the lines of a paragraph begin, in a box where the box is; None where that is unknown."""
        begin = self._flow.begins.get(place.stream)
        if next(paragraph.iterancestors(BOX), None) is None:
            page = place.stream if begin is not None and place.is_on_first_page else None
            if page is not None and self._is_on_every_page:
                page = EVERY_PAGE
            least, most = begin if begin is not None else (0.0, 0.0)
            return Level(place.stream, place.low, place.high, page, least + place.low, most + place.high)
        shape = self.box_of(paragraph)
        level = self.of_shape(shape).level if shape is not None else None
        if shape is None or level is None:
            return None
        body = shape.element.find(f"{SHAPE}bodyPr")
        if body is not None and body.get("anchor", "t") != "t":
            return level.down(0.0, max(0.0, shape.down.length - place.height.low))
        return level.down(place.low + BOX_INSET_DOWN, place.high + BOX_INSET_DOWN)

    def sides_of(self, paragraph: Element, place: Place) -> tuple[float, float] | None:
        """Where the column of a paragraph begins and ends; None where that is unknown."""
        if next(paragraph.iterancestors(BOX), None) is None:
            return place.column.left, place.column.right
        shape = self.box_of(paragraph)
        left = self.of_shape(shape).left if shape is not None else None
        if left is None:
            return None
        return left + BOX_INSET_ACROSS + place.column.left, left + BOX_INSET_ACROSS + place.column.right

    def unsure_cell(self, paragraph: Element, place: Place) -> Element | None:
        """The cell that a paragraph is in, if nobody knows where that lies."""
        return None if place.column.is_sure else next(paragraph.iterancestors(qn("w:tc")), None)

    def _is_off_paper(self, shape: Shape, place: Place, left: float | None) -> bool:
        """Whether a shape lies beside, above or below the paper; only if it is placed from that up and down."""
        paper = place.paper
        if left is not None and not _is_laid_out_in_cell(shape) and shape.across.start is not None:
            is_sure = shape.across.origin != "column" or paper.columns == 1
            if is_sure and (left >= paper.width or left + shape.across.length <= 0):
                return True
        area = None if _is_laid_out_in_cell(shape) else _areas_down(paper).get(shape.down.origin)
        top = shape.down.begin(area) if shape.down.start is not None else None
        return top is not None and (top >= paper.height or top + shape.down.length <= 0)

    @staticmethod
    def _drawing_of(box: Element) -> Element:
        drawing: Element = next(box.iterancestors(f"{SHAPE}wsp", _OLDER_TEXT), box)
        return drawing.getparent() if drawing.tag == _OLDER_TEXT else drawing

    def _area_across(self, shape: Shape, place: Place) -> tuple[float, float] | None:
        paper, origin = place.paper, shape.across.origin
        if origin == "column":
            return place.column.left, place.column.right
        return None if _is_laid_out_in_cell(shape) else _areas_across(paper).get(origin)

    def _level(self, shape: Shape, paragraph: Element, place: Place) -> Level | None:
        own, paper = self.level_of(paragraph, place), place.paper
        origin = shape.down.origin
        if own is None:
            return None
        if origin in {"paragraph", "line"} and shape.down.start is not None:
            start = shape.down.start + shape.down.inset
            # Whether the room above the text counts depends on the version of Word.
            return own.down(start, start)
        top = None if _is_laid_out_in_cell(shape) else shape.down.begin(_areas_down(paper).get(origin))
        if top is None:
            return None
        page = EVERY_PAGE if self._is_on_every_page else own.page
        height = max(paper.text_height, 1.0)
        pages = own.low // height * height, own.high // height * height
        low, high = (start + top - paper.top for start in pages)
        return Level(place.stream, low, high, page, top, top, moves=False)


def _areas_across(paper: Paper) -> dict[str, tuple[float, float]]:
    return {
        "page": (0.0, paper.width),
        "margin": (paper.left, paper.width - paper.right),
        "leftMargin": (0.0, paper.left),
        "left-margin-area": (0.0, paper.left),
        "rightMargin": (paper.width - paper.right, paper.width),
        "right-margin-area": (paper.width - paper.right, paper.width),
    }


def _areas_down(paper: Paper) -> dict[str, tuple[float, float]]:
    return {
        "page": (0.0, paper.height),
        "margin": (paper.top, paper.height - paper.bottom),
        "topMargin": (0.0, paper.top),
        "top-margin-area": (0.0, paper.top),
        "bottomMargin": (paper.height - paper.bottom, paper.height),
        "bottom-margin-area": (paper.height - paper.bottom, paper.height),
    }


def _is_laid_out_in_cell(shape: Shape) -> bool:
    """Whether a shape is placed from the cell that it is in, whatever it says."""
    if next(shape.anchor.iterancestors(qn("w:tc")), None) is None:
        return False
    return shape.anchor.get("layoutInCell", "1") not in OFF
