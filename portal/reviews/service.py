"""Writes review marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.turns import take_turn
from portal.models import ReviewMark

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.reviews.queries import MarkValue


def set_mark(
    session: Session, lab: Lab, applicant: User, reviewer: User, *, mark: MarkValue, note: str, now: datetime
) -> ReviewMark:
    """Store a reviewer's mark on an applicant; the audit log keeps the previous one."""
    take_turn(session, reviewer)
    found = _own_mark(session, lab, applicant, reviewer)
    before = {"mark": found.mark, "note": found.note} if found else None
    after = {"mark": mark, "note": note}
    if found is not None and before == after:
        return found
    if found is None:
        found = ReviewMark(lab_id=lab.id, applicant_id=applicant.id, reviewer_id=reviewer.id)
        session.add(found)
    found.mark, found.note, found.marked_at = mark, note, now
    _log(session, "review.mark", lab, applicant, reviewer, now, before=before, after=after)
    return found


def remove_mark(session: Session, lab: Lab, applicant: User, reviewer: User, *, now: datetime) -> None:
    """Remove a reviewer's own mark, if there is one."""
    take_turn(session, reviewer)
    found = _own_mark(session, lab, applicant, reviewer)
    if found is None:
        return
    before = {"mark": found.mark, "note": found.note}
    session.delete(found)
    _log(session, "review.unmark", lab, applicant, reviewer, now, before=before, after=None)


def _own_mark(session: Session, lab: Lab, applicant: User, reviewer: User) -> ReviewMark | None:
    return session.scalar(
        select(ReviewMark)
        .where(
            ReviewMark.lab_id == lab.id,
            ReviewMark.applicant_id == applicant.id,
            ReviewMark.reviewer_id == reviewer.id,
        )
        .execution_options(populate_existing=True)
    )


def _log(
    session: Session,
    act: str,
    lab: Lab,
    applicant: User,
    reviewer: User,
    now: datetime,
    *,
    before: dict[str, str] | None,
    after: dict[str, str] | None,
) -> None:
    audit.record(
        session,
        actor=reviewer,
        act=act,
        object_type="applicant of lab",
        object_key=f"{lab.slug}/{applicant.id}",
        now=now,
        before=before,
        after=after,
    )
