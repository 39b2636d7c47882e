"""Writes review marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_person
from portal.models import ReviewMark

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.reviews.discover.queries import MarkValue


def set_mark(
    session: Session, lab: Lab, applicant: User, reviewer: User, *, mark: MarkValue, note: str, now: datetime
) -> ReviewMark:
    """Store a reviewer's mark on an applicant; the audit log keeps the previous one, without its note."""
    lock_person(session, reviewer)
    stored = _own_mark(session, lab, applicant, reviewer)
    if stored is not None and (stored.mark, stored.note) == (mark, note):
        return stored
    before = _logged(stored.mark, stored.note) if stored else None
    if stored is None:
        stored = ReviewMark(lab_id=lab.id, applicant_id=applicant.id, reviewer_id=reviewer.id)
        session.add(stored)
    stored.mark, stored.note, stored.marked_at = mark, note, now
    _log(session, "review.mark", lab, applicant, reviewer, now, before=before, after=_logged(mark, note))
    return stored


def remove_mark(session: Session, lab: Lab, applicant: User, reviewer: User, *, now: datetime) -> None:
    """Remove a reviewer's own mark, if there is one."""
    lock_person(session, reviewer)
    stored = _own_mark(session, lab, applicant, reviewer)
    if stored is None:
        return
    before = _logged(stored.mark, stored.note)
    session.delete(stored)
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


def _logged(mark: str, note: str) -> dict[str, str | int]:
    """A mark as the audit log keeps it: without the note, for that is about a person, and what the log holds outlasts
    an erasure.
    """
    return {"mark": mark, "characters_of_note": len(note)}


def _log(
    session: Session,
    act: str,
    lab: Lab,
    applicant: User,
    reviewer: User,
    now: datetime,
    *,
    before: dict[str, str | int] | None,
    after: dict[str, str | int] | None,
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
