"""A strip of the paper in which the paragraphs of a Word document stand. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A strip of the paper in which paragraphs stand, in points from its left edge.

    Attributes:
        left: where it begins.
        right: where it ends.
        seen_left: what is left of this is cut off.
        seen_right: what is right of this is cut off.
        is_sure: whether Word leaves it where the file says.
        cut: what begins lower than this, as the least that it is below the begin of the stream, is cut off.
    """

    left: float
    right: float
    seen_left: float
    seen_right: float
    is_sure: bool = True
    cut: float | None = None
