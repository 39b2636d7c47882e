"""Inviting a person who may be found: preview, invitation, withdrawal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.db import db
from portal.reviews.discover import invitations
from portal.reviews.discover.invitations import LONGEST_MESSAGE, InvitationRefused
from portal.reviews.pages.access import lab_i_read_for, lab_that_finds
from portal.reviews.pages.discover import found_candidate, shown_name
from portal.reviews.rules import why_not_find
from portal.web.access import actor, ensure
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab, User

REFUSED = 422


def invite(slug: str, applicant_id: int) -> str:
    """What the applicant will be told, and a box for the lab's message."""
    lab = lab_that_finds(slug)
    candidate = found_candidate(lab, applicant_id)
    ensure(invitations.why_not_invite(db.session(), lab, candidate.user, datetime.now(UTC)))
    return _page(lab, candidate.user)


def send_invitation(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Invite the applicant; a double click finds it done, and a second message is shown again."""
    lab = lab_that_finds(slug)
    candidate = found_candidate(lab, applicant_id)
    message = request.form.get("message", "").replace("\0", "")
    try:
        invitations.invite(db.session(), lab, candidate.user, message=message, actor=actor(), now=datetime.now(UTC))
    except InvitationRefused as refusal:
        sent = invitations.invitation_to(db.session(), lab, candidate.user)
        if sent is None or message.strip() not in {"", sent.message}:
            return _page(lab, candidate.user, message=message, refusal=str(refusal)), REFUSED
        flash_message(str(refusal), "info")
    else:
        flash_message(
            f"{shown_name(lab, candidate.user)} is invited and decides. You can take it back until there is an answer."
        )
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))


def take_back_invitation(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Withdraw an unanswered invitation, also that of a lab which has been archived since."""
    lab = lab_i_read_for(slug)
    candidate = found_candidate(lab, applicant_id)
    try:
        invitations.take_back_invitation(db.session(), lab, candidate.user, actor=actor(), now=datetime.now(UTC))
    except InvitationRefused as refusal:
        flash_message(str(refusal), "warn")
    else:
        flash_message(f"The invitation to {shown_name(lab, candidate.user)} is taken back.")
    if why_not_find(lab) is not None:
        return redirect(url_for("reviews.queue", slug=slug))
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))


def _page(lab: Lab, user: User, *, message: str = "", refusal: str = "") -> str:
    return render_template(
        "reviews/invite.html",
        lab=lab,
        applicant_id=user.id,
        name=shown_name(lab, user),
        cycle=invitations.cycle_to_invite_to(db.session(), lab, datetime.now(UTC)),
        message=message,
        refusal=refusal,
        longest_message=LONGEST_MESSAGE,
    )
