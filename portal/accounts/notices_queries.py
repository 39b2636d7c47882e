"""Reads about somebody's news."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.models import Notification
from portal.web.paging import PER_PAGE, Page

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import User


def news_page(session: Session, person: User, number: int) -> Page[Notification]:
    """A page of the news of `person`, the newest first; the last page where there are not so many."""
    mine = Notification.user_id == person.id
    total = session.scalar(select(func.count()).select_from(Notification).where(mine)) or 0
    number = min(number, max(1, -(-total // PER_PAGE)))
    newest = select(Notification).where(mine).order_by(Notification.created_at.desc(), Notification.id.desc())
    return Page(session.scalars(newest.limit(PER_PAGE).offset((number - 1) * PER_PAGE)).all(), number, total)


def news_of(session: Session, person: User, number: int) -> Notification | None:
    """One piece of news, if it is `person`'s."""
    return session.scalar(select(Notification).where(Notification.id == number, Notification.user_id == person.id))


def unread_count(session: Session, person: User) -> int:
    """How many pieces of news `person` has not read."""
    unread = select(func.count(Notification.id)).where(
        Notification.user_id == person.id, Notification.read_at.is_(None)
    )
    return session.scalar(unread) or 0
