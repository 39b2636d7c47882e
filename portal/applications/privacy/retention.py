"""How long applications of closed cycles are kept: until the cycle's retention period ends, unless a hold is set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from portal import audit
from portal.applications.commit_each import commit_each
from portal.applications.erasing import erase_application
from portal.db import lock_row
from portal.models import Application, AssignmentRound, Choice, Cycle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User
    from portal.storage import FileStore

ANNOUNCED_BEFORE = timedelta(days=30)
CLOCK = "retention"


@dataclass(frozen=True, slots=True)
class RetainedCycle:
    """A closed cycle whose applications are still there: when they are erased, and how many there are."""

    cycle: Cycle
    due_at: datetime
    applications: int


def due_at(cycle: Cycle) -> datetime | None:
    """When the applications of a cycle are erased: its days after it was closed; None while it is not closed."""
    return None if cycle.closed_at is None else cycle.closed_at + timedelta(days=cycle.retention_days)


def announced(session: Session, now: datetime) -> list[RetainedCycle]:
    """The cycles whose applications are erased within 30 days, or would be if they were not held; next first."""
    closed = session.scalars(select(Cycle).where(Cycle.closed_at.is_not(None), Cycle.erased_at.is_(None)))
    soon = [
        RetainedCycle(cycle, due, count_of(session, cycle))
        for cycle in closed
        if (due := due_at(cycle)) is not None and due <= now + ANNOUNCED_BEFORE
    ]
    return sorted(soon, key=lambda retained: retained.due_at)


def count_of(session: Session, cycle: Cycle) -> int:
    """How many applications a cycle has, drafts included."""
    return session.scalar(select(func.count(Application.id)).where(Application.cycle_id == cycle.id)) or 0


def erase_what_is_due(session: Session, files: FileStore, now: datetime) -> int:
    """Erase the applications of cycles whose retention period is over and that have no hold.

    Returns how many. Commits after each.

    Before its first application is erased, a cycle stores how many applications and choices ended in which state. When
    none is left, it is marked as erased and audited. The next run continues one that was interrupted.
    """
    erased = 0
    for cycle_id in session.scalars(
        select(Cycle.id).where(Cycle.closed_at.is_not(None), Cycle.erased_at.is_(None))
    ).all():
        cycle = session.get_one(Cycle, cycle_id)
        if not is_due(cycle, now):
            continue
        if not cycle.kept_counts:
            cycle.kept_counts = _counts(session, cycle)
            session.commit()
        application_ids = session.scalars(
            select(Application.id).where(Application.cycle_id == cycle_id).order_by(Application.id)
        )
        erased += commit_each(
            session,
            "Erasing an application",
            application_ids.all(),
            lambda application_id: _erase(session, files, application_id, now),
        )
        _mark_erased(session, cycle_id, now)
    return erased


def is_due(cycle: Cycle, now: datetime) -> bool:
    """Whether the applications of a cycle are to be erased now."""
    due = due_at(cycle)
    return due is not None and due <= now and not cycle.hold_reason and cycle.erased_at is None


def hold(session: Session, cycle: Cycle, *, reason: str, actor: User, now: datetime) -> None:
    """Keep the applications of a cycle until the hold is ended, even beyond its retention period."""
    _lock(session, cycle)
    if cycle.hold_reason == reason:  # a second click
        return
    before, cycle.hold_reason = cycle.hold_reason, reason
    _record(session, cycle, "cycle.hold", actor, now, before={"hold": before}, after={"hold": reason})


def end_hold(session: Session, cycle: Cycle, *, reason: str, actor: User, now: datetime) -> None:
    """End the hold of a cycle: its retention period applies again."""
    _lock(session, cycle)
    if not cycle.hold_reason:  # a second click
        return
    before, cycle.hold_reason = cycle.hold_reason, ""
    _record(session, cycle, "cycle.end_hold", actor, now, before={"hold": before}, after={"reason": reason})


def _lock(session: Session, cycle: Cycle) -> None:
    lock_row(session, Cycle.hold_reason, cycle.id)
    session.refresh(cycle, ["hold_reason"])


def _erase(session: Session, files: FileStore, application_id: int, now: datetime) -> bool:
    application = session.get(Application, application_id)
    if application is None:
        return False
    # So that a hold is set before this application is erased, and keeps it, or after.
    lock_row(session, Cycle.hold_reason, application.cycle_id)
    session.refresh(application.cycle)
    if not is_due(application.cycle, now):  # held meanwhile
        return False
    erase_application(session, files, application, now=now)
    return True


def _mark_erased(session: Session, cycle_id: int, now: datetime) -> None:
    cycle = session.get_one(Cycle, cycle_id)
    if not is_due(cycle, now) or count_of(session, cycle):
        session.rollback()
        return
    # A round names applicants by the receipts of applications that no longer exist.
    session.execute(delete(AssignmentRound).where(AssignmentRound.cycle_id == cycle_id))
    cycle.erased_at = now
    _record(session, cycle, "cycle.erase_applications", CLOCK, now, before=None, after=cycle.kept_counts)
    session.commit()


def _counts(session: Session, cycle: Cycle) -> dict[str, dict[str, int]]:
    of_applications = select(Application.state, func.count()).where(Application.cycle_id == cycle.id)
    of_choices = (
        select(Choice.state, func.count())
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
    )
    return {
        "applications": _by_state(session.execute(of_applications.group_by(Application.state)).all()),
        "choices": _by_state(session.execute(of_choices.group_by(Choice.state)).all()),
    }


def _by_state(rows: Sequence[object]) -> dict[str, int]:
    return {str(state): int(count) for state, count in rows}  # type: ignore[misc, has-type]  # rows of two columns


def _record(
    session: Session, cycle: Cycle, act: str, actor: User | str, now: datetime, *, before: object, after: object
) -> None:
    audit.record(
        session, actor=actor, act=act, object_type="cycle", object_key=cycle.slug, now=now, before=before, after=after
    )
