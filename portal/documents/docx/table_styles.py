"""What the style of a Word table says of the cell that text stands in. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.look import value_of
from portal.documents.docx.names import qn
from portal.documents.docx.styles import chain_of
from portal.documents.docx.switches import OFF
from portal.documents.docx.tables import cells_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Bits of `w:tblLook` where it names no parts.
_BITS = {
    "firstRow": 0x20,
    "lastRow": 0x40,
    "firstColumn": 0x80,
    "lastColumn": 0x100,
    "noHBand": 0x200,
    "noVBand": 0x400,
}


class TableStyles:
    """The styles of tables, part by part, such as the first row."""

    def __init__(self, styles: Mapping[str, Element]) -> None:
        self._styles = styles
        self._parts: dict[Element, dict[Element, list[Element]]] = {}

    def parts_for(self, cell: Element) -> list[Element]:
        """What holds the formatting of a cell, `w:style` and `w:tblStylePr`; what comes later goes before."""
        table = next(cell.iterancestors(qn("w:tbl")))
        if table not in self._parts:
            self._parts[table] = self._parts_in(table)
        return self._parts[table].get(cell, [])

    def _parts_in(self, table: Element) -> dict[Element, list[Element]]:
        properties = table.find(qn("w:tblPr"))
        chain = chain_of(self._styles, value_of(properties, "w:tblStyle"))
        if not chain:
            return {}
        look = properties.find(qn("w:tblLook")) if properties is not None else None
        grid = _Grid(
            rows=[list(cells_of(row)) for row in rows_of(table)],
            on={part: _is_on(look, part) for part in _BITS},
            bands=(_band_size(chain, "w:tblStyleRowBandSize"), _band_size(chain, "w:tblStyleColBandSize")),
        )
        by_kind: dict[tuple[str, ...], list[Element]] = {}
        parts: dict[Element, list[Element]] = {}
        for line, cells in enumerate(grid.rows):
            for start, span, cell in cells:
                kinds = tuple(grid.kinds_of(line, start, span))
                if kinds not in by_kind:
                    by_kind[kinds] = _parts_of(chain, kinds)
                parts[cell] = by_kind[kinds]
        return parts


class _Grid:
    """The cells of a table, and which parts of it its style tells apart."""

    def __init__(
        self, rows: list[list[tuple[int, int, Element]]], on: Mapping[str, bool], bands: tuple[int, int]
    ) -> None:
        self.rows = rows
        self._on = on
        self._bands = bands
        self._columns = max((start + span for cells in rows for start, span, _ in cells), default=0)

    def kinds_of(self, line: int, start: int, span: int) -> list[str]:
        """The parts that a cell belongs to; what comes later goes before."""
        on = self._on
        is_first_row, is_last_row = on["firstRow"] and line == 0, on["lastRow"] and line == len(self.rows) - 1
        is_first, is_last = on["firstColumn"] and start == 0, on["lastColumn"] and start + span >= self._columns
        kinds = ["wholeTable"]
        if not on["noVBand"] and not (is_first or is_last):
            kinds.append(f"band{(start - on['firstColumn']) // self._bands[1] % 2 + 1}Vert")
        if not on["noHBand"] and not (is_first_row or is_last_row):
            kinds.append(f"band{(line - on['firstRow']) // self._bands[0] % 2 + 1}Horz")
        kinds += ["firstCol"] * is_first + ["lastCol"] * is_last
        kinds += ["firstRow"] * is_first_row + ["lastRow"] * is_last_row
        corners = {"nw": is_first_row and is_first, "ne": is_first_row and is_last}
        corners |= {"sw": is_last_row and is_first, "se": is_last_row and is_last}
        return kinds + [f"{corner}Cell" for corner, is_there in corners.items() if is_there]


def _parts_of(chain: list[Element], kinds: tuple[str, ...]) -> list[Element]:
    """The formatting of the parts of some kinds in a style and those that it is based on."""
    parts: list[Element] = []
    for style in reversed(chain):
        named = {part.get(qn("w:type")): part for part in style.iterchildren(qn("w:tblStylePr"))}
        parts.append(style)
        parts += [named[kind] for kind in kinds if kind in named]
    return parts


def _is_on(look: Element | None, part: str) -> bool:
    """Whether a table has a part by its style; where nothing says it, it has all."""
    if look is None:
        return not part.startswith("no")
    named = look.get(qn(f"w:{part}"))
    if named is not None:
        return named not in OFF
    try:
        return bool(int(look.get(qn("w:val"), "0000"), 16) & _BITS[part])
    except ValueError:
        return False


def _band_size(chain: list[Element], tag: str) -> int:
    for style in chain:
        size = value_of(style.find(qn("w:tblPr")), tag)
        if size is not None and size.isdecimal() and int(size) > 0:
            return int(size)
    return 1
