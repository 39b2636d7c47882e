"""What the lists of the administrators' pages have in common: search texts and page numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from portal.applications.name_search import has_other_letters, holds_plainly, ids_of_names
from portal.models import User
from portal.web.paging import PER_PAGE
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

LONGEST_SEARCH = 200  # characters
SHOWN = (PER_PAGE, 100, 250)  # rows of a page that somebody may ask for, each marked in some hundredths of a second


def search_text(typed: str | None) -> str:
    """What somebody looks for: one line, printable, of bounded length."""
    printable = "".join(char if char.isprintable() else " " for char in typed or "")
    return " ".join(printable.split())[:LONGEST_SEARCH]


def rows_at_once(asked: str | None, usual: int | None = None) -> int:
    """How many rows a page has: as many as the address asks for, of those that are on offer, or as many as `usual`."""
    number = whole_number(asked or "")
    return number if number is not None and number in SHOWN else usual or PER_PAGE


def page_within(number: int, total: int, per_page: int = PER_PAGE) -> int:
    """The page asked for, or the last one where there are not so many."""
    return min(number, max(1, -(-total // per_page)))


def contains_text(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Whether a column holds a text, whatever the case of its letters.

    SQLite only knows the case of ASCII letters, so the text is looked for as typed and with capitals too.
    """
    spellings = {text, text.title()}
    return or_(
        func.lower(column).contains(text.lower(), autoescape=True),
        *(column.contains(spelling, autoescape=True) for spelling in sorted(spellings)),
    )


def is_called(session: Session, word: str) -> ColumnElement[bool]:
    """As a part of a statement over `User`: whether the name holds a word, whatever the case and accents of either."""
    name = User.name.expression
    accented = session.execute(select(User.id, User.name).where(has_other_letters(name)))
    return holds_plainly(name, word) | User.id.in_(ids_of_names(accented, word))
