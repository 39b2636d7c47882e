"""Parts of a Word document that are set as hidden or without any extent. Runs in the reading child only.

Only what is out of sight by itself, whatever is around it and wherever it lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.lengths import of_emu, of_style, of_twips
from portal.documents.docx.names import DRAWING, VML, WORD_DRAWING, qn
from portal.documents.docx.older_shapes import declarations
from portal.documents.docx.switches import ON, is_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Lines, rows and boxes lower than this show nothing of their letters.
LOWEST_READABLE_POINTS = 2.5
# Wider and higher than any paper of a resume.
OFF_PAPER_POINTS = 1_000.0


def is_out_of_sight(element: Element) -> bool:
    """Whether nothing inside of this row, drawing or shape is seen, also not what floats in it."""
    tag = element.tag
    if tag in _CHECKS:
        return _CHECKS[tag](element)
    if isinstance(tag, str) and tag.startswith(VML):
        return _is_hidden_shape(element.get("style", ""))
    return False


def is_flat_row(row: Element) -> bool:
    """Whether a row is too low for its text."""
    height = row.find(f"{qn('w:trPr')}/{qn('w:trHeight')}")
    if height is None or height.get(qn("w:hRule")) != "exact" or height.get(qn("w:val")) is None:
        return False
    return abs(of_twips(height.get(qn("w:val")))) < LOWEST_READABLE_POINTS


def _is_hidden_row(row: Element) -> bool:
    hidden = row.find(f"{qn('w:trPr')}/{qn('w:hidden')}")
    return hidden is not None and is_on(hidden)


def _is_hidden_drawing(drawing: Element) -> bool:
    if drawing.get("hidden") in ON:
        return True
    named = drawing.find(f"{WORD_DRAWING}docPr")
    if named is not None and named.get("hidden") in ON:
        return True
    extent = drawing.find(f"{WORD_DRAWING}extent")
    width = height = 0.0
    if extent is not None:
        width, height = of_emu(extent.get("cx")), of_emu(extent.get("cy"))
        grows = next(drawing.iter(f"{DRAWING}spAutoFit"), None) is not None
        if width < LOWEST_READABLE_POINTS or (height < LOWEST_READABLE_POINTS and not grows):
            return True
    return _is_off(drawing, f"{WORD_DRAWING}positionH", width) or _is_off(drawing, f"{WORD_DRAWING}positionV", height)


def _is_off(drawing: Element, tag: str, extent: float) -> bool:
    position = drawing.find(tag)
    offset = position.find(f"{WORD_DRAWING}posOffset") if position is not None else None
    if position is None or offset is None:
        return False
    place = of_emu(offset.text)
    # Measured from the paper it may just be off it; measured from anything else there is the paper in between.
    margin = 0.0 if position.get("relativeFrom") == "page" else OFF_PAPER_POINTS / 4
    return place + extent <= -margin or place >= OFF_PAPER_POINTS + margin


def _is_hidden_shape(style: str) -> bool:
    declared = declarations(style)
    if declared.get("visibility") == "hidden" or declared.get("display") == "none":
        return True
    if (
        any(of_style(declared[side]) == 0 for side in ("width", "height") if side in declared)
        and "mso-fit-shape-to-text" not in declared
    ):
        return True
    sides = ("left", "top", "margin-left", "margin-top")
    return any(abs(of_style(declared.get(side, "0")) or 0.0) >= OFF_PAPER_POINTS for side in sides)


_CHECKS: dict[str, Callable[[Element], bool]] = {
    qn("w:tr"): _is_hidden_row,
    f"{WORD_DRAWING}anchor": _is_hidden_drawing,
    f"{WORD_DRAWING}inline": _is_hidden_drawing,
}
