"""What the portal adds to Flask-Security's work when somebody registers, signs in or changes how they sign in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import after_this_request, current_app, g, request, session
from flask_login import login_user, user_loaded_from_cookie, user_logged_out
from flask_security import (
    change_email_confirmed,
    current_user,
    password_changed,
    password_reset,
    tf_disabled,
    tf_profile_changed,
    user_authenticated,
    user_registered,
)

from portal.accounts import mailing, service
from portal.accounts.known_devices import remember_device
from portal.accounts.queries import administrators
from portal.db import db
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask_login import AnonymousUserMixin

    from portal.models import User

REMEMBER_COOKIE = "remember_token"
LAST = "last_signed_in"
"""Who was signed in last in the session of this browser."""


def _on_registered(_app: Flask, user: User, **_more: object) -> None:
    """Everybody who registers is an applicant; administrators give the other roles."""
    service.register_applicant(db.session(), user, now=datetime.now(UTC))


def _on_authenticated(_app: Flask, user: User, **_more: object) -> None:
    _remember_browser(user)
    _drop_forms_of_previous_user(user)


def _on_signed_out(_app: Flask, user: User | AnonymousUserMixin | None, **_more: object) -> None:
    """Clear the browser's cache, so that nobody after them can go back to their pages."""
    if user is None or not user.is_authenticated:
        return

    def forget(response: Response) -> Response:
        response.headers["Clear-Site-Data"] = '"cache"'
        return response

    after_this_request(forget)


def _on_remembered(_app: Flask, user: User, **_more: object) -> None:
    session[LAST] = user.id


def _on_password_reset(_app: Flask, user: User, **_more: object) -> None:
    """Opening the link proved access to the mailbox: it confirms the address and trusts this browser."""
    now = datetime.now(UTC)
    service.confirm(db.session(), user, now=now)
    service.record_change(db.session(), user, "account.reset_password", now=now)
    _remember_browser(user)


def _on_password_changed(_app: Flask, user: User, **_more: object) -> None:
    service.record_change(db.session(), user, "account.change_password", now=datetime.now(UTC))


def _on_address_changed(_app: Flask, user: User, old_email: str, **_more: object) -> None:
    """Notify the old address, in case the change was not its owner's. Links mailed to it (such as to choose a new
    password) and the account's other sessions end.
    """
    is_signed_in_here = current_user.is_authenticated and current_user.id == user.id
    service.renew_identity(db.session(), user)
    if is_signed_in_here:
        # Flask-Security's own function would count this as a sign-in with the password.
        login_user(user, remember=REMEMBER_COOKIE in request.cookies)
    after = {"from": old_email, "to": user.email}
    service.record_change(db.session(), user, "account.change_email", now=datetime.now(UTC), after=after)
    has_contact = bool(settings_of(current_app).contact)  # which the mail then names instead
    whom_to_write = [] if has_contact else [admin.email for admin in administrators(db.session())]
    subject = "The address of your account was changed"
    mailing.send("change_email_notice", subject, old_email, new_email=user.email, administrators=whom_to_write)


def _on_two_step_on(_app: Flask, user: User, **_more: object) -> None:
    service.record_change(db.session(), user, "account.two_step_on", now=datetime.now(UTC))
    mailing.send("two_step_notice", "Two-step sign-in was turned on", user.email, on=True)


def _on_two_step_off(_app: Flask, user: User, **_more: object) -> None:
    service.forget_second_factor(db.session(), user, author=user, now=datetime.now(UTC))
    mailing.send("two_step_notice", "Two-step sign-in was turned off", user.email, on=False)


def _remember_browser(user: User) -> None:
    email = user.email

    def remember(response: Response) -> Response:
        return remember_device(response, email)

    after_this_request(remember)


def _drop_forms_of_previous_user(user: User) -> None:
    """Invalidate forms of the person signed in here before. A session that ended elsewhere, as after a password
    change, leaves its tabs open, and their content must not be saved for somebody else.
    """
    previous, session[LAST] = session.get(LAST), user.id
    if previous not in {None, user.id}:
        for store in (session, g):
            store.pop(current_app.config["WTF_CSRF_FIELD_NAME"], None)


def init_events(app: Flask) -> None:
    """Connect to Flask-Security's signals of `app`."""
    user_registered.connect(_on_registered, app)
    user_authenticated.connect(_on_authenticated, app)
    user_loaded_from_cookie.connect(_on_remembered, app)
    user_logged_out.connect(_on_signed_out, app)
    password_reset.connect(_on_password_reset, app)
    password_changed.connect(_on_password_changed, app)
    change_email_confirmed.connect(_on_address_changed, app)
    tf_profile_changed.connect(_on_two_step_on, app)
    tf_disabled.connect(_on_two_step_off, app)
