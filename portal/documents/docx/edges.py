"""What of a Word document lies off the paper, or is cut off. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.lengths import of_twips
from portal.documents.docx.names import qn
from portal.documents.docx.places import LOWEST_READABLE_POINTS, OFF_PAPER_POINTS, is_flat_row
from portal.documents.docx.tables import MergedCells, NarrowCells

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.flow import Flow, Place
    from portal.documents.docx.paper import Paper
    from portal.documents.docx.paragraph_formatting import Form, Forms

# Lines lower than that share of their letters show nothing that can be read.
LOWEST_LINE_SHARE = 0.3
# What begins lower by that share of a line than where a box ends is cut off.
CUT_LINE_SHARE = 0.5
# What must be on the paper for a letter to be seen.
EDGE_POINTS = 4.0


class Edges:
    """What lies off the paper in one part."""

    def __init__(self, flow: Flow, forms: Forms) -> None:
        self._flow = flow
        self._forms = forms
        self._merged = MergedCells()
        self._narrow = NarrowCells()

    def cut_off(self, element: Element) -> bool:
        """Whether the text of this table, row or paragraph is seen nowhere; what floats in it may be."""
        if element.tag == qn("w:p"):
            place = self._flow.places.get(element)
            return place is not None and self._is_cut_off(self._forms.of(element), place)
        if element.tag == qn("w:tr"):
            return is_flat_row(element)
        return element.tag == qn("w:tbl") and _is_table_off_paper(element, self._paper_of(element))

    def is_unseen(self, element: Element) -> bool:
        """Whether a paragraph is under a heading that shows it at a click only, or a cell has no room of its own."""
        if element.tag == qn("w:tc"):
            return element in self._merged or element in self._narrow
        place = self._flow.places.get(element)
        return place is not None and place.is_collapsed

    def _paper_of(self, element: Element) -> Paper | None:
        paragraph = next(element.iter(qn("w:p")), None)
        place = self._flow.places.get(paragraph) if paragraph is not None else None
        return place.paper if place is not None else None

    def _is_cut_off(self, form: Form, place: Place) -> bool:
        if place.paper.is_too_small or _is_flat(form, place):
            return True
        if form.frame is not None and _is_frame_off_paper(form.frame, place.paper):
            return True
        line = place.text.low / max(place.lines.low, 1)
        if place.column.cut is not None and place.low >= place.column.cut + CUT_LINE_SHARE * line:
            return True
        return form.frame is None and place.column.is_sure and _is_beside(form, place)


def _is_flat(form: Form, place: Place) -> bool:
    if form.exact is None:
        return False
    return form.exact < LOWEST_READABLE_POINTS or form.exact < LOWEST_LINE_SHARE * place.letters


def _is_beside(form: Form, place: Place) -> bool:
    """Whether all of a paragraph is left or right of what is seen."""
    column = place.column
    left, right = column.left + form.left, column.right - form.right
    if form.align in {"left", "both"}:
        start = left + form.first
        if min(left, start) >= column.seen_right - EDGE_POINTS:
            return True
        # What ends before the paper fits into the first line.
        return start + place.width.high <= column.seen_left or left < right <= column.seen_left
    if right <= left:
        return False
    if form.align == "center":
        half, middle = place.width.high / 2, (left + right) / 2
        return middle - half >= column.seen_right or middle + half <= column.seen_left
    return right - place.width.high >= column.seen_right or right <= column.seen_left


def _is_table_off_paper(table: Element, paper: Paper | None) -> bool:
    place = table.find(f"{qn('w:tblPr')}/{qn('w:tblpPr')}")
    if place is None:
        return False
    across, down = (of_twips(place.get(qn(side))) for side in ("w:tblpX", "w:tblpY"))
    if max(abs(across), abs(down)) >= OFF_PAPER_POINTS:
        return True
    if paper is None:
        return False
    width = sum(of_twips(column.get(qn("w:w"))) for column in table.iterfind(f"{qn('w:tblGrid')}/{qn('w:gridCol')}"))
    left = across + _origin(place.get(qn("w:horzAnchor"), "text"), paper.left)
    is_beside = place.get(qn("w:tblpXSpec")) is None and (left >= paper.width or (width > 0 and left + width <= 0))
    top = down + _origin(place.get(qn("w:vertAnchor"), "text"), paper.top)
    is_placed = place.get(qn("w:vertAnchor")) in {"page", "margin"} and place.get(qn("w:tblpYSpec")) is None
    return is_beside or (is_placed and top >= paper.height)


def _is_frame_off_paper(frame: Element, paper: Paper) -> bool:
    across, down, width, height = (of_twips(frame.get(qn(side))) for side in ("w:x", "w:y", "w:w", "w:h"))
    is_exact = frame.get(qn("w:hRule")) == "exact"
    if is_exact and frame.get(qn("w:h")) is not None and abs(height) < LOWEST_READABLE_POINTS:
        return True
    if max(abs(across), abs(down)) >= OFF_PAPER_POINTS:
        return True
    if frame.get(qn("w:xAlign")) is None:
        left = across + _origin(frame.get(qn("w:hAnchor"), "text"), paper.left)
        # A frame without a width is as wide as its content.
        if left >= paper.width or (width > 0 and left + width <= 0):
            return True
    origin = frame.get(qn("w:vAnchor"), "text")
    if frame.get(qn("w:yAlign")) is not None or origin == "text":
        return False
    top = down + _origin(origin, paper.top)
    return top >= paper.height or (is_exact and height > 0 and top + height <= 0)


def _origin(anchor: str, margin: float) -> float:
    return 0.0 if anchor == "page" else margin
