"""Writes a reviewer's marks and a lab's invitations: once per person, while a cycle accepts applications for the lab.

The applicant answers (`portal.applications.drafting.invitations`); until then, the lab can withdraw the invitation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from portal import audit, mail
from portal.applications.cycles import open_cycles
from portal.applications.locks import lock_person
from portal.models import Cycle, Invitation, LabIntake, ReviewMark
from portal.reviews.discover.queries import invitation_to

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User
    from portal.reviews.discover.queries import MarkValue


def set_mark(
    session: Session, lab: Lab, applicant: User, reviewer: User, *, mark: MarkValue | None, now: datetime
) -> str:
    """Store a reviewer's mark on an applicant, or remove it; returns the mark before, empty if there was none."""
    lock_person(session, reviewer)
    stored = session.scalar(
        select(ReviewMark)
        .where(
            ReviewMark.lab_id == lab.id,
            ReviewMark.applicant_id == applicant.id,
            ReviewMark.reviewer_id == reviewer.id,
        )
        .execution_options(populate_existing=True)
    )
    before = stored.mark if stored else None
    if before == mark:
        return before or ""
    if mark is None:
        session.delete(stored)
    else:
        stored = stored or ReviewMark(lab_id=lab.id, applicant_id=applicant.id, reviewer_id=reviewer.id)
        stored.mark, stored.marked_at = mark, now
        session.add(stored)
    _log(session, "review.mark", lab, applicant, reviewer, now, before={"mark": before}, after={"mark": mark})
    return before or ""


LONGEST_MESSAGE = 2_000  # characters
ANSWERS = {None: "invited", "accepted": "accepted the invitation", "refused": "refused the invitation"}


class InvitationRefused(Exception):
    """An invitation cannot be made or withdrawn; the message says why. Nothing was written."""


def cycle_to_invite_to(session: Session, lab: Lab, now: datetime) -> Cycle | None:
    """The open cycle with the nearest deadline in which the lab accepts applications."""
    closed = set(
        session.scalars(select(LabIntake.cycle_id).where(LabIntake.lab_id == lab.id, LabIntake.open.is_(False)))
    )
    return next((cycle for cycle in open_cycles(session, now) if cycle.id not in closed), None)


def why_not_invite(session: Session, lab: Lab, applicant: User, now: datetime) -> str | None:
    """The reason against inviting a person whom the lab may read about."""
    existing = invitation_to(session, lab, applicant)
    if existing is not None:
        answer = {None: "has not answered yet", "accepted": "accepted", "refused": "refused"}[existing.answer]
        return f"{lab.name} has invited this person already, who {answer}."
    if cycle_to_invite_to(session, lab, now) is None:
        return f"No cycle takes applications for {lab.name} now, so nobody can be invited to one."
    return None


def invite_applicant(
    session: Session, lab: Lab, applicant: User, *, message: str, actor: User, now: datetime
) -> Invitation:
    """Invite and notify an applicant whom the lab may read about. The caller commits.

    Raises:
        InvitationRefused: A rule forbids it, the message is too long, or somebody else was quicker.
    """
    reason = why_not_invite(session, lab, applicant, now)
    cycle = cycle_to_invite_to(session, lab, now)
    if reason is not None or cycle is None:
        raise InvitationRefused(reason)
    if len(message) > LONGEST_MESSAGE:
        raise InvitationRefused(f"Keep the message to {LONGEST_MESSAGE:,} characters; this one has {len(message):,}.")
    invitation = Invitation(
        lab_id=lab.id, applicant_id=applicant.id, invited_by_id=actor.id, message=message.strip(), invited_at=now
    )
    try:
        with session.begin_nested():
            session.add(invitation)
    except IntegrityError as error:
        raise InvitationRefused(f"{lab.name} has invited this person already.") from error
    context = {"cycle": cycle.name, "lab": lab.name, "zone": cycle.zone, "deadline_at": cycle.deadline_at.isoformat()}
    mail.tell(session, applicant, "invitation", context, now=now, path="/me/application/", dedupe=_key(invitation))
    _log(session, "invitation.invite", lab, applicant, actor, now, after=_size(invitation))
    return invitation


def withdraw_invitation(session: Session, lab: Lab, applicant: User, *, actor: User, now: datetime) -> None:
    """Withdraw an unanswered invitation; a mail not yet sent is dropped. The caller commits.

    Raises:
        InvitationRefused: There is none, or it is answered.
    """
    invitation = invitation_to(session, lab, applicant)
    if invitation is None:
        raise InvitationRefused("There is no invitation to take back.")
    # One statement, like answering: of the two at the same time, one finds no row.
    deleted = session.execute(delete(Invitation).where(Invitation.id == invitation.id, Invitation.answer.is_(None)))
    if not deleted.rowcount:  # type: ignore[attr-defined]  # a DELETE gives a CursorResult
        raise InvitationRefused("The invitation is answered already, so it cannot be taken back.")
    mail.cancel(session, _key(invitation))
    _log(session, "invitation.take_back", lab, applicant, actor, now, after=_size(invitation))


def _size(invitation: Invitation) -> dict[str, int]:
    """What the audit log keeps of a message: it is to a person, and what the log holds outlasts an erasure."""
    return {"characters_of_message": len(invitation.message)}


def _key(invitation: Invitation) -> str:
    return f"invitation:{invitation.id}"


def _log(
    session: Session,
    act: str,
    lab: Lab,
    applicant: User,
    actor: User,
    now: datetime,
    *,
    after: object,
    before: object = None,
) -> None:
    audit.record(
        session,
        actor=actor,
        act=act,
        object_type="applicant of lab",
        object_key=f"{lab.slug}/{applicant.id}",
        now=now,
        before=before,
        after=after,
    )
