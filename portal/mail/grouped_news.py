"""News in equal words, such as of each new applicant of a lab: more than a few are one piece of news."""

from __future__ import annotations

from posixpath import commonpath
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, case, func, select

from portal.models import Notification

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

SEVERAL = 3  # pieces of news that differ in where they lead alone

_ALIKE = (
    select(func.count().label("times"))
    .where(Notification.user_id == bindparam("person"), Notification.read_at.is_(None))
    .group_by(Notification.text)
    .subquery()
)
_UNREAD = select(func.coalesce(func.sum(case((_ALIKE.c.times > SEVERAL, 1), else_=_ALIKE.c.times)), 0))


def unread_news(session: Session, person: int) -> int:
    """How many pieces of news somebody has not read, those in equal words counted as one. One statement."""
    return int(session.scalar(_UNREAD, {"person": person}) or 0)


def page_above(paths: Collection[str]) -> str:
    """The path that all lead to, or that of the page above them; empty where one of them leads nowhere."""
    if len(paths) == 1:
        return next(iter(paths))
    if not all(path.startswith("/") for path in paths):
        return ""
    above = commonpath(paths).rstrip("/")
    return f"{above}/" if above else ""
