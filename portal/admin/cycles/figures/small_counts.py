"""Publishes counts of people so that no group of fewer than five can be identified.

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

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


LEAST = 5
"""The smallest group of people whose size is published."""


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


def in_words(count: Published, *, grouped: bool = True) -> str:
    """A published count as text: "12", "fewer than 5", "8 to 11"; `grouped` puts commas between thousands."""
    if count == FEW:
        return f"fewer than {LEAST}"
    form = "{:,}" if grouped else "{}"
    if count.is_exact:
        return form.format(count.low)
    return f"{form.format(count.low)} to {form.format(count.high)}"


def enough(values: Sequence[float]) -> bool:
    """Whether there are enough values to publish their median."""
    return len(values) >= LEAST


def _part(count: int, whole: int) -> Published:
    if count in {0, whole} or not whole:
        return published(count)
    if whole < 2 * LEAST - 1:
        return Published(1, whole - 1)
    if whole - count < LEAST:
        return Published(whole - LEAST + 1, whole - 1)
    return published(count)
