"""Pages of a long list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
PER_PAGE = 25
LAST_PAGE = 999_999


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list: its items, the number of the page (from 1) and how many items there are in all."""

    items: Sequence[T]
    number: int
    total: int
    per_page: int = PER_PAGE

    @property
    def count(self) -> int:
        """How many pages there are; an empty list has one."""
        return max(1, -(-self.total // self.per_page))

    @property
    def first(self) -> int:
        """Position of the first item in the whole list, from 1; 0 if it is empty."""
        return (self.number - 1) * self.per_page + 1 if self.items else 0

    @property
    def last(self) -> int:
        """Position of the last item in the whole list."""
        return self.first + len(self.items) - 1 if self.items else 0

    def numbers(self) -> list[int | None]:
        """The page numbers to link: the ends and the neighbours; None stands for a gap."""
        shown = sorted({1, self.count, *range(max(1, self.number - 1), min(self.count, self.number + 1) + 1)})
        linked: list[int | None] = []
        for number in shown:
            if linked and linked[-1] is not None and number - linked[-1] > 1:
                linked.append(None)
            linked.append(number)
        return linked


def page_of(items: Sequence[T], number: int, per_page: int = PER_PAGE) -> Page[T]:
    """Page `number` of a complete list, or its last page if it has fewer."""
    number = min(number, max(1, -(-len(items) // per_page)))
    return Page(items[(number - 1) * per_page : number * per_page], number, len(items), per_page)


def page_number(text: str | None) -> int:
    """The page number in the URL; anything that is not a page number means the first page."""
    number = whole_number(text or "")
    return number if number is not None and 1 <= number <= LAST_PAGE else 1
