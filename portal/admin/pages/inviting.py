"""Inviting people to create an account: the form, the list of invitations, resending and revoking."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from portal.admin.lab_choice import lab_meant_by, labs_on_offer
from portal.admin.pages.saving import INVALID
from portal.admin.people import inviting
from portal.admin.people.inviting import Invited, ListRefused, Terms
from portal.admin.people.inviting_forms import InviteForm
from portal.admin.people.inviting_queries import invitation_page
from portal.admin.people.inviting_rules import roles_with
from portal.admin.people.queries import professors_of
from portal.admin.rules import NotAllowed
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.models import AccountInvitation
from portal.models.user import ROLES
from portal.web.access import actor, or_404, refusing
from portal.web.messages import flash_message
from portal.web.paging import page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

MOST_NAMED = 10  # addresses in a message; the rest is counted


def invitations() -> ResponseReturnValue:
    """The form and the list. If the form is sent, everybody in it is invited, or nobody."""
    session, now = db.session(), datetime.now(UTC)
    begun = _begun_for(request.args.get("lab"), request.args.get("role"))
    form, labs = InviteForm(find_lab=partial(lab_meant_by, session), **begun), labs_on_offer(session)
    if form.validate_on_submit():
        lab = form.lab_to_read_for
        position = form.position.data if lab is not None else None
        terms = Terms(tuple(roles_with(form.roles.data, position)), lab, position)
        try:
            outcome = inviting.invite_all(session, form.people, terms, actor=actor(), now=now)
        except ListRefused as refusal:
            form.add_problems(refusal.problems)
        else:
            say_outcome(outcome)
            return redirect(url_for("admin.invitations"))
    page = render_template(
        "admin/invitations.html",
        form=form,
        page=invitation_page(session, page_number(request.args.get("page")), now),
        labs=labs,
    )
    return page, INVALID if form.errors or form.addresses.errors else 200


def resend_invitation(invitation_id: int) -> ResponseReturnValue:
    """Mail a new link."""
    invitation = or_404(db.session().get(AccountInvitation, invitation_id))
    with refusing(NotAllowed):
        inviting.resend(db.session(), invitation, actor=actor(), now=datetime.now(UTC))
    flash_message(f"A new link goes to {invitation.email}. The earlier link no longer works.")
    return redirect(url_for("admin.invitations"))


def revoke_invitation(invitation_id: int) -> ResponseReturnValue:
    """Close an invitation."""
    invitation = or_404(db.session().get(AccountInvitation, invitation_id))
    with refusing(NotAllowed):
        inviting.revoke(db.session(), invitation, actor=actor(), now=datetime.now(UTC))
    flash_message(f"The invitation of {invitation.email} is revoked. Its link no longer works.")
    return redirect(url_for("admin.invitations"))


def _begun_for(slug: str | None, role: str | None) -> dict[str, Any]:
    """The values of a form that is opened for a role, or for a lab: as its leader if nobody leads it yet."""
    begun: dict[str, Any] = {"roles": [role]} if role in ROLES else {}
    lab = lab_by_slug(db.session(), slug) if slug else None
    if lab is None:
        return begun
    is_led = any(seat.position == "leader" and seat.user.active for seat in professors_of(db.session(), lab))
    return begun | {"lab": lab.slug, "position": "reviewer" if is_led else "leader"}


def say_outcome(outcome: Invited) -> None:
    """Say who was mailed, who got rights at once, and who had them."""
    if outcome.mailed:
        mails = "the mail is on its way" if len(outcome.mailed) == 1 else "the mails are on their way"
        flash_message(f"{counted(len(outcome.mailed), 'person is', 'people are')} invited; {mails}.")
    if outcome.given:
        flash_message(f"Had an account already, and got the rights and a mail: {_listed(outcome.given)}.")
    if outcome.unchanged:
        flash_message(f"Already invited or with these rights; nothing was sent: {_listed(outcome.unchanged)}.", "info")


def _listed(addresses: list[str]) -> str:
    more = len(addresses) - MOST_NAMED
    return ", ".join(addresses[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
