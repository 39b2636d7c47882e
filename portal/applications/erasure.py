"""Erasing what applicants stated and submitted: on their own request, or at the end of a retention period."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from portal import audit, mail
from portal.accounts.service import delete_account, purge_deleted
from portal.applications.cycles import application_path, count_by_state
from portal.applications.files import is_used, remove_once_committed
from portal.applications.interests.service import interests_of
from portal.applications.interviews.service import free_time_ahead
from portal.applications.locks import Refusal, commit_each, lock_person
from portal.applications.moves.consequences import tell_offer_lapsed
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.resume import delete_resume
from portal.db import lock_row
from portal.mail.kinds import KINDS
from portal.models import (
    ApiAnswer,
    Application,
    AssignmentRound,
    Choice,
    Cycle,
    Document,
    InterviewSlot,
    Invitation,
    LabShare,
    Notification,
    OutboxMail,
    Referee,
    SavedLab,
    Submission,
    User,
)
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.storage import FileStore


OWN_KINDS = tuple(kind.name for kind in KINDS.values() if APPLICANT in kind.audience)
"""Kinds of mail that applicants get: they are erased with what they report."""
ANNOUNCED_BEFORE = timedelta(days=30)


def erase_application(session: Session, files: FileStore, application: Application, *, now: datetime) -> None:
    """Delete one application with everything attached to it, and the news about it, as `erase_everything` does."""
    applicant_id, path = application.applicant_id, application_path(application)
    lock_person(session, application.applicant)
    _erase(session, files, [application.id], [], now)
    news = delete(Notification).where(
        Notification.user_id == applicant_id,
        (Notification.path == path) | Notification.path.startswith(f"{path}/", autoescape=True),
    )
    session.execute(news.execution_options(synchronize_session=False))
    session.expire_all()


def _erase(
    session: Session, files: FileStore, application_ids: Sequence[int], invitation_ids: Sequence[int], now: datetime
) -> dict[str, int]:
    """Lock and delete these, tell their labs, cancel waiting mails about them to anybody, and remove their files: how
    many of each.
    """
    for application_id in sorted(application_ids):
        lock_row(session, Application.version, application_id)
    of_these = Choice.application_id.in_(application_ids)
    choice_ids = list(session.scalars(select(Choice.id).where(of_these).order_by(Choice.lab_id)))
    referee_ids = list(session.scalars(select(Referee.id).where(Referee.application_id.in_(application_ids))))
    keys = {
        key
        for table in (Submission, Referee, Document)
        for key in session.scalars(
            select(table.storage_key).where(table.application_id.in_(application_ids), table.storage_key != "")
        )
    }
    for choice in [session.get_one(Choice, choice_id) for choice_id in choice_ids]:
        free_time_ahead(session, choice, now=now)
        if choice.state == "offered" and choice.shown_state == "offered":
            tell_offer_lapsed(session, choice, now=now)
    # The reason of a cancelled interview is about its applicant.
    reasons = update(InterviewSlot).where(InterviewSlot.cancelled_choice_id.in_(choice_ids)).values(cancel_reason="")
    session.execute(reasons.execution_options(synchronize_session=False))
    about = {"application": application_ids, "choice": choice_ids, "referee": referee_ids, "invitation": invitation_ids}
    for kind, ids in about.items():
        for object_id in ids:
            mail.cancel(session, f"{kind}:{object_id}")
    for table, ids in ((Application, application_ids), (Invitation, invitation_ids)):
        session.execute(delete(table).where(table.id.in_(ids)).execution_options(synchronize_session=False))
    session.expire_all()
    # One resume may be submitted in several cycles, and be the present one besides.
    for key in sorted(keys):
        if not is_used(session, key):
            remove_once_committed(session, files, key)
    return {
        "applications": len(application_ids),
        "choices": len(choice_ids),
        "referees": len(referee_ids),
        "files": len(keys),
        "invitations": len(invitation_ids),
    }


def erase_account(session: Session, files: FileStore, user: User, *, now: datetime) -> None:
    """Delete the account and what its owner stated. What they submitted is withdrawn where that is still possible, and
    stays until the retention of its cycle ends. The caller commits.
    """
    lock_person(session, user)
    for application in submitted_by(session, user):
        with suppress(AlreadyMoved, Refusal):
            perform(session, "withdraw", application, actor=user, capacity="applicant", now=now)
    erase_everything(session, files, user, now=now, but_submitted=True)
    delete_account(session, user, now=now)


def submitted_by(session: Session, user: User) -> Sequence[Application]:
    """The applications that labs may have read."""
    theirs = select(Application).where(Application.applicant_id == user.id, Application.submissions > 0)
    return session.scalars(theirs.order_by(Application.id)).all()


def erase_everything(
    session: Session, files: FileStore, user: User, *, now: datetime, but_submitted: bool = False
) -> dict[str, int]:
    """Delete everything the applicant stated and handed in: applications (or drafts alone, with `but_submitted`),
    interests, resume, files, shares and invitations, with news, mails and stored API answers. The account stays. The
    caller commits. Returns how much it was.

    Side effects: interview times become free again and offers lapse, of which their labs are told; waiting mails are
    cancelled, and files are deleted once the transaction commits.
    """
    lock_person(session, user)
    kept = [one.id for one in submitted_by(session, user)] if but_submitted else []
    theirs = select(Application.id).where(Application.applicant_id == user.id, Application.id.not_in(kept))
    application_ids = list(session.scalars(theirs))
    invitation_ids = list(session.scalars(select(Invitation.id).where(Invitation.applicant_id == user.id)))
    erased = _erase(session, files, application_ids, invitation_ids, now)
    for table in (OutboxMail, Notification):
        query = delete(table).where(table.user_id == user.id, table.kind.in_(OWN_KINDS))
        if table is OutboxMail:
            query = query.where(OutboxMail.state != "sending")
        session.execute(query.execution_options(synchronize_session=False))
    session.execute(delete(ApiAnswer).where(ApiAnswer.user_id == user.id))
    for list_of_labs in (LabShare, SavedLab):
        session.execute(delete(list_of_labs).where(list_of_labs.user_id == user.id))
    session.expire_all()
    delete_resume(session, files, user)
    interests = interests_of(session, user)
    if interests is not None:
        session.delete(interests)
    session.flush()
    return erased


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
    """The cycles whose applications are erased within 30 days, next first."""
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
    """Erase the applications of cycles whose retention period is over; returns how many. Commits after each.

    First, a cycle stores how many applications and choices ended in which state; at last, it is marked as erased.
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
            lambda application_id: _erase_if_due(session, files, application_id, now),
        )
        _mark_erased(session, cycle_id, now)
    purge_deleted(session)
    session.commit()
    return erased


def is_due(cycle: Cycle, now: datetime) -> bool:
    """Whether the applications of a cycle are to be erased now."""
    due = due_at(cycle)
    return due is not None and due <= now and cycle.erased_at is None


def _erase_if_due(session: Session, files: FileStore, application_id: int, now: datetime) -> bool:
    application = session.get(Application, application_id)
    if application is None:
        return False
    # So that a longer period is set before this application is erased, and keeps it, or after.
    lock_row(session, Cycle.retention_days, application.cycle_id)
    session.refresh(application.cycle)
    if not is_due(application.cycle, now):  # changed meanwhile
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
    audit.record(session, "retention", "cycle.erase_applications", "cycle", cycle.slug, now, after=cycle.kept_counts)
    session.commit()


def _counts(session: Session, cycle: Cycle) -> dict[str, dict[str, int]]:
    choices = select(Choice.state, func.count()).join(Application, Application.id == Choice.application_id)
    by_state = session.execute(choices.where(Application.cycle_id == cycle.id).group_by(Choice.state)).all()
    return {"applications": count_by_state(session, cycle), "choices": dict(by_state)}
