"""Browsers that have signed in to an account before.

Somebody who guesses passwords for an account uses up its tries and would lock its owner out. A browser that has signed
in therefore gets a signed cookie and tries of its own (OWASP, "Device cookies"). The cookie says nothing by itself and
signs nobody in.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from flask import Response

COOKIE = "known_device"
LIFETIME = timedelta(days=180)
STRANGER = "stranger"


def account_key(email: str) -> str:
    """A name for an account in counters and cookies that does not reveal its address; also for unknown addresses."""
    return account_keys(email)[-1]


def account_keys(email: str) -> tuple[str, ...]:
    """The names that `account_key` gave the account with each secret key, the oldest key first, for cookies that were
    written before the key was changed.
    """
    keys = settings_of(current_app).signing_keys
    return tuple(hmac.new(key.encode(), b"account:" + email.encode(), hashlib.sha256).hexdigest() for key in keys)


def device_of_request(email: str) -> str:
    """The name of this browser if it has signed in to the account before, otherwise `STRANGER`."""
    try:
        known_account, device = _signer().loads(request.cookies.get(COOKIE, ""), max_age=int(LIFETIME.total_seconds()))
    except (BadSignature, ValueError, TypeError):
        return STRANGER
    is_known = any(hmac.compare_digest(str(known_account), account) for account in account_keys(email))
    return str(device) if is_known else STRANGER


def remember_device(response: Response, email: str) -> Response:
    """Set the cookie of a device known to the account; a device keeps its name."""
    device = device_of_request(email)
    if device == STRANGER:
        device = secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        _signer().dumps([account_key(email), device]),
        max_age=LIFETIME,
        path=f"{settings_of(current_app).cookie_path.rstrip('/')}/accounts",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )
    return response


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings_of(current_app).signing_keys, salt="known-device")
