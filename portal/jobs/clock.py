"""Work that the clock starts: which is due, and which of several processes does it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite

from portal.jobs.registry import CLOCKWORK, Clockwork
from portal.models import ClockMark
from portal.moments import SKEW

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

TRY_AGAIN = timedelta(hours=1)


def claim_due(session: Session, now: datetime) -> list[Clockwork]:
    """Take up all clock work that is due, so that no other process does. Commits.

    Work that was never begun is due at once.
    """
    marks = {mark.name: (mark.begun_at, mark.done_at) for mark in session.scalars(select(ClockMark))}
    mine = []
    for name, work in sorted(CLOCKWORK.items()):
        begun_at, done_at = marks.get(name, (None, None))
        if is_due(work, begun_at, done_at, now) and _claim(session, work, begun_at, now):
            mine.append(work)
    session.commit()
    return mine


def is_due(work: Clockwork, begun_at: datetime | None, done_at: datetime | None, now: datetime) -> bool:
    """Whether `work`, last begun at `begun_at` and last done at `done_at`, is to be done now.

    Daily work that was begun and not done in an hour, because it failed or was killed, is due again. So is what was
    begun in days to come, by a clock that was wrong.
    """
    if begun_at is None or begun_at > now + SKEW:
        return True
    if work.every is not None:
        return now - begun_at >= work.every
    assert work.at is not None  # noqa: S101  (one of the two is given; see `clockwork`)
    latest = datetime.combine(now.date(), work.at, tzinfo=now.tzinfo)
    if latest > now:
        latest -= timedelta(days=1)
    broke_off = (done_at is None or done_at < begun_at) and now - begun_at >= TRY_AGAIN
    return begun_at < latest or broke_off


def mark_done(session: Session, name: str, now: datetime) -> None:
    """Say that the clock work `name` ended well."""
    session.execute(update(ClockMark).where(ClockMark.name == name).values(done_at=now))


def _claim(session: Session, work: Clockwork, begun_at: datetime | None, now: datetime) -> bool:
    """Whether this process is the one to do it: it changed the mark that all have read."""
    if begun_at is None:
        insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
        first = insert(ClockMark).values(name=work.name, begun_at=now).on_conflict_do_nothing()
        return session.execute(first.returning(ClockMark.name)).one_or_none() is not None
    again = update(ClockMark).where(ClockMark.name == work.name, ClockMark.begun_at == begun_at).values(begun_at=now)
    return session.execute(again.returning(ClockMark.name)).one_or_none() is not None
