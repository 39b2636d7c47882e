"""The pages that mail a link to a typed address: to confirm it, to reset a password, to change to it.

Flask-Security's own send mail only if there is an account (or, to change, if there is none), so their response times
differ. Here every address gets a mail, and only its owner learns what is behind it: one look-up, one mail and one
answer in every case. An account moves to a new address only while its owner is signed in.

Opening a link does nothing yet: mail scanners open all links, and would confirm an address that somebody else has
registered. The page has a button, which only a person presses.
"""

from __future__ import annotations

from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from flask import current_app, flash, make_response, redirect, render_template, request, url_for
from flask_security import current_user
from flask_security.confirmable import confirm_email_token_status, send_confirmation_instructions
from flask_security.recoverable import send_reset_password_instructions
from flask_security.utils import check_and_get_token_status, hash_data, verify_hash
from flask_wtf import FlaskForm

from portal.accounts import mailing
from portal.accounts.forms import MESSAGES, SAME_ANSWER, AddressForm, OwnAddressForm
from portal.accounts.guards import BLUEPRINT, limit_network
from portal.accounts.rate_limits import LINKS_BY_MAIL
from portal.accounts.service import person_by_address, was_merged
from portal.accounts.sign_in import signing_in_who_registered_here
from portal.db import db
from portal.web.access import address_of_request, with_recent_password

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

    from portal.models import User

    TokenView = Callable[[str], ResponseReturnValue]

SUBJECT_OF_NEW_ADDRESS = "Confirm your new address"
SIGN_IN_FIRST = "Sign in with your present address. Then you can confirm the new one."
MOVED_ALREADY = "You sign in with this address already."
ACCOUNT_CLOSED = (
    "The account of this link is suspended or was merged into another one, so nobody can sign in to it. Write to the "
    "administrators of the portal."
)
OF_ANOTHER_ACCOUNT = (
    "That link moves another account to its new address, not this one. Sign out, open the link again, and sign in to "
    "the account that moves."
)


def forgot_password() -> ResponseReturnValue:
    """Mail a link to choose a new password."""
    form = AddressForm()
    if form.validate_on_submit():
        _mail_reset_link(form.email.data)
        return _same_answer(form.email.data)
    if current_user.is_authenticated and not form.is_submitted():
        form.email.data = current_user.email
    return render_template("security/forgot_password.html", forgot_password_form=form)


def send_confirmation() -> ResponseReturnValue:
    """Mail the link that confirms an address, again."""
    form = AddressForm()
    if form.validate_on_submit():
        _mail_confirmation_link(form.email.data)
        return _same_answer(form.email.data)
    return render_template("security/send_confirmation.html", send_confirmation_form=form)


def _mail_reset_link(email: str) -> None:
    person = person_by_address(db.session(), email)
    if person is None:
        mailing.send("no_account", "About your account", email)
    elif kind := _kind_if_closed(person):
        mailing.send(kind, "About your account", email)
    else:
        send_reset_password_instructions(person)  # type: ignore[no-untyped-call]


def _mail_confirmation_link(email: str) -> None:
    person = person_by_address(db.session(), email)
    if person is None:
        mailing.send("no_account", "About your account", email)
    elif kind := _kind_if_closed(person):
        mailing.send(kind, "About your account", email)
    elif person.confirmed_at is not None:
        mailing.send("already_confirmed", "Your address is confirmed", email)
    else:
        send_confirmation_instructions(person)  # type: ignore[no-untyped-call]


def _kind_if_closed(person: User) -> str:
    """The mail to somebody who cannot sign in, whatever they ask for; empty for everybody else."""
    if person.active:
        return ""
    return "merged" if was_merged(db.session(), person) else "suspended"


@with_recent_password
def change_email() -> ResponseReturnValue:
    """Mail a link to a new address; where it has an account, a mail that says so."""
    form = OwnAddressForm()
    if form.validate_on_submit():
        _mail_link_to_new_address(form.email.data)
        flash(SAME_ANSWER % {"email": form.email.data}, "good")
        return redirect(url_for("accounts.account"))
    return render_template("security/change_email.html", change_email_form=form, current_email=current_user.email)


def _mail_link_to_new_address(email: str) -> None:
    owner = person_by_address(db.session(), email)
    if owner is not None:
        mailing.send(_kind_if_closed(owner) or "change_email_taken", SUBJECT_OF_NEW_ADDRESS, owner.email)
        return
    serializer = current_app.extensions["security"].change_email_serializer
    token = serializer.dumps([str(current_user.fs_uniquifier), hash_data(current_user.email), email])
    within = current_app.config["SECURITY_CHANGE_EMAIL_WITHIN"]
    mailing.send("change_email_instructions", SUBJECT_OF_NEW_ADDRESS, email, token=token, within=within)


def _with_confirmation_page(view: TokenView, address_of: Callable[[str], str | None], template: str) -> TokenView:
    """Show what a valid link would do, with a button that does it; for an invalid one, `view` says what is wrong.

    Args:
        view: Does it, or says why not.
        address_of: The address that a link is about; None if the link is invalid.
        template: The page with the button.
    """

    @wraps(view)
    def ask(token: str) -> ResponseReturnValue:
        address = address_of(token) if request.method != "POST" else None
        if address is None:
            return view(token)
        page = make_response(render_template(template, form=FlaskForm(), token=token, address=address))
        page.headers["Referrer-Policy"] = "same-origin"
        return page

    return ask


def _address_to_confirm(token: str) -> str | None:
    expired, invalid, person = confirm_email_token_status(token)  # type: ignore[no-untyped-call]
    return person.email if person is not None and not expired and not invalid else None


def _address_to_move_to(token: str) -> str | None:
    move = _move_of(token)
    return move[1] if move is not None else None


def _move_of(token: str) -> tuple[User, str] | None:
    """The account that a link moves, and to which address; None if the link is invalid, expired or outdated."""
    within = current_app.config["SECURITY_CHANGE_EMAIL_WITHIN"]
    expired, invalid, data = check_and_get_token_status(token, "change_email", within)
    if expired or invalid or not data:
        return None
    uniquifier, present_address, new_address = data
    person: User | None = current_app.extensions["security"].datastore.find_user(fs_uniquifier=uniquifier)
    if person is None or not verify_hash(present_address, person.email):
        return None
    return person, str(new_address)


def _is_done(token: str) -> bool:
    """Whether the account that is signed in has the address of a link already, as after going back."""
    _, invalid, data = check_and_get_token_status(token, "change_email", timedelta.max)
    return bool(data and not invalid and current_user.is_authenticated and data[2] == current_user.email)


def _for_owner(view: TokenView) -> TokenView:
    """Let only the account's owner, signed in, move it: whoever mistypes an address mails the link to a stranger."""

    @wraps(view)
    def change_email_confirm(token: str) -> ResponseReturnValue:
        move = _move_of(token)
        if move is not None and not current_user.is_authenticated:
            flash(SIGN_IN_FIRST, "info")
            return redirect(url_for(f"{BLUEPRINT}.login", next=address_of_request()))
        if move is not None and move[0].id != current_user.id:
            flash(OF_ANOTHER_ACCOUNT, "warn")
            return redirect(url_for("accounts.account"))
        if move is None and _is_done(token):
            flash(MOVED_ALREADY, "info")
            return redirect(url_for("accounts.account"))
        return view(token)

    return change_email_confirm


def _refusing_if_closed(view: TokenView, kind: str) -> TokenView:
    """Say to whoever opens a link that its account is suspended or merged, rather than that they can sign in now."""

    @wraps(view)
    def open_link(token: str) -> ResponseReturnValue:
        owner = _owner_of(token, kind)
        if owner is not None and not owner[0].active:
            flash(ACCOUNT_CLOSED, "warn")
            return redirect(url_for(f"{BLUEPRINT}.login"))
        return view(token)

    return open_link


def _redirecting_if_confirmed(view: TokenView) -> TokenView:
    """Redirect a link to an already confirmed address to sign-in, rather than offering another link: mail scanners
    open links too, and people open them again after they expired.
    """

    @wraps(view)
    def confirm_email(token: str) -> ResponseReturnValue:
        if _is_confirmed_by(token):
            flash(*MESSAGES["CONFIRMED_AND_SIGNED_IN" if current_user.is_authenticated else "ALREADY_CONFIRMED"])
            return redirect(url_for(f"{BLUEPRINT}.login"))
        return view(token)

    return confirm_email


def _is_confirmed_by(token: str) -> bool:
    """Whether a confirmation link, expired or not, is for the address of an account that is confirmed."""
    owner = _owner_of(token, "confirm")
    return owner is not None and owner[0].confirmed_at is not None and verify_hash(owner[1], owner[0].email)


def _owner_of(token: str, kind: str) -> tuple[User, Any] | None:
    """Whose account a link of a kind is about, expired or not, and the hash in it; None if the link is invalid."""
    _, invalid, data = check_and_get_token_status(token, kind, timedelta.max)
    if invalid or not data:
        return None
    person: User | None = current_app.extensions["security"].datastore.find_user(fs_uniquifier=data[0])
    return (person, data[1]) if person is not None else None


def _same_answer(email: str) -> ResponseReturnValue:
    flash(SAME_ANSWER % {"email": email}, "good")
    return redirect(url_for("mailed.check_mail"))


def init_mailed_links(app: Flask) -> None:
    """Replace Flask-Security's pages by these."""
    for view in (forgot_password, send_confirmation):
        app.view_functions[f"{BLUEPRINT}.{view.__name__}"] = limit_network(LINKS_BY_MAIL)(view)
    app.view_functions[f"{BLUEPRINT}.change_email"] = change_email
    confirm = cast("TokenView", app.view_functions[f"{BLUEPRINT}.confirm_email"])
    move = cast("TokenView", app.view_functions[f"{BLUEPRINT}.change_email_confirm"])
    confirm = signing_in_who_registered_here(confirm)
    confirm = _with_confirmation_page(confirm, _address_to_confirm, "security/confirm_address.html")
    app.view_functions[f"{BLUEPRINT}.confirm_email"] = _refusing_if_closed(
        _redirecting_if_confirmed(confirm), "confirm"
    )
    reset = cast("TokenView", app.view_functions[f"{BLUEPRINT}.reset_password"])
    app.view_functions[f"{BLUEPRINT}.reset_password"] = _refusing_if_closed(reset, "reset")
    move = _with_confirmation_page(move, _address_to_move_to, "security/confirm_new_address.html")
    app.view_functions[f"{BLUEPRINT}.change_email_confirm"] = _for_owner(move)
    # Flask-Security's own acts on GET and has no form.
    app.add_url_rule("/accounts/change-email/<token>", f"{BLUEPRINT}.change_email_confirm", methods=["POST"])
