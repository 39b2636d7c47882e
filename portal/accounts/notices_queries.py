"""Reads a person's news.

Many pieces of news with equal words, such as one for each new applicant of a lab, are grouped into one, with their
number and a link to the page above all those they lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import case, func, or_, select

from portal.mail.news import SEVERAL, page_above
from portal.mail.rendering import line_of_several
from portal.models import Notification
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

_UNREAD = Notification.read_at.is_(None)


class News(NamedTuple):
    """News of which there are `times` pieces, as its `text` says; `id`, `path` and the time are those of the newest."""

    id: int
    text: str
    path: str
    created_at: datetime
    is_unread: bool
    times: int


def news_page(session: Session, person: User, number: int) -> Page[News]:
    """A page of the news of `person`, newest first; a page beyond the last gives the last."""
    newest = (Notification.created_at.desc(), Notification.id.desc())
    grouped_by = (Notification.text, _UNREAD)
    news = (
        select(
            Notification.id,
            Notification.kind,
            Notification.text,
            Notification.path,
            Notification.created_at,
            _UNREAD.label("is_unread"),
            func.count().over(partition_by=grouped_by).label("times"),
            func.row_number().over(partition_by=grouped_by, order_by=newest).label("place"),
        )
        .where(Notification.user_id == person.id)
        .subquery()
    )
    is_single = news.c.times <= SEVERAL
    is_shown = or_(is_single, news.c.place == 1)
    grouped = (
        select(
            news.c.id,
            news.c.kind,
            news.c.text,
            news.c.path,
            news.c.created_at,
            news.c.is_unread,
            case((is_single, 1), else_=news.c.times),
        )
        .where(is_shown)
        .order_by(news.c.created_at.desc(), news.c.id.desc())
    )
    shown, number, total = cut_to_page(session, grouped, number)
    rows = [
        News(news_id, line_of_several(kind, text, times), path, at, is_unread, times)
        for news_id, kind, text, path, at, is_unread, times in session.execute(shown)
    ]
    return Page(rows, number, total)


def news_of(session: Session, person: User, news_id: int) -> Notification | None:
    """One piece of news, if it is `person`'s."""
    return session.scalar(select(Notification).where(Notification.id == news_id, Notification.user_id == person.id))


def grouped_with(session: Session, news: Notification) -> Sequence[Notification]:
    """All news grouped with `news`, with the same read or unread state."""
    same_text = select(Notification).where(
        Notification.user_id == news.user_id, Notification.text == news.text, _UNREAD.is_(news.read_at is None)
    )
    group = session.scalars(same_text).all()
    return group if len(group) > SEVERAL else (news,)


def path_of_group(group: Sequence[Notification]) -> str:
    """The path of a piece of news; for a group, that of the page above all of them, or empty if there is none."""
    return page_above({news.path for news in group})
