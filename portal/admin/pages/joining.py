"""/join/<token>: the page on which an invited person creates an account with the rights of the invitation.

It reveals nothing about any address except the invited one, and is shown to nobody without the whole token.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, make_response, redirect, request, url_for
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import IntegrityError

from portal.accounts.queries import person_by_address
from portal.accounts.rate_limits import LINKS_BY_MAIL
from portal.accounts.registered_here import sign_in_with_chosen_password
from portal.admin.pages.saving import INVALID
from portal.admin.people.inviting import LinkClosed, note_opened, take
from portal.admin.people.inviting_forms import AgreeForm, JoinForm
from portal.admin.people.inviting_queries import invitation_by_token
from portal.admin.people.inviting_rules import why_not_take
from portal.db import db
from portal.web.limits import network_of_request
from portal.web.messages import flash_message
from portal.web.secret_pages import BAD_REQUEST, OUT_OF_DATE, alone, closed_page, page_alone

if TYPE_CHECKING:
    from flask import Response
    from flask.blueprints import BlueprintSetupState

    from portal.models import AccountInvitation, User

blueprint = Blueprint("joining", __name__)


@blueprint.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> Response:
    """Show the form, or create the account from the sent form."""
    session, now = db.session(), datetime.now(UTC)
    invitation = invitation_by_token(session, token)
    person = person_by_address(session, invitation.email) if invitation is not None else None
    has_account = person is not None and person.confirmed_at is not None
    form = AgreeForm() if has_account else JoinForm(email=invitation.email if invitation else "")
    is_submitted = request.method == "POST"
    if is_submitted and not form.validate() and "csrf_token" in form.errors and invitation is None:
        raise CSRFError
    if invitation is None or why_not_take(invitation, person, now) is not None:
        return _closed(invitation)
    if is_submitted and "csrf_token" in form.errors:
        return _page(token, invitation, form, OUT_OF_DATE, BAD_REQUEST)
    if not is_submitted:
        note_opened(invitation, now)
        if isinstance(form, JoinForm):
            form.name.data = invitation.name or (person.name if person is not None else "")
        return _page(token, invitation, form)
    LINKS_BY_MAIL.spend(network_of_request())
    if form.errors:
        return _page(token, invitation, form, status=INVALID)
    name, password = (form.name.data or "", form.password.data) if isinstance(form, JoinForm) else ("", "")
    try:
        try:
            person = take(session, invitation, name=name, password=password, now=now)
        except IntegrityError:
            # They registered the address in this moment: the link confirms that account.
            session.rollback()
            person = take(session, invitation, name=name, password=password, now=now)
    except LinkClosed:
        session.rollback()
        return _closed(invitation)
    return _welcome(person, password)


def _welcome(person: User, password: str) -> Response:
    """Leads on. Side effect: signs the person in if they have just chosen the account's password here."""
    if password and sign_in_with_chosen_password(person, password):
        flash_message("Welcome. Everything is ready, and you are signed in.")
        return alone(make_response(redirect(url_for("accounts.landing"))))
    flash_message("Welcome. Everything is ready: sign in with your address and password to continue.")
    return alone(make_response(redirect(url_for("security.login"))))


def _page(
    token: str, invitation: AccountInvitation, form: AgreeForm | JoinForm, refusal: str = "", status: int = 200
) -> Response:
    return page_alone(
        "security/join.html",
        status,
        token=token,
        form=form,
        chooses_password=isinstance(form, JoinForm),
        refusal=refusal,
        invitation=invitation,
    )


def _closed(invitation: AccountInvitation | None) -> Response:
    """The page of a link that does not work; it says more only if the token is that of an expired invitation."""
    expired = invitation is not None and invitation.expires_at <= datetime.now(UTC)
    return closed_page(
        "security/join_closed.html", known=invitation is not None, expired=invitation if expired else None
    )


def _set_up(state: BlueprintSetupState) -> None:
    """Exempt the page from the usual CSRF check, which needs a referrer that this page does not send. Its form checks
    the token itself.
    """
    state.app.extensions["csrf"].exempt(blueprint)


blueprint.record_once(_set_up)
