"""Parts of a Word document that are laid out where no reader sees them. Runs in the reading child only.

Only what is out of sight by itself, whatever is around it: set as hidden, without any extent, or off the paper by
more than the paper's width.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap, qn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_WP = f"{{{nsmap['wp']}}}"
_VML = "{urn:schemas-microsoft-com:vml}"
_DRAWING = f"{{{nsmap['a']}}}"
_ON = frozenset({"1", "true", "on"})
_OFF = frozenset({"0", "false", "off"})
EMU_PER_POINT = 12_700
TWIPS_PER_POINT = 20
# Lines, rows and boxes lower than this show nothing of their letters.
LOWEST_READABLE_POINTS = 2.5
# Wider and higher than any paper of a resume.
OFF_PAPER_POINTS = 1_000.0
# Indents hang out into a margin by much less.
HANGING_OUT_POINTS = 400.0
# A letter of usual size is narrower than that, and what of the paper is beside the text.
WIDEST_LETTER_POINTS = 8.0
WIDEST_MARGIN_POINTS = 100.0
_FROM_LEFT = frozenset({"left", "start", "both"})
_OF_TABLES = ("w:tblpX", "w:tblpY")
_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(pt|in|cm|mm|px)?")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, None: 0.75}


def is_out_of_sight(element: Element) -> bool:
    """Whether nothing inside of this table, row, cell, paragraph, drawing or shape is seen."""
    tag = element.tag
    if tag in _CHECKS:
        return _CHECKS[tag](element)
    if isinstance(tag, str) and tag.startswith(_VML):
        return _is_hidden_shape(element.get("style", ""))
    return False


def _is_table_off_paper(table: Element) -> bool:
    place = table.find(f"{qn('w:tblPr')}/{qn('w:tblpPr')}")
    return place is not None and any(abs(_twips(place.get(qn(side)))) >= OFF_PAPER_POINTS for side in _OF_TABLES)


def _is_hidden_row(row: Element) -> bool:
    properties = row.find(qn("w:trPr"))
    if properties is None:
        return False
    hidden = properties.find(qn("w:hidden"))
    if hidden is not None and hidden.get(qn("w:val"), "1") not in _OFF:
        return True
    height = properties.find(qn("w:trHeight"))
    return height is not None and height.get(qn("w:hRule")) == "exact" and _is_flat(height.get(qn("w:val")))


def _is_merged_into_above(cell: Element) -> bool:
    """Whether a cell goes on one of the row above, of which Word shows the content alone."""
    if not _is_merged(cell) or cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}").get(qn("w:val"), "continue") == "restart":
        return False
    row = cell.getparent()
    above = next(row.itersiblings(qn("w:tr"), preceding=True), None)
    column = next(start for start, other in _cells(row) if other is cell)
    return above is not None and any(start == column and _is_merged(other) for start, other in _cells(above))


def _is_merged(cell: Element) -> bool:
    return cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}") is not None


def _cells(row: Element) -> Iterator[tuple[int, Element]]:
    """The cells of a row, each with the column that it begins in."""
    column = _columns(row.find(f"{qn('w:trPr')}/{qn('w:gridBefore')}"), 0)
    for cell in row.iterchildren(qn("w:tc")):
        yield column, cell
        column += _columns(cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}"), 1)


def _columns(number: Element | None, usual: int) -> int:
    digits = "" if number is None else number.get(qn("w:val"), "")
    return int(digits) if digits.isdecimal() else usual


def _is_left_of_paper(paragraph: Element, properties: Element) -> bool:
    """Whether a paragraph begins so far left of the paper that its text ends there as well."""
    indent, align = properties.find(qn("w:ind")), properties.find(qn("w:jc"))
    if indent is None:
        return False
    if align is not None and align.get(qn("w:val")) not in _FROM_LEFT:
        return False
    start = _twips(indent.get(qn("w:left")) or indent.get(qn("w:start")))
    start += _twips(indent.get(qn("w:firstLine"))) - _twips(indent.get(qn("w:hanging")))
    letters = sum(len(text.text or "") for text in paragraph.iter(qn("w:t")))
    return start < -HANGING_OUT_POINTS and start + letters * WIDEST_LETTER_POINTS < -WIDEST_MARGIN_POINTS


def _is_hidden_paragraph(paragraph: Element) -> bool:
    properties = paragraph.find(qn("w:pPr"))
    if properties is None or _is_left_of_paper(paragraph, properties):
        return properties is not None
    spacing = properties.find(qn("w:spacing"))
    if spacing is not None and spacing.get(qn("w:lineRule")) == "exact" and _is_flat(spacing.get(qn("w:line"))):
        return True
    indent = properties.find(qn("w:ind"))
    if indent is not None:
        left = _twips(indent.get(qn("w:left")) or indent.get(qn("w:start")))
        right = _twips(indent.get(qn("w:right")) or indent.get(qn("w:end")))
        if min(left, right) < -HANGING_OUT_POINTS and max(left, right) > HANGING_OUT_POINTS:
            return True
    frame = properties.find(qn("w:framePr"))
    if frame is None:
        return False
    is_flat = frame.get(qn("w:hRule")) == "exact" and _is_flat(frame.get(qn("w:h")))
    if is_flat or any(abs(_twips(frame.get(qn(side)))) >= OFF_PAPER_POINTS for side in ("w:x", "w:y")):
        return True
    return _is_frame_before(frame, "w:hAnchor", "w:x", "w:w") or _is_frame_before(frame, "w:vAnchor", "w:y", "w:h")


def _is_frame_before(frame: Element, anchor: str, side: str, extent: str) -> bool:
    """Whether a frame ends left of or above the paper; a frame without an extent is as large as its content."""
    length = _twips(frame.get(qn(extent)))
    if extent == "w:h" and frame.get(qn("w:hRule")) != "exact":
        length = 0.0
    margin = 0.0 if frame.get(qn(anchor)) == "page" else OFF_PAPER_POINTS / 4
    return length > 0 and _twips(frame.get(qn(side))) + length <= -margin


def _is_hidden_drawing(drawing: Element) -> bool:
    if drawing.get("hidden") in _ON:
        return True
    named = drawing.find(f"{_WP}docPr")
    if named is not None and named.get("hidden") in _ON:
        return True
    extent = drawing.find(f"{_WP}extent")
    width = height = None
    if extent is not None:
        width, height = _emu(extent.get("cx")), _emu(extent.get("cy"))
        grows = next(drawing.iter(f"{_DRAWING}spAutoFit"), None) is not None
        if width < LOWEST_READABLE_POINTS or (height < LOWEST_READABLE_POINTS and not grows):
            return True
    return _is_off(drawing, f"{_WP}positionH", width or 0.0) or _is_off(drawing, f"{_WP}positionV", height or 0.0)


def _is_off(drawing: Element, tag: str, extent: float) -> bool:
    position = drawing.find(tag)
    offset = position.find(f"{_WP}posOffset") if position is not None else None
    if position is None or offset is None:
        return False
    place = _emu(offset.text)
    # Measured from the paper it may just be off it; measured from anything else there is the paper in between.
    margin = 0.0 if position.get("relativeFrom") == "page" else OFF_PAPER_POINTS / 4
    return place + extent <= -margin or place >= OFF_PAPER_POINTS + margin


def _is_hidden_shape(style: str) -> bool:
    declarations: dict[str, str] = {}
    for entry in style.lower().split(";"):
        name, _, value = entry.partition(":")
        declarations[name.strip()] = value.strip()
    if declarations.get("visibility") == "hidden" or declarations.get("display") == "none":
        return True
    if (
        any(side in declarations and _length(declarations[side]) == 0 for side in ("width", "height"))
        and "mso-fit-shape-to-text" not in declarations
    ):
        return True
    return any(
        abs(_length(declarations.get(side, "0"))) >= OFF_PAPER_POINTS
        for side in ("left", "top", "margin-left", "margin-top")
    )


def _is_flat(twips: str | None) -> bool:
    return twips is not None and abs(_twips(twips)) < LOWEST_READABLE_POINTS


def _twips(value: str | None) -> float:
    """Points of a length in twentieths of a point (or with a unit)."""
    if value is None:
        return 0.0
    match = _LENGTH.fullmatch(value.strip())
    if match is None:
        return 0.0
    return float(match[1]) / TWIPS_PER_POINT if match[2] is None else float(match[1]) * _POINTS[match[2]]


def _emu(value: str | None) -> float:
    match = _LENGTH.fullmatch((value or "").strip())
    return float(match[1]) / EMU_PER_POINT if match is not None else 0.0


def _length(value: str) -> float:
    """Points of a length of the older drawing language; not zero where it cannot be told."""
    match = _LENGTH.fullmatch(value)
    return float(match[1]) * _POINTS[match[2]] if match is not None else 1.0


_CHECKS: dict[str, Callable[[Element], bool]] = {
    qn("w:tbl"): _is_table_off_paper,
    qn("w:tr"): _is_hidden_row,
    qn("w:tc"): _is_merged_into_above,
    qn("w:p"): _is_hidden_paragraph,
    f"{_WP}anchor": _is_hidden_drawing,
    f"{_WP}inline": _is_hidden_drawing,
}
