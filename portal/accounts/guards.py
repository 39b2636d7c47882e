"""Wraps Flask-Security's views: rate limits, checked `next` addresses, forms sent twice at once."""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, cast

from flask import abort, make_response, redirect, request, session, url_for
from flask_security import current_user, user_authenticated
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from werkzeug.datastructures import ImmutableMultiDict

from portal.accounts.mailing import drop_waiting_mails
from portal.accounts.rate_limits import (
    LINKS_BY_MAIL,
    PASSWORD_AGAIN,
    REGISTRATION,
    SECOND_STEP,
    SIGN_IN_BY_ACCOUNT,
    SIGN_IN_BY_NETWORK,
    Allowance,
    account_key,
    device_of_request,
)
from portal.accounts.rules import is_local_path
from portal.accounts.service import AddressError, normal_address
from portal.db import db
from portal.models import User
from portal.web.limits import network_of_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue
    from werkzeug.datastructures import MultiDict

    View = Callable[..., ResponseReturnValue]

BLUEPRINT = "security"
REDIRECT = 302  # every form about accounts redirects on success


def tries_key(email: str) -> str:
    """The counter for a sign-in: this browser's at the account, or that of all unknown browsers."""
    return f"{account_key(email)}:{device_of_request(email)}"


def _limit_sign_in(view: View) -> View:
    @wraps(view)
    def sign_in() -> ResponseReturnValue:
        if request.method != "POST" or current_user.is_authenticated:
            return view()
        network = network_of_request()
        SIGN_IN_BY_NETWORK.require(network)
        # No account has an invalid address; the form says what is wrong with it.
        with suppress(AddressError):
            SIGN_IN_BY_ACCOUNT.spend(tries_key(normal_address(request.form.get("email", ""))))
        response = make_response(view())
        if response.status_code != REDIRECT:
            SIGN_IN_BY_NETWORK.use(network)
        return response

    return sign_in


def _limit_second_step(view: View) -> View:
    @wraps(view)
    def second_step() -> ResponseReturnValue:
        if current_user.is_authenticated and "tf_state" not in session:
            # No code is expected: the view would sign the person out.
            return redirect(url_for("accounts.account"))
        if request.method == "POST" and not current_user.is_authenticated:
            query = select(User.email).where(User.fs_uniquifier == session.get("tf_user_id", ""))
            email = db.session.scalar(query)
            if email is not None:
                SECOND_STEP.spend(tries_key(email))
        return view()

    return second_step


def _limit_password_again(view: View) -> View:
    @wraps(view)
    def password_again() -> ResponseReturnValue:
        if request.method != "POST" or not current_user.is_authenticated:
            return view()
        person = str(current_user.id)
        PASSWORD_AGAIN.spend(person)
        response = make_response(view())
        if response.status_code == REDIRECT:
            PASSWORD_AGAIN.clear(person)
        return response

    return password_again


def limit_network(allowance: Allowance) -> Callable[[View], View]:
    """Count the forms that each network sends to a view."""

    def limit(view: View) -> View:
        @wraps(view)
        def limited(**values: str) -> ResponseReturnValue:
            if request.method == "POST":
                allowance.spend(network_of_request())
            return view(**values)

        return limited

    return limit


def _once(view: View) -> View:
    """Answer the second of two equal concurrent forms, which the database refuses, as if it came later."""

    @wraps(view)
    def once(**values: str) -> ResponseReturnValue:
        try:
            return view(**values)
        except IntegrityError:
            db.session.rollback()
            drop_waiting_mails()
            return view(**values)

    return once


def _drop_foreign_next() -> None:
    """Drop a `next` address that is not a path of the portal, before anything reads it. Refuse malformed forms."""
    if request.blueprint != BLUEPRINT:
        return
    if request.is_json:
        abort(415)
    if not all(is_local_path(target) for target in request.args.getlist("next")):
        request.args = _without_next(request.args)
    if not all(is_local_path(target) for target in request.form.getlist("next") if target):
        request.form = _without_next(request.form)


def _without_next(values: MultiDict[str, str]) -> ImmutableMultiDict[str, str]:
    return ImmutableMultiDict((name, value) for name, value in values.items(multi=True) if name != "next")


def _clear_tries(_app: Flask, user: User, **_how: object) -> None:
    """Forget earlier tries of a person who has signed in."""
    SIGN_IN_BY_ACCOUNT.clear(tries_key(user.email))
    SECOND_STEP.clear(tries_key(user.email))


def init_guards(app: Flask) -> None:
    """Wrap the views of `app`, which must be registered already."""
    guards: dict[str, tuple[Callable[[View], View], ...]] = {
        "login": (_limit_sign_in,),
        "register": (_once, limit_network(REGISTRATION)),
        "verify": (_limit_password_again,),
        "change_password": (_limit_password_again,),
        "change_email": (limit_network(LINKS_BY_MAIL),),
        "change_email_confirm": (_once,),
        "two_factor_token_validation": (_limit_second_step,),
        "mf_recovery": (_limit_second_step,),
    }
    for endpoint, steps in guards.items():
        # Flask's view type includes coroutines, of which there are none.
        view = cast("View", app.view_functions[f"{BLUEPRINT}.{endpoint}"])
        for step in steps:
            view = step(view)
        app.view_functions[f"{BLUEPRINT}.{endpoint}"] = view
    app.before_request(_drop_foreign_next)
    user_authenticated.connect(_clear_tries, app)
