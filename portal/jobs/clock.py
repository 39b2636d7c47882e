"""Work that the clock starts: what is due, and which of several processes does it.

Normally some work begins every half minute. After days in which none began, the portal cannot tell whether it was down
or its clock jumped: a clock that is a year ahead would let all offers expire and erase the applications of all closed
cycles in one night. Therefore, after such a gap, work that cannot be undone is held for some days; administrators are
told (`portal.applications.clock`), and can correct a wrong clock.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from portal.db import insert_into
from portal.jobs.registry import CLOCKWORK, Clockwork
from portal.models import ClockMark
from portal.moments import SKEW

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

logger = logging.getLogger(__name__)

RETRY_AFTER = timedelta(hours=1)
LONGEST_PAUSE = timedelta(days=2)
"""A longer pause may mean that the clock has jumped."""
HOLD_PERIOD = timedelta(days=3)
STILL = timedelta(minutes=2)
"""Mail is delivered every 30 seconds: when no work began for this long, the clock does not run."""
GAP = "gap of the clock"
"""The mark of the last gap: `begun_at` is when the clock resumed, `done_at` when it had last begun something before."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A period in which the clock began nothing."""

    since: datetime
    until: datetime

    @property
    def held_until(self) -> datetime:
        """When work that cannot be undone resumes."""
        return self.until + HOLD_PERIOD


def last_begun(session: Session, now: datetime) -> datetime | None:
    """When the clock last began anything, None if it never did. What a wrong clock wrote, in the future, is ignored."""
    return session.scalar(select(func.max(ClockMark.begun_at)).where(ClockMark.begun_at <= now + SKEW))


def is_running(last: datetime | None, now: datetime) -> bool:
    """Whether the clock runs, if it last began something at `last`."""
    return last is not None and now - last <= STILL


def claim_due(session: Session, now: datetime) -> list[Clockwork]:
    """Claim all clock work that is due, so that no other process does it. Commits.

    Work that was never begun is due at once. After a gap, irrevocable work waits.
    """
    marks = {mark.name: (mark.begun_at, mark.done_at) for mark in session.scalars(select(ClockMark))}
    _note_gap(session, [begun for name, (begun, _) in marks.items() if name != GAP], now)
    is_held = gap_that_holds(session, now) is not None
    claimed = []
    for name, work in sorted(CLOCKWORK.items()):
        begun_at, done_at = marks.get(name, (None, None))
        if is_held and work.irrevocable:
            continue
        if is_due(work, begun_at, done_at, now) and _claim(session, work, begun_at, now):
            claimed.append(work)
    session.commit()
    return claimed


def gap_that_holds(session: Session, now: datetime) -> Gap | None:
    """The gap because of which irrevocable work waits now; one in the future, noted by a wrong clock, is ignored."""
    mark = session.get(ClockMark, GAP, populate_existing=True)
    if mark is None or mark.done_at is None:
        return None
    gap = Gap(mark.done_at, mark.begun_at)
    return gap if gap.until <= now + SKEW and now < gap.held_until else None


def _note_gap(session: Session, begun: list[datetime], now: datetime) -> None:
    """Record a gap if nothing was begun for long. Marks in the future are ignored: a wrong clock set them."""
    last = max((moment for moment in begun if moment <= now + SKEW), default=now)
    if now - last <= LONGEST_PAUSE:
        return
    logger.warning("The clock began nothing from %s to %s: what cannot be undone is held", last, now)
    mark = insert_into(session, ClockMark).values(name=GAP, begun_at=now, done_at=last)
    session.execute(
        mark.on_conflict_do_update(index_elements=[ClockMark.name], set_={"begun_at": now, "done_at": last})
    )


def is_due(work: Clockwork, begun_at: datetime | None, done_at: datetime | None, now: datetime) -> bool:
    """Whether `work`, last begun at `begun_at` and last done at `done_at`, is due now.

    Daily work that was begun but not finished within an hour, because it failed or was killed, is due again. So is work
    that a wrong clock marked as begun in the future.
    """
    if begun_at is None or begun_at > now + SKEW:
        return True
    if work.every is not None:
        return now - begun_at >= work.every
    assert work.at is not None  # noqa: S101  (one of the two is given; see `clockwork`)
    latest = datetime.combine(now.date(), work.at, tzinfo=now.tzinfo)
    if latest > now:
        latest -= timedelta(days=1)
    is_unfinished = (done_at is None or done_at < begun_at) and now - begun_at >= RETRY_AFTER
    return begun_at < latest or is_unfinished


def mark_done(session: Session, name: str, now: datetime) -> None:
    """Record that the clock work `name` ended well."""
    session.execute(update(ClockMark).where(ClockMark.name == name).values(done_at=now))


def _claim(session: Session, work: Clockwork, begun_at: datetime | None, now: datetime) -> bool:
    """Claim the work for this process by changing its mark; False if another process changed it first."""
    if begun_at is None:
        insertion = insert_into(session, ClockMark).values(name=work.name, begun_at=now).on_conflict_do_nothing()
        return session.execute(insertion.returning(ClockMark.name)).one_or_none() is not None
    same_mark = update(ClockMark).where(ClockMark.name == work.name, ClockMark.begun_at == begun_at)
    return session.execute(same_mark.values(begun_at=now).returning(ClockMark.name)).one_or_none() is not None
