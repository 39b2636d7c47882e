"""Signs people in when they confirm their address in the browser in which they have registered, or take an invitation.

This browser has sent the password and now holds the mailed link, which together are as good as a sign-in. The link
alone signs nobody in: whoever opens it elsewhere, such as after it was forwarded, has to enter the password.

A registration leaves a mark in the session cookie, which its owner can read. It must not tell them whether the address
had an account: it is then a mark of nobody, which looks alike.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, cast

from flask import current_app, flash, g, make_response, redirect, request, session, url_for
from flask_login import user_loaded_from_cookie
from flask_security import current_user, login_user, user_authenticated, user_confirmed, user_registered
from flask_security.confirmable import confirm_email_token_status, confirm_user
from flask_security.utils import verify_password

from portal.accounts.guards import BLUEPRINT, REDIRECT
from portal.accounts.passwords import normal_password
from portal.accounts.rules import is_local_path
from portal.web.extensions import settings_of
from portal.web.navigation import LONGEST_NEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

    from portal.models import User

    View = Callable[..., ResponseReturnValue]

KEY = "registered_here"
ADDRESS = "confirmed_address"
"""The address that was confirmed in this browser, for the form to sign in."""
LIFETIME = timedelta(hours=2)
CONFIRMED = "Your address %(email)s is confirmed, and you are signed in."


def _marks_of(user: User) -> list[str]:
    """The mark of a registration with each secret key, the oldest first. It ends with the account's sessions, as when a
    password is chosen by mail.
    """
    registered = b"registered:" + str(user.fs_uniquifier).encode()
    keys = settings_of(current_app).signing_keys
    return [hmac.new(key.encode(), registered, hashlib.sha256).hexdigest() for key in keys]


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


def signing_in_who_registered_here(view: Callable[[str], ResponseReturnValue]) -> Callable[[str], ResponseReturnValue]:
    """Confirm an address and sign in its owner, if this browser has registered the account; otherwise as `view`."""

    @wraps(view)
    def confirm_email(token: str) -> ResponseReturnValue:
        expired, invalid, person = confirm_email_token_status(token)  # type: ignore[no-untyped-call]
        mark = session.get(KEY)
        if expired or invalid or person is None or mark is None or not _is_registered_here(person, mark):
            return view(token)
        registered_at = datetime.fromisoformat(mark["at"])
        confirm_user(person)  # type: ignore[no-untyped-call]
        login_user(person, authn_via=["confirm"])
        # When the password was last entered, so that changing how one signs in asks for it again in time.
        session["fs_paa"] = registered_at.timestamp()
        session.pop(ADDRESS, None)
        flash(CONFIRMED % {"email": person.email}, "good")
        return redirect(mark["next"] or url_for("accounts.landing"))

    return confirm_email


def sign_in_with_chosen_password(person: User, password: str) -> bool:
    """Sign in somebody who holds a mailed link and has just chosen this password in this browser.

    False, and nothing is done, if somebody is signed in here or the account asks for more than this password.
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
    is_same = any(hmac.compare_digest(mark["mark"], own) for own in _marks_of(person))
    return is_same and is_recent and is_open and not current_user.is_authenticated


def _on_registered(_app: Flask, user: User, **_more: object) -> None:
    g.mark_of_registration = _marks_of(user)[-1]


def _on_confirmed(_app: Flask, user: User, **_more: object) -> None:
    session[ADDRESS] = user.email


def _forget(_app: Flask, user: User, **_more: object) -> None:  # noqa: ARG001  (whoever it is)
    session.pop(KEY, None)
    session.pop(ADDRESS, None)


def init_registered_here(app: Flask) -> None:
    """Mark browsers that register, until somebody signs in there."""
    app.view_functions[f"{BLUEPRINT}.register"] = _marking(cast("View", app.view_functions[f"{BLUEPRINT}.register"]))
    user_registered.connect(_on_registered, app)
    user_confirmed.connect(_on_confirmed, app)
    user_authenticated.connect(_forget, app)
    user_loaded_from_cookie.connect(_forget, app)
