"""Invitations of labs to choose them, and the answers: /me/invitations/<id>. The caller commits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from flask import abort, redirect, request, url_for
from sqlalchemy import select, update

from portal import mail
from portal.applications.cycles import cycles, open_cycles
from portal.applications.drafts import add_to_draft
from portal.applications.locks import Refusal, lock_person
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

    from portal.models import Application, User


Answer = Literal["accepted", "refused"]


def open_invitations(session: Session, user: User) -> Sequence[Invitation]:
    """The invitations of listed labs that wait for this person's answer, oldest first."""
    return session.scalars(
        select(Invitation)
        .join(Invitation.lab)
        .where(Invitation.applicant_id == user.id, Invitation.answer.is_(None), IS_LISTED)
        .order_by(Invitation.invited_at, Invitation.id)
    ).all()


def answer_invitation(
    session: Session, invitation: Invitation, answer: Answer, *, actor: User, now: datetime
) -> tuple[Application | None, str]:
    """Accept or refuse an invitation; repeating the same answer changes nothing.

    Accepting puts the lab last on a draft (`add_to_draft`), where that is possible: returns its application, or None
    and what became of the answer as a sentence.

    Side effects: writes the answer and the choice, tells the lab's professors, cancels unsent mail about it. Raises
    `Refusal`: it cannot be answered so; `PermissionError`: it is somebody else's invitation.
    """
    if invitation.applicant_id != actor.id:
        raise PermissionError("an invitation is answered by whom it invites")
    lab = invitation.lab
    lock_person(session, actor)
    if answer == "accepted" and invitation.answer is None and not lab.is_listed:
        raise Refusal(f"{lab.name} is not listed any more, so its invitation cannot be accepted.")
    if not _claim(session, invitation, answer, now):
        return None, f"You answered the invitation of {lab.name} before; that stands."
    mail.cancel(session, f"invitation:{invitation.id}")
    text = f"You declined the invitation of {lab.name}. The lab has been told, without a reason."
    application = None
    if answer == "accepted":
        application, why_not = add_to_draft(session, actor, lab, now=now)
        text = f"You accepted the invitation of {lab.name}. It is not on an application: {why_not}"
    # The cycle for an invitation that names none: the open one, otherwise the latest.
    meant = next(iter((*open_cycles(session, now), *cycles(session))), None)
    if (cycle := application.cycle if application else meant) is not None:
        context, path = {"cycle": cycle.name, "lab": lab.name}, f"/reviews/{lab.slug}/discover"
        for person in professors_of(session, lab.id):
            dedupe = f"invitation:{invitation.id}:answered"
            mail.tell(session, person, "invitation_answered", context, now=now, path=path, dedupe=dedupe)
    return application, text


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
        raise Refusal("The lab took this invitation back. You can still choose it on your application.")
    if stored.answer != answer:
        raise Refusal(
            f"You {stored.answer} this invitation before. You can choose or leave the lab on your application."
        )
    return bool(claimed.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult


def answer(invitation_id: int) -> ResponseReturnValue:
    """Accept or refuse an invitation (`answer` is "accepted" or "refused")."""
    mine = select(Invitation).where(Invitation.id == invitation_id, Invitation.applicant_id == actor().id)
    invitation = or_404(db.session().scalar(mine))
    given = request.form.get("answer", "")
    if given not in {"accepted", "refused"}:
        abort(400)
    try:
        given = cast("Answer", given)
        draft, text = answer_invitation(db.session(), invitation, given, actor=actor(), now=datetime.now(UTC))
    except Refusal as refusal:
        flash_message(str(refusal), "info")
        return redirect(url_for("applications.overview"))
    if draft is not None:
        flash_message(f"{invitation.lab.name} is now the last lab on your draft. Say why you choose it, and submit.")
        return redirect(url_for("applications.application", cycle=draft.cycle.slug, _anchor="choices"))
    flash_message(text)
    return redirect(url_for("applications.overview"))
