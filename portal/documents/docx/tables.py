"""Where the columns of a Word table lie. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.lengths import of_twips
from portal.documents.docx.names import qn
from portal.documents.docx.places import LOWEST_READABLE_POINTS
from portal.documents.docx.runs import NOT_LAID_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.column import Column

# By how much a table may be wider than its column before Word makes its columns narrower.
_WIDER_BY = 30.0
# Room between the edge of a cell and its text.
_CELL_MARGIN = 5.4


def cells_of(row: Element) -> Iterator[tuple[int, int, Element]]:
    """The cells of a row, also those in controls, each with the column that it begins in and how many it spans."""
    column = _number(row.find(f"{qn('w:trPr')}/{qn('w:gridBefore')}"), 0)
    for cell in _cells(row):
        span = _number(cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}"), 1)
        yield column, span, cell
        column += span


class MergedCells:
    """Cells that go on one of the row above, of which Word shows the content alone."""

    def __init__(self) -> None:
        self._starts: dict[Element, dict[Element, int]] = {}

    def __contains__(self, cell: Element) -> bool:
        """Whether a cell goes on one above."""
        merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
        if merge is None or merge.get(qn("w:val"), "continue") == "restart":
            return False
        row = next(cell.iterancestors(qn("w:tr")))
        above = next(row.itersiblings(qn("w:tr"), preceding=True), None)
        if above is None or cell not in self._merged_in(row):
            return False
        return self._merged_in(row)[cell] in self._merged_in(above).values()

    def _merged_in(self, row: Element) -> dict[Element, int]:
        """The cells of a row that are merged with others, each with the column that it begins in."""
        if row not in self._starts:
            path = f"{qn('w:tcPr')}/{qn('w:vMerge')}"
            self._starts[row] = {cell: start for start, _, cell in cells_of(row) if cell.find(path) is not None}
        return self._starts[row]


class NarrowCells:
    """Cells of no width, alone or with the columns that they span, in tables whose widths are fixed."""

    def __init__(self) -> None:
        self._narrow: dict[Element, set[Element]] = {}

    def __contains__(self, cell: Element) -> bool:
        """Whether nothing of a cell is seen, since it has no width."""
        width = cell.find(f"{qn('w:tcPr')}/{qn('w:tcW')}")
        if width is None or width.get(qn("w:type"), "dxa") != "dxa":
            return False
        if of_twips(width.get(qn("w:w"))) >= LOWEST_READABLE_POINTS:
            return False
        row = next(cell.iterancestors(qn("w:tr")))
        if row not in self._narrow:
            self._narrow[row] = set(_in_narrow_columns(row))
        return cell in self._narrow[row]


def _in_narrow_columns(row: Element) -> Iterator[Element]:
    table = next(row.iterancestors(qn("w:tbl")))
    layout = table.find(f"{qn('w:tblPr')}/{qn('w:tblLayout')}")
    if layout is None or layout.get(qn("w:type")) != "fixed":
        return
    widths = _widths_of(table)
    for start, span, cell in cells_of(row):
        if sum(widths[start : start + span]) < LOWEST_READABLE_POINTS:
            yield cell


def _widths_of(table: Element) -> list[float]:
    return [of_twips(width.get(qn("w:w"))) for width in table.iterfind(f"{qn('w:tblGrid')}/{qn('w:gridCol')}")]


def columns_of(row: Element, column: Column) -> list[tuple[Element, float, float, bool]]:
    """The cells of a row with where their text begins and ends, and whether Word leaves them there.

    Args:
        row: a `w:tr`.
        column: in which its table stands.
    """
    table = next(row.iterancestors(qn("w:tbl")))
    properties = table.find(qn("w:tblPr"))
    widths = _widths_of(table)
    total, room = sum(widths), column.right - column.left
    layout = properties.find(qn("w:tblLayout")) if properties is not None else None
    is_fixed = layout is not None and layout.get(qn("w:type")) == "fixed"
    is_sure = total > 0 and all(widths) and (is_fixed or total <= room + _WIDER_BY)
    left = _left_of(properties, column, total)
    cells = list(cells_of(row))
    if not is_sure or left is None:
        return [(cell, column.left, column.right, False) for _, _, cell in cells]
    edges = [left]
    for width in widths:
        edges.append(edges[-1] + width)
    last = len(widths)
    return [
        (
            cell,
            edges[min(start, last)] + _CELL_MARGIN,
            max(edges[min(start + span, last)] - _CELL_MARGIN, edges[min(start, last)] + _CELL_MARGIN),
            start < last,
        )
        for start, span, cell in cells
    ]


def cut_of(row: Element, cell: Element, low: float, column: Column) -> float | None:
    """Where the text of a cell is cut off: below a row of an exact height, or what is around the table."""
    height = row.find(f"{qn('w:trPr')}/{qn('w:trHeight')}")
    properties = cell.find(qn("w:tcPr"))
    is_plain = properties is None or all(properties.find(qn(tag)) is None for tag in ("w:vAlign", "w:textDirection"))
    if height is None or height.get(qn("w:hRule")) != "exact" or not is_plain:
        return column.cut
    cut = low + of_twips(height.get(qn("w:val")))
    return cut if column.cut is None else min(cut, column.cut)


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, also those in controls."""
    for child in table.iterchildren("{*}*"):
        if child.tag == qn("w:tr"):
            yield child
        elif child.tag not in NOT_LAID_OUT:
            yield from rows_of(child)


def _left_of(properties: Element | None, column: Column, width: float) -> float | None:
    """Where a table begins; None where that cannot be told."""
    if properties is None:
        return column.left - _CELL_MARGIN
    if properties.find(qn("w:bidiVisual")) is not None or properties.find(qn("w:tblpPr")) is not None:
        return None
    align, indent = properties.find(qn("w:jc")), properties.find(qn("w:tblInd"))
    side = align.get(qn("w:val")) if align is not None else "left"
    if side == "center":
        return (column.left + column.right - width) / 2
    if side in {"right", "end"}:
        return column.right - width
    is_share = indent is not None and indent.get(qn("w:type")) == "pct"
    return column.left - _CELL_MARGIN + (0.0 if indent is None or is_share else of_twips(indent.get(qn("w:w"))))


def _cells(element: Element) -> Iterator[Element]:
    for child in element.iterchildren("{*}*"):
        if child.tag == qn("w:tc"):
            yield child
        elif child.tag in {qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:smartTag")}:
            yield from _cells(child)


def _number(number: Element | None, usual: int) -> int:
    digits = "" if number is None else number.get(qn("w:val"), "")
    return min(int(digits), 100) if digits.isdecimal() else usual
