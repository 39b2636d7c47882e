"""The paper that a Word document is laid out on, section by section. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.documents.docx.lengths import of_twips
from portal.documents.docx.names import qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Paper without a size of its own, as Word takes it, and the room between columns.
_LETTER = (612.0, 792.0)
_MARGIN = 72.0
_HEADER = 36.0
_BETWEEN_COLUMNS = 36.0
# On paper narrower or lower than that nothing can be read.
_LEAST_POINTS = 30.0


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet, in points.

    Attributes:
        width: of the sheet.
        height: of the sheet.
        left: margin.
        right: margin.
        top: margin.
        bottom: margin.
        header_pushes: whether a high header pushes the text down.
        header: how far from the upper edge headers begin.
        columns: number of columns of text.
        column_width: of one of them.
        grid: distance of the lines of a grid on which text is set; 0 where there is none.
        on_new_page: whether the section begins a page.
    """

    width: float = _LETTER[0]
    height: float = _LETTER[1]
    left: float = _MARGIN
    right: float = _MARGIN
    top: float = _MARGIN
    bottom: float = _MARGIN
    header_pushes: bool = True
    header: float = _HEADER
    columns: int = 1
    column_width: float = _LETTER[0] - 2 * _MARGIN
    grid: float = 0.0
    on_new_page: bool = True

    @property
    def text_height(self) -> float:
        """Height of the area of the text."""
        return self.height - self.top - self.bottom

    @property
    def is_too_small(self) -> bool:
        """Whether nothing on it can be read."""
        return min(self.width, self.height) < _LEAST_POINTS


def papers_of(document: Element) -> list[Paper]:
    """The papers of the sections of a `w:document`, in order; at least one."""
    sections = [section for section in document.iter(qn("w:sectPr")) if section.getparent().tag != qn("w:sectPrChange")]
    return [_paper(section) for section in sections] or [Paper()]


def _paper(section: Element) -> Paper:
    size, margins, columns = (section.find(qn(tag)) for tag in ("w:pgSz", "w:pgMar", "w:cols"))
    width, height = _LETTER
    if size is not None:
        width, height = (
            of_twips(size.get(qn(side))) if size.get(qn(side)) is not None else usual
            for side, usual in (("w:w", width), ("w:h", height))
        )
    left = right = top = bottom = _MARGIN
    header = _HEADER
    if margins is not None:
        left, right, top, bottom, header = (
            of_twips(margins.get(qn(f"w:{side}"), usual))
            for side, usual in (
                ("left", "1440"),
                ("right", "1440"),
                ("top", "1440"),
                ("bottom", "1440"),
                ("header", "720"),
            )
        )
        left += of_twips(margins.get(qn("w:gutter")))
    number, between, kind = 1, _BETWEEN_COLUMNS, section.find(qn("w:type"))
    if columns is not None:
        digits = columns.get(qn("w:num"), "1")
        number = int(digits) if digits.isdecimal() and 0 < int(digits) < 50 else 1  # noqa: PLR2004 - Word has at most 45
        between = of_twips(columns.get(qn("w:space"), "720"))
    grid = section.find(qn("w:docGrid"))
    return Paper(
        width=width,
        height=height,
        left=left,
        right=right,
        # A negative margin is one that no header moves.
        top=abs(top),
        bottom=abs(bottom),
        header_pushes=top >= 0,
        header=header,
        columns=number,
        column_width=(width - left - right - (number - 1) * between) / number,
        grid=of_twips(grid.get(qn("w:linePitch")))
        if grid is not None and grid.get(qn("w:type"), "default") != "default"
        else 0.0,
        on_new_page=kind is None or kind.get(qn("w:val")) not in {"continuous", "nextColumn"},
    )
