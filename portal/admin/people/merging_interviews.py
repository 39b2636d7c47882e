"""Interviews of two accounts of one person at the same time, listed before the accounts are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select
from sqlalchemy.orm import joinedload

from portal.applications.interviews.plan import overlaps
from portal.models import Application, Choice, InterviewSlot
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

MOST_SAID = 10


def interviews_at_once(session: Session, kept: User, other: User, now: datetime) -> tuple[str, ...]:
    """A sentence for each pair of future interviews, one of each account, that overlap.

    Times that a lab still offers count for their interviewer. An overlap does not prevent the merge: either lab can
    move or cancel its time.
    """
    ours, theirs = _ahead(session, kept, now), _ahead(session, other, now)
    sentences = [
        f"{first.lab.name}, {format_in_zone(first.starts_at, first.zone)}, for {first.minutes} minutes, and "
        f"{second.lab.name}, {format_in_zone(second.starts_at, second.zone)}, for {second.minutes} minutes."
        for first in ours
        for second in theirs
        if first.id != second.id and overlaps(first.starts_at, first.minutes, second.starts_at, second.minutes)
    ]
    more = len(sentences) - MOST_SAID
    return (*sentences[:MOST_SAID], *([f"And {more} more."] if more > 0 else []))


def _ahead(session: Session, person: User, now: datetime) -> Sequence[InterviewSlot]:
    """Somebody's future interviews, as interviewer or applicant."""
    return session.scalars(
        select(InterviewSlot)
        .outerjoin(Choice, Choice.id == InterviewSlot.choice_id)
        .outerjoin(Application, Application.id == Choice.application_id)
        .where(
            InterviewSlot.cancelled_at.is_(None),
            InterviewSlot.starts_at > now,
            or_(InterviewSlot.interviewer_id == person.id, Application.applicant_id == person.id),
        )
        .options(joinedload(InterviewSlot.lab))
        .order_by(InterviewSlot.starts_at, InterviewSlot.id)
    ).all()
