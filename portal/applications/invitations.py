"""Invitations by labs to choose them: which wait for an answer, and what follows from one. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import select

from portal import mail
from portal.applications.application_rules import why_not_draft, why_not_save
from portal.applications.application_service import save_draft, start_application
from portal.applications.choosing import ChosenLab, Draft, draft_of
from portal.applications.cycles import cycles, open_cycles
from portal.applications.letters import professors_of
from portal.applications.moves import locked_application
from portal.applications.service import RefusedByRule, name_lab
from portal.applications.turns import take_turn
from portal.models import Invitation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Cycle, User

Answer = Literal["accepted", "refused"]


class AnsweredOtherwise(Exception):  # noqa: N818  (an answer to a person)
    """The invitation was answered differently before; the text says so. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer led to: the application that the lab was added to, or whether it was named instead, and why."""

    invitation: Invitation
    again: bool = False
    added_to: Application | None = None
    named: bool = False
    why_not_added: str = ""


def open_invitations(session: Session, user: User) -> Sequence[Invitation]:
    """The invitations that wait for this person's answer, the oldest first."""
    return session.scalars(
        select(Invitation)
        .where(Invitation.applicant_id == user.id, Invitation.answer.is_(None))
        .order_by(Invitation.invited_at, Invitation.id)
    ).all()


def invitation_for(session: Session, user: User, number: int) -> Invitation | None:
    """One of this person's own invitations."""
    return session.scalar(select(Invitation).where(Invitation.id == number, Invitation.applicant_id == user.id))


def answer_invitation(
    session: Session, invitation: Invitation, answer: Answer, *, actor: User, now: datetime
) -> Answered:
    """Accept or refuse an invitation; the same answer again changes nothing.

    An accepted one puts the lab last into the draft of the open cycle with the nearest deadline. Where that cannot be,
    because none is open, the draft is full or submitted, the lab is named, so that its professors may read on.

    Side effects: writes the answer, the choice or the named lab, and tells the lab's professors.

    Raises:
        AnsweredOtherwise: The other answer was given before.
        PermissionError: It is somebody else's invitation.
    """
    if invitation.applicant_id != actor.id:
        raise PermissionError("an invitation is answered by whom it invites")
    take_turn(session, actor)
    session.refresh(invitation)
    if invitation.answer == answer:
        return Answered(invitation, again=True)
    if invitation.answer is not None:
        said = "accepted" if invitation.answer == "accepted" else "refused"
        raise AnsweredOtherwise(
            f"You {said} this invitation before. You can choose or leave the lab on your application."
        )
    invitation.answer, invitation.answered_at = answer, now
    session.flush()
    done = _accept(session, invitation, actor, now) if answer == "accepted" else Answered(invitation)
    _tell(session, invitation, done.added_to.cycle if done.added_to else _cycle_meant(session, now), now)
    return done


def _accept(session: Session, invitation: Invitation, actor: User, now: datetime) -> Answered:
    cycle = next(iter(open_cycles(session, now)), None)
    reason = "No cycle is open just now."
    if cycle is not None:
        application = start_application(session, actor, cycle, now=now)
        locked_application(session, application)
        reason = _why_not_add(session, application, invitation.lab_id, now) or ""
        if not reason:
            stored = draft_of(application)
            if invitation.lab_id not in {chosen.lab_id for chosen in stored.labs}:
                wider = Draft((*stored.labs, ChosenLab(invitation.lab_id)), stored.answers)
                save_draft(session, application, wider, base=application.version, now=now)
            return Answered(invitation, added_to=application)
    try:
        name_lab(session, actor, invitation.lab, now=now)
    except RefusedByRule as refusal:
        return Answered(invitation, why_not_added=f"{reason} {refusal}")
    return Answered(invitation, named=True, why_not_added=reason)


def _why_not_add(session: Session, application: Application, lab_id: int, now: datetime) -> str | None:
    """Against one more lab in an application; None where it is chosen already or can be."""
    stored = draft_of(application)
    if lab_id in {chosen.lab_id for chosen in stored.labs}:
        return None
    wider = Draft((*stored.labs, ChosenLab(lab_id)), stored.answers)
    return why_not_save(application, now, choices_change=True) or why_not_draft(session, application.cycle, wider)


def _cycle_meant(session: Session, now: datetime) -> Cycle | None:
    """The cycle that an invitation without one is about: the open one, else the latest."""
    return next(iter(open_cycles(session, now)), None) or next(iter(cycles(session)), None)


def _tell(session: Session, invitation: Invitation, cycle: Cycle | None, now: datetime) -> None:
    if cycle is None:
        return
    for professor in professors_of(session, invitation.lab_id):
        mail.tell(
            session,
            professor,
            "invitation_answered",
            {"cycle": cycle.name, "lab": invitation.lab.name},
            now=now,
            path=f"/reviews/{invitation.lab.slug}/discover",
            dedupe=f"invitation:{invitation.id}:answered",
        )
