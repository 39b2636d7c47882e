"""Groups news with the same text, such as one about each new applicant of a lab, into one piece of news."""

from __future__ import annotations

from posixpath import commonpath
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, case, func, select

from portal.models import Notification

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

SEVERAL = 3  # pieces of news with equal texts; more are one item of the page of news

_ALIKE = (
    select(func.count().label("times"))
    .where(Notification.user_id == bindparam("person"), Notification.read_at.is_(None))
    .group_by(Notification.text)
    .subquery()
)
_UNREAD = select(func.coalesce(func.sum(case((_ALIKE.c.times > SEVERAL, 1), else_=_ALIKE.c.times)), 0))


def unread_news(session: Session, person: int) -> int:
    """How many unread pieces of news somebody has, counting those with the same text as one. One statement."""
    return int(session.scalar(_UNREAD, {"person": person}) or 0)


def page_above(paths: Collection[str]) -> str:
    """The path that all share, or that of the page above them; empty if one of them leads nowhere."""
    if len(paths) == 1:
        return next(iter(paths))
    if not all(path.startswith("/") for path in paths):
        return ""
    above = commonpath(paths).rstrip("/")
    return f"{above}/" if above else ""
