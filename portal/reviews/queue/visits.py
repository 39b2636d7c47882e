"""When a reviewer last looked at a lab's queue: what arrived or changed since is new."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError

from portal.db import columns
from portal.models import QueueVisit

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User

ONE_VISIT = timedelta(minutes=30)  # after which a visit is over
WRITTEN_EVERY = timedelta(minutes=1)


_VISIT = select(QueueVisit.visited_at, QueueVisit.before_at).where(
    QueueVisit.lab_id == bindparam("lab"), QueueVisit.reviewer_id == bindparam("reviewer")
)


def visit(session: Session, lab: Lab, reviewer: User, *, now: datetime) -> datetime | None:
    """Record that the reviewer looks at the queue; returns when their previous visit ended, if there was one.

    A visit lasts while looks are less than half an hour apart. Side effect: writes the row, at most once per minute.
    """
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    if row is None:
        _first_visit(session, lab, reviewer, now)
        return None
    visited_at, before_at = row
    if now - visited_at > WRITTEN_EVERY:
        before_at = visited_at if now - visited_at > ONE_VISIT else before_at
        stored = session.get_one(QueueVisit, (lab.id, reviewer.id))
        stored.visited_at, stored.before_at = now, before_at
    return before_at


def visited_before(session: Session, lab: Lab, reviewer: User) -> datetime | None:
    """When the visit before the present one ended; writes nothing."""
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    return row.before_at if row else None


def _first_visit(session: Session, lab: Lab, reviewer: User, now: datetime) -> None:
    """Two pages opened at once both find no row; the second one keeps the first one's."""
    try:
        with session.begin_nested():
            session.add(QueueVisit(lab_id=lab.id, reviewer_id=reviewer.id, visited_at=now))
    except IntegrityError:
        session.expire_all()
