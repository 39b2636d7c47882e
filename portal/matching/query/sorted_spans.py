"""Sorted spans of a text, so that those at a place are found without looking at all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.results import Span


class SortedSpans:
    """Spans of one text, given in any order, looked up by place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._order = sorted(range(len(spans)), key=spans.__getitem__)
        self._starts = [spans[place][0] for place in self._order]
        # The farthest end of all spans up to each one, as spans may lie within others.
        self._ends = list(accumulate((spans[place][1] for place in self._order), max))

    def near(self, first: int, last: int) -> list[int]:
        """The numbers of all spans that overlap or touch a passage, and possibly of others, in their original order."""
        return sorted(self._order[bisect_left(self._ends, first) : bisect_right(self._starts, last)])

    def hold(self, first: int, last: int) -> bool:
        """Whether a passage lies within one of the spans."""
        spans = self._spans
        return any(spans[place][0] <= first and last <= spans[place][1] for place in self.near(first, last))

    def within(self, first: int, last: int) -> list[int]:
        """The numbers of the spans that lie within a passage, in their original order."""
        spans = self._spans
        return [place for place in self.near(first, last) if first <= spans[place][0] and spans[place][1] <= last]
