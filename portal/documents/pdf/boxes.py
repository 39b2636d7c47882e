"""Rectangles on a page. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points, in the page's own coordinates (upwards)."""

    left: float
    bottom: float
    right: float
    top: float

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def outside(self, other: Box) -> bool:
        """Whether no point of this box is in `other`."""
        return self.right < other.left or self.left > other.right or self.top < other.bottom or self.bottom > other.top

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )
