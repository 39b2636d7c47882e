"""What is said of a count of people, so that no group of fewer than five can be told from the others.

The rule:

- A count of 1 to 4 is said as "fewer than 5"; 0 is said.
- Of counts each of which is a part of the one before (the steps of a funnel, or "late" among "waiting"), a count is
  also said as a range where fewer than five are missing from the last one that was said exactly: "8 to 11" after 12,
  whether 8 or 11 is true. So what lies between two steps is no small group either. After 5 to 8 the two ranges would
  overlap, and "1 to 7" stands for all of them.
- A total is the sum of what was said of its parts, as a range where a part is one. It is computed from nothing else,
  so a total minus the other parts gives back no more than the part's own range.

The promise, tested by trying all small tables: to whoever sees one table, and knows this rule, every hidden count may
still be any of at least four values in a row. It holds for one table. Two tables, or the same one on two days, may
together say more; nothing else can be promised without hiding all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LEAST = 5
"""The smallest group of people of which something is said."""


class Published(NamedTuple):
    """What is said of a count: it is one of `low` to `high`."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the count itself is said."""
        return self.low == self.high


HARDLY_ANY = Published(0, LEAST - 1)
"""Nobody or a small group: said where even that there is somebody must not be."""
FEW = Published(1, LEAST - 1)


def published(count: int) -> Published:
    """What is said of a count that stands by itself."""
    return FEW if 0 < count < LEAST else Published(count, count)


def nested(counts: Iterable[int]) -> list[Published]:
    """What is said of counts each of which is a part of the one before.

    Raises:
        ValueError: One is larger than the one before.
    """
    said: list[Published] = []
    before: int | None = None
    whole = 0  # the last that was said exactly; 0 while there is none
    for count in counts:
        if before is not None and count > before:
            raise ValueError(f"{count} cannot be a part of {before}.")
        before = count
        said.append(_part(count, whole))
        if said[-1].is_exact:
            whole = count
    return said


def part(count: int, *wholes: int) -> Published:
    """What is said of `count`, a part of the last of `wholes`, where `nested` says these elsewhere on the page."""
    return nested([*wholes, count])[-1]


def total(parts: Iterable[Published]) -> Published:
    """What is said of the sum of parts that do not overlap."""
    low = high = 0
    for one in parts:
        low, high = low + one.low, high + one.high
    return Published(low, high)


def in_words(count: Published, *, grouped: bool = True) -> str:
    """As it is read: "12", "fewer than 5", "8 to 11"; `grouped` puts commas between thousands."""
    if count == FEW:
        return f"fewer than {LEAST}"
    if count == HARDLY_ANY:
        return f"none or fewer than {LEAST}"
    form = "{:,}" if grouped else "{}"
    if count.is_exact:
        return form.format(count.low)
    return f"{form.format(count.low)} to {form.format(count.high)}"


def enough(values: Sequence[float]) -> bool:
    """Whether a median of these may be said."""
    return len(values) >= LEAST


def _part(count: int, whole: int) -> Published:
    if count in {0, whole} or not whole:
        return published(count)
    if whole < 2 * LEAST - 1:
        return Published(1, whole - 1)
    if whole - count < LEAST:
        return Published(whole - LEAST + 1, whole - 1)
    return published(count)
