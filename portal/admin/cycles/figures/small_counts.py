"""Publishes counts of people so that no group of fewer than five can be identified, as texts and as bars.

The rule:

- A count of 1 to 4 is published as "fewer than 5"; 0 is published as it is.
- For counts each of which is a part of the one before (the steps of a funnel, or "late" among "waiting"), a count is
  also published as a range if it is less than five below the last exact one: "8 to 11" after 12, whether 8 or 11 is
  true. So the difference between two steps is no small group either. After 5 to 8 the two ranges would overlap, and
  "1 to 7" stands for all of them.

The guarantee, tested on all small tables: for a reader of one table who knows this rule, every hidden count may be any
of at least four consecutive values. It holds for one table. Two tables, or one table on two days, may together reveal
more; no stronger guarantee is possible without hiding all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


LEAST = 5
"""The smallest group of people whose size is published, and of values whose median is."""
LEAST_SEEN = 0.6  # per cent of the width that a bar has at least


class Published(NamedTuple):
    """A published count: the true one is between `low` and `high`, inclusive."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the count itself is published."""
        return self.low == self.high


FEW = Published(1, LEAST - 1)


def published(count: int) -> Published:
    """Publish a count that is independent of others."""
    return FEW if 0 < count < LEAST else Published(count, count)


def nested(counts: Iterable[int]) -> list[Published]:
    """Publish counts each of which is a part of the one before.

    Raises:
        ValueError: One is larger than the one before.
    """
    result: list[Published] = []
    before: int | None = None
    last_exact = 0  # the last exact count; 0 while there is none
    for count in counts:
        if before is not None and count > before:
            raise ValueError(f"{count} cannot be a part of {before}.")
        before = count
        result.append(_part(count, last_exact))
        if result[-1].is_exact:
            last_exact = count
    return result


def part(count: int, *wholes: int) -> Published:
    """Publish `count`, a part of the last of `wholes`, which `nested` publishes elsewhere on the page."""
    return nested([*wholes, count])[-1]


def in_words(count: Published) -> str:
    """A published count as text: "12", "fewer than 5", "8 to 11"."""
    if count == FEW:
        return f"fewer than {LEAST}"
    return f"{count.low:,}" if count.is_exact else f"{count.low:,} to {count.high:,}"


class Shape(NamedTuple):
    """A rectangle of a chart: where it begins and how wide it is, in per cent of the width; `kind` is how it looks."""

    x: float
    width: float
    kind: Literal["main", "open"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its label, a text for each further column; and its line in the chart, if it has one."""

    label: str
    texts: tuple[str, ...]
    said: str = ""
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `first` is the head of the column of labels, `columns` those of the others, with units; `notes` say
    how to read it, `empty` why there is nothing to show.
    """

    key: str
    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    empty: str = ""

    @property
    def drawn(self) -> list[Row]:
        """The rows of the chart; a figure without any is a table alone."""
        return [row for row in self.rows if row.said]


def bar(low: float, high: float, largest: float) -> tuple[Shape, ...]:
    """A bar from 0, on a scale on which `largest` fills the width; of a range, up to its low end, and then an outline.

    It is drawn from published values alone, or it would tell the true ones.
    """
    begin, end = 100 * low / (largest or 1), 100 * high / (largest or 1)
    if low == high:
        return (Shape(0, max(end, LEAST_SEEN), "main"),) if high else ()
    if low <= 1:
        return (Shape(0, end, "open"),)
    return (Shape(begin, max(end - begin, LEAST_SEEN), "open"), Shape(0, begin, "main"))


def _part(count: int, whole: int) -> Published:
    if count in {0, whole} or not whole:
        return published(count)
    if whole < 2 * LEAST - 1:
        return Published(1, whole - 1)
    if whole - count < LEAST:
        return Published(whole - LEAST + 1, whole - 1)
    return published(count)
