"""Choosing one lab in a form: from a list if there are few labs, by typing its name or address if there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import and_, false, func, or_, select

from portal.admin.searching import contains_text, search_text
from portal.labs.texts import MOST_COMPARED, near_names
from portal.models import Lab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

T = TypeVar("T")
MOST_OFFERED = 100  # labs of a list to choose from; more are searched
MOST_NAMED = 8  # labs that a text may mean, in a sentence


class NoSuchLab(ValueError):
    """A text does not name one lab; the message says what to type instead."""


def labs_on_offer(session: Session, among: ColumnElement[bool] | None = None) -> Sequence[tuple[str, str]] | None:
    """Slug and name of every lab for which `among` holds, by name; None if they are too many for a list."""
    statement = select(Lab.slug, Lab.name).order_by(func.lower(Lab.name), Lab.id).limit(MOST_OFFERED + 1)
    rows = [(slug, name) for slug, name in session.execute(statement if among is None else statement.where(among))]
    return if_few(rows)


def if_few(labs: Sequence[T]) -> Sequence[T] | None:
    """The labs, if they are few enough for a list to choose from; otherwise None."""
    return labs if len(labs) <= MOST_OFFERED else None


def is_meant_by(session: Session, text: str) -> ColumnElement[bool]:
    """A condition on `Lab`: the lab with this slug, else those with this name, else those whose name, leader or slug
    contains every word.
    """
    typed = search_text(text)
    if not typed:
        return false()
    for exact in (Lab.slug == typed, func.lower(Lab.name) == typed.lower()):
        if session.scalar(select(Lab.id).where(exact).limit(1)) is not None:
            return exact
    return and_(*(or_(*(contains_text(column, word) for column in _SEARCHED)) for word in typed.split()))


def lab_meant_by(session: Session, text: str) -> Lab:
    """The one lab that a text names.

    Raises:
        NoSuchLab: There is none, or there are several.
    """
    labs = session.scalars(
        select(Lab).where(is_meant_by(session, text)).order_by(func.lower(Lab.name), Lab.id).limit(MOST_NAMED + 1)
    ).all()
    if len(labs) == 1:
        return labs[0]
    if not labs:
        offered = " or ".join(f"“{name}”" for name in labs_near(session, search_text(text)))
        advice = f"Did you mean {offered}? If not, type" if offered else "Type"
        raise NoSuchLab(
            f"No lab is called “{search_text(text)}”. {advice} a part of its name, its leader or its address."
        )
    names = ", ".join(f"{lab.name} ({lab.slug})" for lab in labs[:MOST_NAMED])
    more = " and others" if len(labs) > MOST_NAMED else ""
    raise NoSuchLab(f"Several labs fit: {names}{more}. Type the address of one, which stands in brackets.")


def labs_near(session: Session, text: str) -> tuple[str, ...]:
    """Names of labs and of their leaders near to a text that names no lab."""
    named = select(Lab.name, Lab.leader).order_by(Lab.id).limit(MOST_COMPARED)
    return near_names((name for row in session.execute(named) for name in row), text)


def shown_text(session: Session, text: str) -> str:
    """The text for a search field: the name of the lab if `text` is a slug, otherwise the text itself."""
    return session.scalar(select(Lab.name).where(Lab.slug == text)) or search_text(text)


_SEARCHED: tuple[ColumnElement[str], ...] = (Lab.name.expression, Lab.leader.expression, Lab.slug.expression)
