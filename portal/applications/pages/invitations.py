"""/me/invitations/<id>: the answer to a lab that asks an applicant to choose it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from flask import abort, redirect, request, url_for

from portal.applications.drafting.invitations import (
    Answer,
    AnsweredOtherwise,
    InvitationGone,
    answer_invitation,
    invitation_for,
)
from portal.db import db
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.drafting.invitations import Answered


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
        return redirect(url_for("applications.applications"))
    if outcome.added_to is not None:
        flash_message(f"{invitation.lab.name} is now the last lab on your draft. Say why you choose it, and submit.")
        return redirect(url_for("applications.application", cycle=outcome.added_to.cycle.slug, _anchor="choices"))
    flash_message(_outcome_text(outcome))
    return redirect(url_for("applications.applications"))


def _outcome_text(outcome: Answered) -> str:
    lab = outcome.invitation.lab.name
    if outcome.again:
        return f"You answered the invitation of {lab} before; that stands."
    if outcome.invitation.answer == "refused":
        return f"You declined the invitation of {lab}. The lab has been told, without a reason."
    accepted = f"You accepted the invitation of {lab}. "
    if outcome.shared:
        return (
            f"{accepted}You now share with it: its professors can read your interests and your confirmed resume. "
            f"It is not on an application: {outcome.why_not_added}"
        )
    return f"{accepted}It is not on an application: {outcome.why_not_added}"
