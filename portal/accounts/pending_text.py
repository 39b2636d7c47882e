"""Binds a text from the home page to the account that somebody registers or signs in to from that text."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, cast

from flask import request
from flask_login import user_logged_out
from flask_security import current_user, user_authenticated

from portal.accounts.addresses import AddressError, normal_address
from portal.accounts.guards import BLUEPRINT
from portal.accounts.known_devices import account_key
from portal.web.pending_text import FIELD, bind, discard, discard_unless_for, is_pending

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue
    from flask_login import AnonymousUserMixin

    from portal.models import User

    View = Callable[..., ResponseReturnValue]


def _number_of_step() -> str:
    """The number of the text with which this page was opened, or nothing where no such text waits."""
    number = request.form.get(FIELD) or request.args.get(FIELD) or ""
    return number if is_pending(number, datetime.now(UTC)) else ""


def _binding(view: View) -> View:
    """Bind the text to the address in the form, before anybody knows whether it has an account."""

    @wraps(view)
    def bound(**values: str) -> ResponseReturnValue:
        if request.method == "POST" and not current_user.is_authenticated and _number_of_step():
            with suppress(AddressError):
                bind(account_key(normal_address(request.form.get("email", ""))), datetime.now(UTC))
        return view(**values)

    return bound


def _on_signed_in(_app: Flask, user: User, **_how: object) -> None:
    discard_unless_for(account_key(user.email), datetime.now(UTC))


def _on_signed_out(_app: Flask, user: User | AnonymousUserMixin | None, **_more: object) -> None:
    # Flask-Security signs out whoever confirms an address, also where nobody is signed in.
    if user is not None and user.is_authenticated:
        discard()


def init_pending_text(app: Flask) -> None:
    """Put the step before the views of `app` that register and sign in, and let texts go with those who sign out."""
    for endpoint in ("register", "login"):
        name = f"{BLUEPRINT}.{endpoint}"
        # Flask's type of views admits coroutines as well, which we have none of.
        app.view_functions[name] = _binding(cast("View", app.view_functions[name]))
    security = app.extensions["security"]
    security.register_context_processor(lambda: {"taken_text": _number_of_step()})
    security.login_context_processor(lambda: {"taken_text": _number_of_step()})
    user_authenticated.connect(_on_signed_in, app)
    user_logged_out.connect(_on_signed_out, app)
