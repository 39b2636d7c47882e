"""/me/invitations/<number>: the answer to a lab that asks an applicant to choose it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from flask import abort, redirect, request, url_for

from portal.applications.invitations import (
    Answer,
    AnsweredOtherwise,
    InvitationGone,
    answer_invitation,
    invitation_for,
)
from portal.db import db
from portal.web.access import actor, found
from portal.web.messages import say

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.invitations import Answered


def answer(number: int) -> ResponseReturnValue:
    """Accept or refuse an invitation (`answer` is "accepted" or "refused")."""
    invitation = found(invitation_for(db.session(), actor(), number))
    given = request.form.get("answer", "")
    if given not in {"accepted", "refused"}:
        abort(400)
    try:
        done = answer_invitation(db.session(), invitation, cast("Answer", given), actor=actor(), now=datetime.now(UTC))
    except (AnsweredOtherwise, InvitationGone) as other:
        say(str(other), "info")
        return redirect(url_for("applications.applications"))
    if done.added_to is not None:
        say(f"{invitation.lab.name} is now the last lab on your draft. Say why you choose it, and submit.")
        return redirect(url_for("applications.application", cycle=done.added_to.cycle.slug, _anchor="choices"))
    say(_said(done))
    return redirect(url_for("applications.applications"))


def _said(done: Answered) -> str:
    lab = done.invitation.lab.name
    if done.again:
        return f"You answered the invitation of {lab} before; that stands."
    if done.invitation.answer == "refused":
        return f"You declined the invitation of {lab}. The lab has been told, without a reason."
    told = f"You accepted the invitation of {lab}. "
    if done.shared:
        return (
            f"{told}You now share with it: its professors can read your interests and your confirmed resume. "
            f"It is not on an application: {done.why_not_added}"
        )
    return f"{told}It is not on an application: {done.why_not_added}"
