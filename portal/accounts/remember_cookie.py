"""Keeps people signed in by “Stay signed in” while the secret key is being changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import current_app, request, session
from flask_login.utils import decode_cookie, encode_cookie

from portal.accounts.events import REMEMBER_COOKIE
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from flask import Flask

    from portal.config import Settings


def _sign_anew() -> None:
    """Read a cookie that an earlier key signed as if the key in use had, and have the browser get such a one."""
    cookie = request.cookies.get(REMEMBER_COOKIE)
    if cookie is None or decode_cookie(cookie) is not None:
        return
    for key in settings_of(current_app).secret_key_fallbacks:
        user_id = decode_cookie(cookie, key=key)
        if user_id is not None:
            renewed = encode_cookie(user_id)
            request.cookies = type(request.cookies)({**request.cookies, REMEMBER_COOKIE: renewed})
            if session.get("_user_id", user_id) == user_id:  # else it is of somebody who did not ask to stay
                session["_remember"] = "set"  # has Flask-Login write the cookie of who is signed in
            return


def init_remember_cookie(app: Flask, settings: Settings) -> None:
    """Accept cookies that the earlier secret keys signed."""
    if settings.secret_key_fallbacks:
        app.before_request_funcs.setdefault(None, []).insert(0, _sign_anew)
