"""What lies behind the text of a Word document, and what lies before it. Runs in the reading child only.

White letters are honest on a drawn sidebar or banner; letters under a picture are not. Where a shape lies is known,
where a paragraph lies only Word knows: here it is estimated, with bounds. Text is called covered where the likely
place of all of its line is under a shape; white text is called hidden where no coloured shape can be behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.documents.docx.flow import Flow
from portal.documents.docx.measures import Letters, width_of
from portal.documents.docx.names import qn
from portal.documents.docx.places import is_out_of_sight
from portal.documents.docx.rectangles import EVERY_PAGE, Rectangle, Rectangles
from portal.documents.docx.runs import runs_of, text_of
from portal.documents.docx.shape import Palette
from portal.documents.docx.shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.opc.rel import Relationships
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.colours import Colour
    from portal.documents.docx.colours import Theme
    from portal.documents.docx.flow import Place
    from portal.documents.docx.paper import Paper
    from portal.documents.docx.paragraph_formatting import Forms
    from portal.documents.docx.rectangles import Level
    from portal.documents.docx.shape import Shape

_MARGINS = (qn("w:hdr"), qn("w:ftr"))
# By how much a shape may be too low or too narrow for a text that it hides: of a line, of the text, and in points.
SLACK_DOWN_SHARE = 0.35
SLACK_ACROSS_SHARE = 0.06
SLACK_POINTS = 4.0
# How far an estimate may be off for a text to be on a shape: always, and for each point of the shape's height.
OFF_POINTS = 30.0
OFF_SHARE = 0.1
MOST_COVERS = 60


@dataclass(frozen=True, slots=True)
class _Text:
    """Where a run lies; None for what is not known.

    Attributes:
        left: where it begins; in a cell whose place is unknown, where its table may begin.
        right: where it ends, likewise.
        level: how far down its paragraph begins.
        place: of its paragraph.
        cell: the cell whose place is unknown.
        in_cell: where it begins and ends as measured in that cell.
        box: the shape that it is in.
    """

    left: float | None
    right: float | None
    level: Level | None
    place: Place
    cell: Element | None
    in_cell: tuple[float, float] | None
    box: Shape | None


class Behind:
    """The shapes of the parts of a document, one part after the other."""

    def __init__(self, theme: Theme, page_ground: Colour, papers: list[Paper], forms: Forms) -> None:
        self._theme = theme
        self._page_ground = page_ground
        self._papers = papers
        self._forms = forms
        self._letters_of: Callable[[Element], Letters] = lambda _run: Letters(0.0)
        self._shapes: list[tuple[Shape, Rectangle]] = []
        self._covers: list[tuple[Shape, Rectangle]] = []
        self._by_element: dict[Element, Rectangle] = {}
        self._of_headers: list[tuple[Shape, Rectangle]] = []
        self._rectangles: Rectangles | None = None
        self._texts: dict[Element, dict[Element, _Text]] = {}
        # How far headers may push the text down.
        self._pushed = 0.0
        self.flow: Flow | None = None

    def enter(
        self,
        root: Element,
        relations: Relationships | None,
        letters_of: Callable[[Element], Letters],
        *,
        shown: bool,
    ) -> None:
        """Look at the shapes of a part; those of a header lie behind the text of all parts that follow."""
        is_margin = root.tag in _MARGINS
        self._letters_of = letters_of
        self._texts = {}
        pushed = 0.0 if is_margin else self._pushed
        self.flow = Flow(root, self._papers, self._forms, letters_of, pushed=pushed)
        if root.tag == qn("w:hdr") and shown:
            pushes = (paper.header + self.flow.height - paper.top for paper in self._papers if paper.header_pushes)
            self._pushed = max(self._pushed, *pushes, 0.0)
        palette = Palette(self._theme, self._page_ground, relations)
        shapes = [shape for shape in shapes_of(root, palette) if shown and not is_out_of_sight(shape.anchor)]
        self._rectangles = Rectangles(self.flow, shapes, is_on_every_page=is_margin)
        self._shapes = [(shape, self._rectangles.of_shape(shape)) for shape in shapes]
        self._by_element = {shape.element: rectangle for shape, rectangle in self._shapes}
        self._covers = [(shape, rectangle) for shape, rectangle in self._shapes if shape.is_opaque][:MOST_COVERS]
        if is_margin:
            self._of_headers += [(shape, rectangle) for shape, rectangle in self._shapes if shape.is_coloured]

    def is_off_paper(self, element: Element) -> bool:
        """Whether an element is a shape that lies beside, above or below the paper."""
        rectangle = self._by_element.get(element)
        return rectangle is not None and rectangle.is_off_paper

    def is_covered(self, run: Element) -> bool:
        """Whether a run of the text lies under a shape or picture that lets nothing through."""
        text = self._text(run) if self._covers else None
        if text is None:
            return False
        return any(_is_over(shape, text) and _covers(rectangle, text) for shape, rectangle in self._covers)

    def may_lie_behind(self, run: Element) -> bool:
        """Whether letters without a ground of their own may stand on a coloured shape."""
        text = self._text(run)
        if text is None:
            return False
        if any(
            shape.is_coloured and _is_under(shape, text) and _may_hold(rectangle, text)
            for shape, rectangle in self._shapes
        ):
            return True
        if next(run.iterancestors(*_MARGINS), None) is not None:
            return False
        return any(_may_hold(rectangle, text) for _, rectangle in self._of_headers)

    def _text(self, run: Element) -> _Text | None:
        """Where a run lies; None for runs that are in no paragraph of Word's."""
        paragraph = next(run.iterancestors(qn("w:p")), None)
        if paragraph is None:
            return None
        if paragraph not in self._texts:
            self._texts[paragraph] = self._texts_in(paragraph)
        return self._texts[paragraph].get(run)

    def _texts_in(self, paragraph: Element) -> dict[Element, _Text]:
        place = self.flow.places.get(paragraph) if self.flow is not None else None
        if place is None or self._rectangles is None:
            return {}
        form = self._forms.of(paragraph)
        sides = self._rectangles.sides_of(paragraph, place)
        level = self._rectangles.level_of(paragraph, place)
        box = self._rectangles.box_of(paragraph)
        cell = self._rectangles.unsure_cell(paragraph, place)
        runs = [(run, text_of(run)) for run in runs_of(paragraph)]
        widths = [sum(width_of(text, self._letters_of(run))) / 2 for run, text in runs]
        texts: dict[Element, _Text] = {}
        has_tab = False
        before = 0.0
        for (run, _), width in zip(runs, widths, strict=True):
            left = right = in_cell = None
            if sides is not None:
                start, end = sides[0] + form.left, sides[1] - form.right
                left, right = start + min(form.first, 0.0), end
                if place.lines.high == 1:
                    room = end - start - form.first - sum(widths)
                    shift = {"center": room / 2, "right": room}.get(form.align, 0.0)
                    left = start + form.first + shift + before
                    right = end if has_tab else left + width
                in_cell = (left, right) if cell is not None else None
                if cell is not None:
                    left, right = sides
            has_tab = has_tab or next(run.iterchildren(qn("w:tab"), qn("w:ptab")), None) is not None
            before += width
            texts[run] = _Text(left, right, level, place, cell, in_cell, box)
        return texts


def _is_over(shape: Shape, text: _Text) -> bool:
    """Whether a shape is drawn after a text."""
    if text.box is None:
        return shape.is_before
    if text.box is shape or (text.box.is_behind and not shape.is_behind):
        return text.box is not shape and shape.is_before
    return shape.is_behind == text.box.is_behind and shape.order > text.box.order


def _is_under(shape: Shape, text: _Text) -> bool:
    """Whether a shape is drawn before a text."""
    if text.box is None:
        return shape.is_behind
    if shape is text.box:
        return False
    return shape.anchor is not text.box.anchor or shape.order < text.box.order


def _covers(cover: Rectangle, text: _Text) -> bool:
    """Whether a text lies within a rectangle, as far as can be told."""
    if cover.level is None or text.level is None or cover.left is None or text.left is None:
        return False
    if cover.right is None or text.right is None:
        return False
    distance = text.level.below(cover.level)
    if distance is None:
        return False
    place = text.place
    slack = min(SLACK_DOWN_SHARE * place.text.low / max(place.lines.low, 1), SLACK_POINTS)
    # Its end is where the next paragraph begins, which may be known better than its height.
    end = text.level.down(*place.height).below(cover.level)
    lowest = distance[1] + place.before + place.text.high
    lowest = min(lowest, end[1]) if end is not None else lowest
    if distance[0] < -slack or lowest > cover.height + slack:
        return False
    left, right = text.left, text.right
    if cover.cell is not None and cover.cell is text.cell and text.in_cell is not None:
        left, right = text.in_cell
    elif cover.cell is not None:
        return False
    slack = SLACK_POINTS + SLACK_ACROSS_SHARE * (right - left)
    return cover.left <= left + slack and right - slack <= cover.right


def _may_hold(ground: Rectangle, text: _Text) -> bool:
    """Whether a text may lie on a rectangle; it may wherever that cannot be told."""
    is_known = None not in {ground.left, ground.right, text.left, text.right} and ground.cell is text.cell
    if (
        is_known
        and ground.left is not None
        and ground.right is not None
        and text.left is not None
        and text.right is not None
    ):
        slack = OFF_POINTS / 2
        if text.right + slack < ground.left or ground.right + slack < text.left:
            return False
    if ground.level is None or text.level is None:
        return True
    tolerance = OFF_POINTS + OFF_SHARE * ground.height
    if ground.level.page == EVERY_PAGE != text.level.page:
        return _may_hold_on_some_page(ground, text, tolerance)
    distance = text.level.below(ground.level)
    if distance is None:
        if text.level.stream != ground.level.stream:
            # Boxes are measured from paragraphs that may be anywhere; streams of the text begin with a page.
            return text.box is not None
        distance = text.level.low - ground.level.high, text.level.high - ground.level.low
    least, most = distance
    return most >= -OFF_POINTS and least <= ground.height + tolerance


def _may_hold_on_some_page(ground: Rectangle, text: _Text, tolerance: float) -> bool:
    if text.level is None or ground.level is None or text.level.stream is None:
        return True
    height = max(text.place.paper.text_height, 1.0)
    least = text.level.low % height + text.place.paper.top - ground.level.page_high
    most = least + text.level.high - text.level.low
    return any(most + turn >= -OFF_POINTS and least + turn <= ground.height + tolerance for turn in (-height, 0.0))
