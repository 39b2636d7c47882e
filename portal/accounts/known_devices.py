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
    secret = current_app.config["SECRET_KEY"].encode()
    return hmac.new(secret, b"account:" + email.encode(), hashlib.sha256).hexdigest()


def device_of_request(account: str) -> str:
    """The name of this browser if it has signed in to `account` before, otherwise `STRANGER`."""
    try:
        known_account, device = _signer().loads(request.cookies.get(COOKIE, ""), max_age=int(LIFETIME.total_seconds()))
    except (BadSignature, ValueError, TypeError):
        return STRANGER
    return str(device) if hmac.compare_digest(str(known_account), account) else STRANGER


def remember_device(response: Response, account: str) -> Response:
    """Set the cookie of a device known to `account`; a device keeps its name."""
    device = device_of_request(account)
    if device == STRANGER:
        device = secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        _signer().dumps([account, device]),
        max_age=LIFETIME,
        path=f"{settings_of(current_app).cookie_path.rstrip('/')}/accounts",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )
    return response


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.config["SECRET_KEY"], salt="known-device")
