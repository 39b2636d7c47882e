"""What a Word document draws: rectangles, and what tells whether they hide something. In the reading child only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.colours import Colour, alike
from portal.documents.docx.names import DRAWING, SHAPE

if TYPE_CHECKING:
    from docx.opc.rel import Relationships
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.colours import Theme


@dataclass(frozen=True, slots=True)
class Span:
    """Where a drawing, or a part of it, lies along one axis, in points.

    Attributes:
        origin: what the start is measured from: "page", "margin", "column", "paragraph" …
        start: of the drawing, from there; None where `align` says it or nobody knows.
        whole: length of the drawing.
        align: "left", "center", "right", "top" or "bottom" instead of a start.
        inset: how far into the drawing the part begins.
        length: of the part.
    """

    origin: str
    start: float | None
    whole: float
    align: str = ""
    inset: float = 0.0
    length: float = 0.0

    def part(self, inset: float, length: float) -> Span:
        """A part of the drawing."""
        return replace(self, inset=inset, length=length)

    def begin(self, area: tuple[float, float] | None) -> float | None:
        """Where the part begins, given where what it is measured from begins and ends; None if that is unknown."""
        if area is None:
            return None
        start, end = area
        if self.start is not None:
            return start + self.start + self.inset
        places = {
            "left": start,
            "top": start,
            "center": (start + end - self.whole) / 2,
            "right": end - self.whole,
            "bottom": end - self.whole,
        }
        place = places.get(self.align)
        return None if place is None else place + self.inset


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle that is drawn.

    Attributes:
        element: what draws it.
        anchor: the floating drawing that it is a part of.
        across: its horizontal extent.
        down: its vertical extent.
        order: what is drawn later has a higher one.
        is_behind: whether text is drawn on it.
        is_before: whether text runs below it.
        is_opaque: whether it hides what is below.
        is_coloured: whether it has another colour than paper; so it is where that cannot be told.
    """

    element: Element
    anchor: Element
    across: Span
    down: Span
    order: tuple[float, int]
    is_behind: bool
    is_before: bool
    is_opaque: bool
    is_coloured: bool


class Palette:
    """What tells the colours and pictures of shapes: theme, colour of the page, relations of the part."""

    def __init__(self, theme: Theme, ground: Colour, relations: Relationships | None) -> None:
        self.relations = relations
        self._theme = theme
        self._ground = ground

    def is_paper(self, colour: Colour | None) -> bool:
        """Whether a colour cannot be told from that of the page."""
        return colour is not None and alike(colour, self._ground)

    def is_coloured(self, shape: Element) -> bool:
        """Whether a shape has another colour than the page; so it has where that cannot be told."""
        properties = shape.find(f"{SHAPE}spPr")
        if properties is None or properties.find(f"{DRAWING}noFill") is not None:
            return False
        solid = properties.find(f"{DRAWING}solidFill")
        if solid is not None:
            return not self.is_paper(self._theme.drawn(solid))
        fills = ("gradFill", "blipFill", "pattFill", "grpFill")
        is_filled = any(properties.find(f"{DRAWING}{fill}") is not None for fill in fills)
        return is_filled or is_filled_by_style(shape)


def is_filled_by_style(shape: Element) -> bool:
    """Whether the style of a shape fills it."""
    style = shape.find(f"{SHAPE}style")
    if style is None:
        return False
    fill = style.find(f"{DRAWING}fillRef")
    return fill is None or fill.get("idx", "0") not in {"0", "1000"}
