"""A lab invites a person who may be found to choose it: once per person, while a cycle accepts applications for it.

The applicant answers (`portal.applications.drafting.invitations`); until then, the lab can withdraw the invitation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select
from sqlalchemy.exc import IntegrityError

from portal import audit, mail
from portal.applications.cycles import open_cycles
from portal.applications.states import READ_BY_LABS
from portal.models import Application, Choice, Cycle, Invitation, LabIntake

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User

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


def invitations_of(session: Session, lab: Lab) -> Mapping[int, Invitation]:
    """The lab's invitations, by applicant."""
    return {
        invitation.applicant_id: invitation
        for invitation in session.scalars(select(Invitation).where(Invitation.lab_id == lab.id))
    }


def invitation_to(session: Session, lab: Lab, applicant: User) -> Invitation | None:
    """The lab's invitation to an applicant, if there is one."""
    return session.scalar(
        select(Invitation).where(Invitation.lab_id == lab.id, Invitation.applicant_id == applicant.id)
    )


def who_chose(session: Session, lab: Lab) -> set[int]:
    """The applicants whose choice of the lab, in a cycle that is not closed, the lab may read.

    Drafted, unchecked or withdrawn choices do not count: leaving these people out would reveal them to the lab.
    """
    return set(
        session.scalars(
            select(Application.applicant_id).where(
                Application.state.in_(READ_BY_LABS),
                exists().where(Choice.application_id == Application.id, Choice.lab_id == lab.id),
                exists().where(Cycle.id == Application.cycle_id, Cycle.closed_at.is_(None)),
            )
        )
    )


def why_not_invite(session: Session, lab: Lab, applicant: User, now: datetime) -> str | None:
    """The reason against inviting a person whom the lab may read about."""
    existing = invitation_to(session, lab, applicant)
    if existing is not None:
        answer = {None: "has not answered yet", "accepted": "accepted", "refused": "refused"}[existing.answer]
        return f"{lab.name} has invited this person already, who {answer}."
    if cycle_to_invite_to(session, lab, now) is None:
        return f"No cycle takes applications for {lab.name} now, so nobody can be invited to one."
    return None


def invite(session: Session, lab: Lab, applicant: User, *, message: str, actor: User, now: datetime) -> Invitation:
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
    _log(session, "invite", lab, applicant, actor, now, invitation.message)
    return invitation


def take_back_invitation(session: Session, lab: Lab, applicant: User, *, actor: User, now: datetime) -> None:
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
    _log(session, "take_back", lab, applicant, actor, now, invitation.message)


def _key(invitation: Invitation) -> str:
    return f"invitation:{invitation.id}"


def _log(session: Session, act: str, lab: Lab, applicant: User, actor: User, now: datetime, message: str) -> None:
    audit.record(
        session,
        actor=actor,
        act=f"invitation.{act}",
        object_type="applicant of lab",
        object_key=f"{lab.slug}/{applicant.id}",
        now=now,
        # Not the message itself: it is to a person, and what the log holds outlasts an erasure.
        after={"characters_of_message": len(message)},
    )
