"""Binds a text from the home page to the account with which somebody continues from it."""

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
from portal.accounts.known_devices import account_key, account_keys
from portal.web.pending_text import FIELD, bind, discard, discard_unless_for, is_pending

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue
    from flask_login import AnonymousUserMixin

    from portal.models import User

    View = Callable[..., ResponseReturnValue]


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


def _on_signed_in(_app: Flask, user: User, **_how: object) -> None:
    discard_unless_for(account_keys(user.email), datetime.now(UTC))


def _on_signed_out(_app: Flask, user: User | AnonymousUserMixin | None, **_more: object) -> None:
    # Flask-Security also signs out on confirmation of an address, even if nobody is signed in.
    if user is not None and user.is_authenticated:
        discard()


def init_pending_text(app: Flask) -> None:
    """Wrap the views that register and sign in, and drop texts on signing out."""
    for endpoint in ("register", "login"):
        name = f"{BLUEPRINT}.{endpoint}"
        # Flask's view type includes coroutines, of which there are none.
        app.view_functions[name] = _binding(cast("View", app.view_functions[name]))
    security = app.extensions["security"]
    security.register_context_processor(lambda: {"pending_text": _pending_number()})
    security.login_context_processor(lambda: {"pending_text": _pending_number()})
    user_authenticated.connect(_on_signed_in, app)
    user_logged_out.connect(_on_signed_out, app)
