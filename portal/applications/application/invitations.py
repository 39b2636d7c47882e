"""Invitations of labs to choose them, and the answers: /me/invitations/<id>. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from flask import abort, redirect, request, url_for
from sqlalchemy import select, update

from portal import mail
from portal.applications.application.service import add_to_draft
from portal.applications.cycles import cycles, open_cycles
from portal.applications.locks import lock_person
from portal.applications.people import professors_of
from portal.db import db
from portal.labs.queries import IS_LISTED
from portal.models import Invitation
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Cycle, User


Answer = Literal["accepted", "refused"]


class InvitationGone(Exception):
    """The lab withdrew the invitation before it was answered, or is archived; the message says so."""


class AnsweredOtherwise(Exception):
    """The invitation was answered differently before; the text says so. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of an answer: the application that the lab was added to, or why there is none."""

    invitation: Invitation
    again: bool = False
    added_to: Application | None = None
    why_not_added: str = ""


def open_invitations(session: Session, user: User) -> Sequence[Invitation]:
    """The invitations of listed labs that wait for this person's answer, oldest first."""
    return session.scalars(
        select(Invitation)
        .join(Invitation.lab)
        .where(Invitation.applicant_id == user.id, Invitation.answer.is_(None), IS_LISTED)
        .order_by(Invitation.invited_at, Invitation.id)
    ).all()


def invitation_for(session: Session, user: User, invitation_id: int) -> Invitation | None:
    """One of this person's own invitations."""
    return session.scalar(select(Invitation).where(Invitation.id == invitation_id, Invitation.applicant_id == user.id))


def answer_invitation(
    session: Session, invitation: Invitation, answer: Answer, *, actor: User, now: datetime
) -> Answered:
    """Accept or refuse an invitation; repeating the same answer changes nothing.

    Accepting puts the lab last into the draft of the open cycle with the nearest deadline, where that is possible.

    Side effects: writes the answer and the choice, tells the lab's professors, cancels unsent mail about it.

    Raises:
        AnsweredOtherwise: The other answer was given before.
        InvitationGone: The lab withdrew it, or is archived and cannot be chosen.
        PermissionError: It is somebody else's invitation.
    """
    if invitation.applicant_id != actor.id:
        raise PermissionError("an invitation is answered by whom it invites")
    lock_person(session, actor)
    if answer == "accepted" and invitation.answer is None and invitation.lab.archived_at is not None:
        raise InvitationGone(f"{invitation.lab.name} is not listed any more, so its invitation cannot be accepted.")
    if not _claim(session, invitation, answer, now):
        return Answered(invitation, again=True)
    mail.cancel(session, f"invitation:{invitation.id}")
    outcome = Answered(invitation)
    if answer == "accepted":
        application, why_not = add_to_draft(session, actor, invitation.lab, now=now)
        outcome = Answered(invitation, added_to=application, why_not_added=why_not)
    # The cycle for an invitation that names none: the open one, otherwise the latest.
    meant = next(iter((*open_cycles(session, now), *cycles(session))), None)
    _tell(session, invitation, outcome.added_to.cycle if outcome.added_to else meant, now)
    return outcome


def _claim(session: Session, invitation: Invitation, answer: Answer, now: datetime) -> bool:
    """Write the answer in one statement, so that the lab cannot withdraw meanwhile. False if the same was there."""
    invitation_id = invitation.id
    claimed = session.execute(
        update(Invitation)
        .where(Invitation.id == invitation_id, Invitation.answer.is_(None))
        .values(answer=answer, answered_at=now)
        .execution_options(synchronize_session=False)
    )
    stored = session.scalar(
        select(Invitation).where(Invitation.id == invitation_id).execution_options(populate_existing=True)
    )
    if stored is None:
        raise InvitationGone("The lab took this invitation back. You can still choose the lab on your application.")
    if claimed.rowcount:  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        return True
    if stored.answer != answer:
        raise AnsweredOtherwise(
            f"You {stored.answer} this invitation before. You can choose or leave the lab on your application."
        )
    return False


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


def answer(invitation_id: int) -> ResponseReturnValue:
    """Accept or refuse an invitation (`answer` is "accepted" or "refused")."""
    invitation = or_404(invitation_for(db.session(), actor(), invitation_id))
    given = request.form.get("answer", "")
    if given not in {"accepted", "refused"}:
        abort(400)
    try:
        outcome = answer_invitation(
            db.session(), invitation, cast("Answer", given), actor=actor(), now=datetime.now(UTC)
        )
    except (AnsweredOtherwise, InvitationGone) as refusal:
        flash_message(str(refusal), "info")
        return redirect(url_for("applications.overview"))
    if outcome.added_to is not None:
        flash_message(f"{invitation.lab.name} is now the last lab on your draft. Say why you choose it, and submit.")
        return redirect(url_for("applications.application", cycle=outcome.added_to.cycle.slug, _anchor="choices"))
    flash_message(_outcome_text(outcome))
    return redirect(url_for("applications.overview"))


def _outcome_text(outcome: Answered) -> str:
    lab = outcome.invitation.lab.name
    if outcome.again:
        return f"You answered the invitation of {lab} before; that stands."
    if outcome.invitation.answer == "refused":
        return f"You declined the invitation of {lab}. The lab has been told, without a reason."
    return f"You accepted the invitation of {lab}. It is not on an application: {outcome.why_not_added}"
