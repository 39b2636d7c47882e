"""Browsers that have signed in to an account before.

Whoever guesses passwords for an account uses up its tries and would lock its owner out. So a browser that signed in
once gets a signed cookie and tries of its own: strangers can use up the strangers' tries only (OWASP, "Device
cookies"). The cookie says nothing by itself and signs nobody in.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

if TYPE_CHECKING:
    from flask import Response

COOKIE = "known_device"
KEPT = timedelta(days=180)
STRANGER = "stranger"


def account_key(email: str) -> str:
    """A name for an account in counters and cookies that does not give its address away; equal for unknown ones."""
    secret = current_app.config["SECRET_KEY"].encode()
    return hmac.new(secret, b"account:" + email.encode(), hashlib.sha256).hexdigest()


def device_of_request(account: str) -> str:
    """The name of the browser that asks, if it has signed in to `account` before; `STRANGER` for every other."""
    try:
        known, device = _signer().loads(request.cookies.get(COOKIE, ""), max_age=int(KEPT.total_seconds()))
    except (BadSignature, ValueError, TypeError):
        return STRANGER
    return str(device) if hmac.compare_digest(str(known), account) else STRANGER


def remember_device(response: Response, account: str) -> Response:
    """Give the browser the cookie of a device known to `account`; it keeps its name if it has one already."""
    device = device_of_request(account)
    if device == STRANGER:
        device = secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        _signer().dumps([account, device]),
        max_age=KEPT,
        path="/accounts",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )
    return response


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.config["SECRET_KEY"], salt="known-device")
