"""Reads a person's news.

Many pieces of news with equal words, such as one for each new applicant of a lab, are grouped into one, with their
number and a link to the page above all those they lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import case, func, or_, select

from portal.mail.grouped_news import SEVERAL, page_above
from portal.mail.rendering import line_of_several
from portal.models import Notification
from portal.web.paging import PER_PAGE, Page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

_UNREAD = Notification.read_at.is_(None)


class News(NamedTuple):
    """News that was told `times` times, as its `text` says; `id`, `path` and the time are those of the newest."""

    id: int
    text: str
    path: str
    created_at: datetime
    is_unread: bool
    times: int


def news_page(session: Session, person: User, number: int) -> Page[News]:
    """A page of the news of `person`, newest first; a page beyond the last gives the last."""
    newest = (Notification.created_at.desc(), Notification.id.desc())
    alike = (Notification.text, _UNREAD)
    told = (
        select(
            Notification.id,
            Notification.kind,
            Notification.text,
            Notification.path,
            Notification.created_at,
            _UNREAD.label("is_unread"),
            func.count().over(partition_by=alike).label("times"),
            func.row_number().over(partition_by=alike, order_by=newest).label("place"),
        )
        .where(Notification.user_id == person.id)
        .subquery()
    )
    few = told.c.times <= SEVERAL
    kept = or_(few, told.c.place == 1)
    total = session.scalar(select(func.count()).select_from(told).where(kept)) or 0
    number = min(number, max(1, -(-total // PER_PAGE)))
    shown = (
        select(
            told.c.id,
            told.c.kind,
            told.c.text,
            told.c.path,
            told.c.created_at,
            told.c.is_unread,
            case((few, 1), else_=told.c.times),
        )
        .where(kept)
        .order_by(told.c.created_at.desc(), told.c.id.desc())
        .limit(PER_PAGE)
        .offset((number - 1) * PER_PAGE)
    )
    rows = [
        News(id_, line_of_several(kind, text, times), path, at, is_unread, times)
        for id_, kind, text, path, at, is_unread, times in session.execute(shown)
    ]
    return Page(rows, number, total)


def news_of(session: Session, person: User, number: int) -> Notification | None:
    """One piece of news, if it is `person`'s."""
    return session.scalar(select(Notification).where(Notification.id == number, Notification.user_id == person.id))


def told_with(session: Session, one: Notification) -> Sequence[Notification]:
    """All news grouped with `one`, with the same read or unread state."""
    alike = select(Notification).where(
        Notification.user_id == one.user_id, Notification.text == one.text, _UNREAD.is_(one.read_at is None)
    )
    told = session.scalars(alike).all()
    return told if len(told) > SEVERAL else (one,)


def leads_to(told: Sequence[Notification]) -> str:
    """The path of a piece of news; for a group, that of the page above all of them, or empty if there is none."""
    return page_above({one.path for one in told})
