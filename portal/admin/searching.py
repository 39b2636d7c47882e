"""Shared by the lists of the administrators' pages: search texts, search conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, false, func, or_, select

from portal.applications.people import has_other_letters, ids_of_names, is_plainly_named
from portal.applications.submissions import GROUP_LENGTH, RECEIPT_GROUPS
from portal.models import Application, User
from portal.web.paging import LIST_FIELDS, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

LONGEST_SEARCH = LIST_FIELDS["q"]
SHORTEST_RECEIPT = 8  # characters: two of its groups, which no name begins with
ROWS = 100  # of a page whose rows are ticked, each marked in some hundredths of a second


def search_text(typed: str | None) -> str:
    """A typed search text as one printable line of bounded length."""
    return one_line(typed, LONGEST_SEARCH)


def list_request(values: Mapping[str, str], *, sorts: Sequence[str], **choices: Collection[str]) -> dict[str, str]:
    """What a list is narrowed to and how it is sorted, from a query string: `choices`, "lab", "q", "sort" and "order".

    Unknown values are empty and narrow nothing; the first of `sorts` is the usual one. A lab is named by its slug, or
    by words of its name.
    """
    chosen = {name: value if (value := values.get(name, "")) in known else "" for name, known in choices.items()}
    sort, order = values.get("sort", ""), values.get("order", "")
    return chosen | {
        "lab": search_text(values.get("lab")),
        "q": search_text(values.get("q")),
        "sort": sort if sort in sorts else sorts[0],
        "order": order if order == "descending" else "",
    }


def contains_text(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """A condition: a column contains a text, whatever the case of its letters.

    SQLite only knows the case of ASCII letters, so the text is also searched as typed and with capitals.
    """
    spellings = {text, text.title()}
    return or_(
        func.lower(column).contains(text.lower(), autoescape=True),
        *(column.contains(spelling, autoescape=True) for spelling in sorted(spellings)),
    )


def is_called(session: Session, word: str) -> ColumnElement[bool]:
    """A condition on `User`: the name contains a word, whatever the case and accents of either."""
    name = User.name.expression
    accented = session.execute(select(User.id, User.name).where(has_other_letters(name)))
    return is_plainly_named(name, word) | User.id.in_(ids_of_names(accented, word))


def is_found_by(session: Session, word: str) -> ColumnElement[bool]:
    """A condition on `User`: the name or the e-mail address contains a word."""
    return is_called(session, word) | contains_text(User.email.expression, word)


def is_applicant_found_by(session: Session, text: str) -> ColumnElement[bool]:
    """A condition on a `User` joined with their `Application`: the name and the e-mail address contain the words of a
    text, or the text is the receipt of the application or its beginning.
    """
    return _are_found_by(session, text) | has_receipt(text)


def is_person_found_by(session: Session, text: str) -> ColumnElement[bool]:
    """A condition on `User`: `is_applicant_found_by` for any of their applications, if they have some."""
    receipt = select(Application.applicant_id).where(has_receipt(text))
    return _are_found_by(session, text) | User.id.in_(receipt)


def has_receipt(text: str) -> ColumnElement[bool]:
    """A condition on `Application`: its receipt begins with a text, in small letters or without hyphens as well."""
    typed = "".join(char for char in text.upper() if char not in " -")
    if not (typed.isascii() and typed.isalnum() and SHORTEST_RECEIPT <= len(typed) <= GROUP_LENGTH * RECEIPT_GROUPS):
        return false()
    groups = (typed[start : start + GROUP_LENGTH] for start in range(0, len(typed), GROUP_LENGTH))
    return Application.receipt.startswith("-".join(groups))


def _are_found_by(session: Session, text: str) -> ColumnElement[bool]:
    return and_(*(is_found_by(session, word) for word in text.split()))
