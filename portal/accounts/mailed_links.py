"""The pages that mail a link to a typed address: to confirm it, to reset a password, to change to it.

Flask-Security's own send mail only if there is an account (or, to change, if there is none), so their response times
differ. Here every address gets a mail, and only its owner learns what is behind it: one look-up, one mail and one
answer in every case. An account moves to a new address only while its owner is signed in.

Opening a link does nothing yet: mail scanners open all links, and would confirm an address that somebody else has
registered. The page has a button, which only a person presses.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from flask import current_app, flash, make_response, redirect, render_template, request, url_for
from flask_security import current_user, views
from flask_security.change_email import change_email_confirm as move_to_address
from flask_security.confirmable import confirm_email_token_status, send_confirmation_instructions
from flask_security.recoverable import send_reset_password_instructions
from flask_security.utils import check_and_get_token_status, hash_data, verify_hash
from flask_wtf import FlaskForm

from portal.accounts import mailing
from portal.accounts.forms import MESSAGES, SAME_ANSWER, AddressForm, OwnAddressForm
from portal.accounts.guards import BLUEPRINT, limit_network
from portal.accounts.rate_limits import LINKS_BY_MAIL
from portal.accounts.service import person_by_address, was_merged
from portal.accounts.sign_in import sign_in_who_registered_here
from portal.db import db
from portal.web.access import address_of_request, with_recent_password

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

    from portal.models import User

_move_to_address: Callable[[str], ResponseReturnValue] = move_to_address
SUBJECT = "About your account"
SUBJECT_OF_NEW_ADDRESS = "Confirm your new address"
ACCOUNT_CLOSED = (
    "The account of this link is suspended or was merged into another one. Write to the administrators of the portal."
)
OF_ANOTHER_ACCOUNT = (
    "That link moves another account to its new address. Sign out, open the link again, and sign in to that account."
)


def forgot_password() -> ResponseReturnValue:
    """Mail a link to choose a new password."""
    form = AddressForm()
    if form.validate_on_submit():
        return _mail_link(form.email.data, to_confirm=False)
    if current_user.is_authenticated and not form.is_submitted():
        form.email.data = current_user.email
    return render_template("security/forgot_password.html", forgot_password_form=form)


def send_confirmation() -> ResponseReturnValue:
    """Mail the link that confirms an address, again."""
    form = AddressForm()
    if form.validate_on_submit():
        return _mail_link(form.email.data, to_confirm=True)
    return render_template("security/send_confirmation.html", send_confirmation_form=form)


def _mail_link(email: str, *, to_confirm: bool) -> ResponseReturnValue:
    """Mail the link to confirm an address or to choose a password, or why there is none."""
    person = person_by_address(db.session(), email)
    if person is None:
        mailing.send("no_account", SUBJECT, email)
    elif kind := _kind_if_closed(person):
        mailing.send(kind, SUBJECT, email)
    elif not to_confirm:
        send_reset_password_instructions(person)  # type: ignore[no-untyped-call]
    elif person.confirmed_at is not None:
        mailing.send("already_confirmed", SUBJECT, email)
    else:
        send_confirmation_instructions(person)  # type: ignore[no-untyped-call]
    flash(SAME_ANSWER % {"email": email}, "good")
    return redirect(url_for("mailed.check_mail"))


def _kind_if_closed(person: User) -> str:
    """The mail to somebody who cannot sign in, whatever they ask for; empty for everybody else."""
    if person.active:
        return ""
    return "merged" if was_merged(db.session(), person) else "suspended"


@with_recent_password
def change_email() -> ResponseReturnValue:
    """Mail a link to a new address; where it has an account, a mail that says so."""
    form = OwnAddressForm()
    if not form.validate_on_submit():
        return render_template("security/change_email.html", change_email_form=form, current_email=current_user.email)
    email, config = form.email.data, current_app.config
    owner = person_by_address(db.session(), email)
    if owner is not None:
        mailing.send(_kind_if_closed(owner) or "change_email_taken", SUBJECT_OF_NEW_ADDRESS, owner.email)
    else:
        serializer = current_app.extensions["security"].change_email_serializer
        token = serializer.dumps([str(current_user.fs_uniquifier), hash_data(current_user.email), email])
        within = config["SECURITY_CHANGE_EMAIL_WITHIN"]
        mailing.send("change_email_instructions", SUBJECT_OF_NEW_ADDRESS, email, token=token, within=within)
    flash(SAME_ANSWER % {"email": email}, "good")
    return redirect(url_for("accounts.account"))


def confirm_email(token: str) -> ResponseReturnValue:
    """Confirm an address. A link to one that is confirmed leads to sign-in, expired or not: mail scanners open links
    too, and people open them again. Who is invited to more than that, see `sign_in_who_registered_here`.
    """
    person, digest = _owner_of(token, "confirm")
    if person is not None and not person.active:
        return _closed()
    if person is not None and person.confirmed_at is not None and verify_hash(digest, person.email):
        flash(*MESSAGES["CONFIRMED_AND_SIGNED_IN" if current_user.is_authenticated else "ALREADY_CONFIRMED"])
        return redirect(url_for(f"{BLUEPRINT}.login"))
    expired, invalid, owner = confirm_email_token_status(token)  # type: ignore[no-untyped-call]
    if expired or invalid or owner is None:
        return views.confirm_email(token)
    if request.method != "POST":
        return _page_with_button("security/confirm_address.html", token, owner.email)
    return sign_in_who_registered_here(owner) or views.confirm_email(token)


def reset_password(token: str) -> ResponseReturnValue:
    """Choose a password, unless the account is closed."""
    person, _ = _owner_of(token, "reset")
    return _closed() if person is not None and not person.active else views.reset_password(token)


def change_email_confirm(token: str) -> ResponseReturnValue:
    """Move an account to an address, for its owner alone: whoever mistypes one mails the link to a stranger."""
    within = current_app.config["SECURITY_CHANGE_EMAIL_WITHIN"]
    expired, invalid, data = check_and_get_token_status(token, "change_email", within)
    person = _person_with(data[0]) if data and not invalid else None
    if person is None or expired or not verify_hash(data[1], person.email):
        if data and not invalid and current_user.is_authenticated and data[2] == current_user.email:  # after going back
            flash("You sign in with this address already.", "info")
            return redirect(url_for("accounts.account"))
        return _move_to_address(token)
    if not current_user.is_authenticated:
        flash("Sign in with your current address. Then you can confirm the new one.", "info")
        return redirect(url_for(f"{BLUEPRINT}.login", next=address_of_request()))
    if person != current_user:
        flash(OF_ANOTHER_ACCOUNT, "warn")
        return redirect(url_for("accounts.account"))
    if request.method != "POST":
        return _page_with_button("security/confirm_new_address.html", token, str(data[2]))
    return _move_to_address(token)


def _page_with_button(template: str, token: str, address: str) -> ResponseReturnValue:
    """What a link would do, with a button that does it."""
    page = make_response(render_template(template, form=FlaskForm(), token=token, address=address))
    page.headers["Referrer-Policy"] = "same-origin"
    return page


def _closed() -> ResponseReturnValue:
    flash(ACCOUNT_CLOSED, "warn")
    return redirect(url_for(f"{BLUEPRINT}.login"))


def _person_with(uniquifier: str) -> User | None:
    person: User | None = current_app.extensions["security"].datastore.find_user(fs_uniquifier=uniquifier)
    return person


def _owner_of(token: str, kind: str) -> tuple[User | None, Any]:
    """Whose account a link of a kind is about, expired or not, and the hash in it; None if the link is invalid."""
    _, invalid, data = check_and_get_token_status(token, kind, timedelta.max)
    return (_person_with(data[0]), data[1]) if data and not invalid else (None, "")


def init_mailed_links(app: Flask) -> None:
    """Replace Flask-Security's pages by these."""
    for view in (forgot_password, send_confirmation):
        app.view_functions[f"{BLUEPRINT}.{view.__name__}"] = limit_network(LINKS_BY_MAIL)(view)
    app.view_functions[f"{BLUEPRINT}.change_email"] = change_email
    app.view_functions[f"{BLUEPRINT}.confirm_email"] = confirm_email
    app.view_functions[f"{BLUEPRINT}.reset_password"] = reset_password
    app.view_functions[f"{BLUEPRINT}.change_email_confirm"] = change_email_confirm
    # Flask-Security's own acts on GET and has no form.
    app.add_url_rule("/accounts/change-email/<token>", f"{BLUEPRINT}.change_email_confirm", methods=["POST"])
