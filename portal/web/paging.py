"""Pages of a long list, and which part of a list an address or a form speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import func

from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

T = TypeVar("T")
U = TypeVar("U")
S = TypeVar("S", bound="Select[*tuple[Any, ...]]")
PER_PAGE = 25
LAST_PAGE = 999_999
LIST_FIELDS = {
    "q": 200, "lab": 200, "cycle": 120, "state": 40, "card": 40, "kind": 40, "role": 40, "account": 40, "sort": 40,
    "order": 12, "reviewer": 10, "tag": 40, "new": 3, "show": 4, "page": 6,
}  # fmt: skip
"""What an address says of a list, and how many characters of it count."""


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

    def with_items(self, items: Sequence[U]) -> Page[U]:
        """The same page with other items, each made of one of these."""
        return Page(items, self.number, self.total, self.per_page)

    def numbers(self) -> list[int | None]:
        """The page numbers to link: the ends and the neighbours; None stands for a gap."""
        shown = sorted({1, self.count, *range(max(1, self.number - 1), min(self.count, self.number + 1) + 1)})
        linked: list[int | None] = []
        for number in shown:
            if linked and linked[-1] is not None and number - linked[-1] > 1:
                linked.append(None)
            linked.append(number)
        return linked


def page_within(number: int, total: int, per_page: int = PER_PAGE) -> int:
    """The page `number`, or the last page if there are fewer."""
    return min(number, max(1, -(-total // per_page)))


def page_with(position: int, per_page: int = PER_PAGE) -> int:
    """The page on which the item at `position` stands, counted from 1 like the pages."""
    return max(0, position - 1) // per_page + 1


def page_of(items: Sequence[T], number: int, per_page: int = PER_PAGE) -> Page[T]:
    """Page `number` of a complete list, or its last page if it has fewer."""
    number = page_within(number, len(items), per_page)
    return Page(items[(number - 1) * per_page : number * per_page], number, len(items), per_page)


def cut_to_page(session: Session, statement: S, number: int, per_page: int = PER_PAGE) -> tuple[S, int, int]:
    """A statement that reads page `number` of what `statement` does, or its last page; the number of that page; and how
    many rows there are in all, which are counted here.
    """
    counting = statement.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
    total = session.scalar(counting) or 0
    number = page_within(number, total, per_page)
    return statement.limit(per_page).offset((number - 1) * per_page), number, total


def list_state(sent: Mapping[str, str], *names: str) -> dict[str, str]:
    """What a form or a query says of a list: each of `names`, by default all of `LIST_FIELDS`, as one printable line
    of bounded length; without those that are empty. Whoever leads back to a list leads to this.
    """
    given = {name: one_line(sent.get(name), LIST_FIELDS[name]) for name in names or LIST_FIELDS}
    return {name: value for name, value in given.items() if value}


def one_line(typed: str | None, longest: int) -> str:
    """A typed text as one printable line of bounded length."""
    printable = "".join(char if char.isprintable() else " " for char in typed or "")
    return " ".join(printable.split())[:longest].rstrip()


def page_number(text: str | None) -> int:
    """The page number in the URL; anything that is not a page number means the first page."""
    number = whole_number(text or "")
    return number if number is not None and 1 <= number <= LAST_PAGE else 1
