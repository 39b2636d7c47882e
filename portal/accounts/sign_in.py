"""What the portal adds to Flask-Security's work when somebody registers, signs in or changes how they sign in.

Who confirms their address in the browser in which they have registered is signed in: it has sent the password and now
holds the mailed link. The link alone, perhaps forwarded, signs nobody in. The mark of a registration in the session
cookie tells nobody whether the address had an account: it is then a mark of nobody, which looks alike.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, cast

from flask import after_this_request, current_app, flash, g, make_response, redirect, request, session, url_for
from flask_login import login_user as renew_session
from flask_login import user_loaded_from_cookie, user_logged_out
from flask_security import (
    change_email_confirmed,
    current_user,
    login_user,
    password_changed,
    password_reset,
    tf_disabled,
    tf_profile_changed,
    user_authenticated,
    user_confirmed,
    user_registered,
)
from flask_security.confirmable import confirm_user
from flask_security.utils import verify_password

from portal.accounts import mailing, service
from portal.accounts.guards import BLUEPRINT, REDIRECT
from portal.accounts.rate_limits import account_key, remember_device
from portal.accounts.rules import is_local_path, normal_password
from portal.accounts.service import AddressError, administrators, normal_address
from portal.config import settings_of
from portal.db import db
from portal.web.messages import FIELD, bind, discard, is_pending, text_for
from portal.web.navigation import LONGEST_NEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask, Response
    from flask.typing import ResponseReturnValue
    from flask_login import AnonymousUserMixin

    from portal.models import User

    View = Callable[..., ResponseReturnValue]


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
        renew_session(user, remember="remember_token" in request.cookies)
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


KEY = "registered_here"
ADDRESS = "confirmed_address"
"""The address that was confirmed in this browser, for the form to sign in."""
LIFETIME = timedelta(hours=2)
CONFIRMED = "Your address %(email)s is confirmed, and you are signed in."


def _mark_of(user: User) -> str:
    """The mark of a registration. It ends with the account's sessions, as when a password is chosen by mail."""
    registered = b"registered:" + str(user.fs_uniquifier).encode()
    return hmac.new(settings_of(current_app).secret_key.encode(), registered, hashlib.sha256).hexdigest()


def _marking(view: View) -> View:
    """Mark the browser that has registered somebody, or has tried to register an address that has an account."""

    @wraps(view)
    def register(**values: str) -> ResponseReturnValue:
        response = make_response(view(**values))
        if request.method == "POST" and response.status_code == REDIRECT and not current_user.is_authenticated:
            next_path = request.form.get("next", "")
            session[KEY] = {
                "mark": g.pop("mark_of_registration", None) or secrets.token_hex(hashlib.sha256().digest_size),
                "at": datetime.now(UTC).isoformat(),
                "next": next_path if is_local_path(next_path) and len(next_path) <= LONGEST_NEXT else "",
            }
        return response

    return register


def sign_in_who_registered_here(person: User) -> ResponseReturnValue | None:
    """Confirm the address of somebody and sign them in, if this browser has registered the account; otherwise None."""
    mark = session.get(KEY)
    if mark is None or not _is_registered_here(person, mark):
        return None
    registered_at = datetime.fromisoformat(mark["at"])
    confirm_user(person)  # type: ignore[no-untyped-call]
    login_user(person, authn_via=["confirm"])
    # When the password was last entered, so that changing how one signs in asks for it again in time.
    session["fs_paa"] = registered_at.timestamp()
    session.pop(ADDRESS, None)
    flash(CONFIRMED % {"email": person.email}, "good")
    return redirect(mark["next"] or url_for("accounts.landing"))


def sign_in_with_chosen_password(person: User, password: str) -> bool:
    """Sign in somebody who holds a mailed link and has just chosen this password in this browser; False if somebody is
    signed in here or the account asks for more than this password.
    """
    is_its_password = person.password is not None and verify_password(normal_password(password), person.password)
    is_open = person.active and person.tf_primary_method is None
    if not (is_its_password and is_open) or current_user.is_authenticated:
        return False
    login_user(person, authn_via=["confirm"])
    return True


def _is_registered_here(person: User, mark: dict[str, str]) -> bool:
    """Whether this browser has registered the account lately, and nobody is or was signed in here since."""
    is_recent = abs(datetime.now(UTC) - datetime.fromisoformat(mark["at"])) <= LIFETIME
    is_open = person.active and person.confirmed_at is None and person.tf_primary_method is None
    is_same = hmac.compare_digest(mark["mark"], _mark_of(person))
    return is_same and is_recent and is_open and not current_user.is_authenticated


def _note_mark(_app: Flask, user: User, **_more: object) -> None:
    g.mark_of_registration = _mark_of(user)


def _on_confirmed(_app: Flask, user: User, **_more: object) -> None:
    session[ADDRESS] = user.email


def _forget(_app: Flask, user: User, **_more: object) -> None:  # noqa: ARG001  (whoever it is)
    session.pop(KEY, None)
    session.pop(ADDRESS, None)


def _pending_number() -> str:
    """The number of the text from which this page was opened; empty if there is none."""
    number = request.form.get(FIELD) or request.args.get(FIELD) or ""
    return number if is_pending(number, datetime.now(UTC)) else ""


def _binding(view: View) -> View:
    """Bind the text to the address in the form, before it is known whether that has an account."""

    @wraps(view)
    def bound(**values: str) -> ResponseReturnValue:
        if request.method == "POST" and not current_user.is_authenticated and _pending_number():
            with suppress(AddressError):
                bind(account_key(normal_address(request.form.get("email", ""))), datetime.now(UTC))
        return view(**values)

    return bound


def _drop_text_of_another(_app: Flask, user: User, **_how: object) -> None:
    if text_for(account_key(user.email), datetime.now(UTC)) is None:
        discard()


def _drop_text(_app: Flask, user: User | AnonymousUserMixin | None, **_more: object) -> None:
    # Flask-Security also signs out on confirmation of an address, even if nobody is signed in.
    if user is not None and user.is_authenticated:
        discard()


def init_sign_in(app: Flask) -> None:
    """Connect to Flask-Security's signals of `app`, and wrap its views that register and sign in."""
    views, security = app.view_functions, app.extensions["security"]
    # Flask's view type includes coroutines, of which there are none.
    views[f"{BLUEPRINT}.register"] = _binding(_marking(cast("View", views[f"{BLUEPRINT}.register"])))
    views[f"{BLUEPRINT}.login"] = _binding(cast("View", views[f"{BLUEPRINT}.login"]))
    security.register_context_processor(lambda: {"pending_text": _pending_number()})
    security.login_context_processor(lambda: {"pending_text": _pending_number()})
    for signal, receivers in (
        (user_registered, (_on_registered, _note_mark)),
        (user_authenticated, (_on_authenticated, _forget, _drop_text_of_another)),
        (user_loaded_from_cookie, (_on_remembered, _forget)),
        (user_logged_out, (_on_signed_out, _drop_text)),
        (user_confirmed, (_on_confirmed,)),
        (password_reset, (_on_password_reset,)),
        (password_changed, (_on_password_changed,)),
        (change_email_confirmed, (_on_address_changed,)),
        (tf_profile_changed, (_on_two_step_on,)),
        (tf_disabled, (_on_two_step_off,)),
    ):
        for receiver in receivers:
            signal.connect(receiver, app)
