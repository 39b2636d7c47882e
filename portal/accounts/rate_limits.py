"""Limits on guessing passwords and on mails to an address, and the browsers that have signed in to an account before.

Somebody who guesses passwords for an account uses up its tries and would lock its owner out. A browser that has signed
in therefore gets a signed cookie and tries of its own (OWASP, "Device cookies"). The cookie says nothing by itself and
signs nobody in.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app, make_response, render_template, request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from limits import parse_many
from werkzeug.exceptions import TooManyRequests

from portal.config import settings_of
from portal.web.errors import ErrorPage
from portal.web.limits import limiter

if TYPE_CHECKING:
    from flask import Response
    from limits import RateLimitItem


COOKIE = "known_device"
LIFETIME = timedelta(days=180)
STRANGER = "stranger"


def account_key(email: str) -> str:
    """A name for an account in counters and cookies that does not reveal its address; also for unknown addresses."""
    key = settings_of(current_app).secret_key.encode()
    return hmac.new(key, b"account:" + email.encode(), hashlib.sha256).hexdigest()


def device_of_request(email: str) -> str:
    """The name of this browser if it has signed in to the account before, otherwise `STRANGER`."""
    try:
        known_account, device = _signer().loads(request.cookies.get(COOKIE, ""), max_age=int(LIFETIME.total_seconds()))
    except (BadSignature, ValueError, TypeError):
        return STRANGER
    is_known = hmac.compare_digest(str(known_account), account_key(email))
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
    return URLSafeTimedSerializer(settings_of(current_app).secret_key, salt="known-device")


@dataclass(frozen=True, slots=True)
class Allowance:
    """How often one thing may be tried per key; `advice` is what to do once it is used up, and `forgot` whether the
    page that says so leads to a new password also for who is signed in.
    """

    name: str
    windows: tuple[RateLimitItem, ...]
    advice: str
    forgot: bool = False

    def left(self, key: str) -> bool:
        """Whether another try is allowed; counts nothing."""
        return all(limiter.limiter.test(window, self.name, key) for window in self.windows)

    def use(self, key: str) -> bool:
        """Count one try; False if none was left."""
        if not self.left(key):
            return False
        taken = [limiter.limiter.hit(window, self.name, key) for window in self.windows]
        return all(taken)

    def wait(self, key: str) -> int:
        """Seconds until another try is allowed; at least 1."""
        used_up = [window for window in self.windows if not limiter.limiter.test(window, self.name, key)]
        reset_times = [limiter.limiter.get_window_stats(window, self.name, key).reset_time for window in used_up]
        return max(1, math.ceil(max(reset_times, default=0.0) - time.time()))

    def clear(self, key: str) -> None:
        """Forget the tries so far."""
        for window in self.windows:
            limiter.limiter.clear(window, self.name, key)

    def require(self, key: str) -> None:
        """Raise TooManyRequests, whose page says when to try again, unless a try is left. Counts nothing."""
        if not self.left(key):
            raise self._refusal(key)

    def spend(self, key: str) -> None:
        """Count one try. Raises TooManyRequests, whose page says when to try again, if none was left."""
        if not self.use(key):
            raise self._refusal(key)

    def _refusal(self, key: str) -> TooManyRequests:
        wait = self.wait(key)
        minutes = math.ceil(wait / 60)
        page = ErrorPage(
            "Too many tries",
            f"There were too many tries. You can try again in {minutes} {'minute' if minutes == 1 else 'minutes'}.",
            self.advice,
        )
        html = render_template("errors/error.html", page=page, status=429, reason=None, forgot=self.forgot)
        response = make_response(html, 429)
        response.headers["Retry-After"] = str(wait)
        return TooManyRequests(response=response)


_WAIT = "Nothing is lost: wait, and send the form again."


def allowance(name: str, often: str, advice: str = _WAIT, *, forgot: bool = False) -> Allowance:
    """An allowance of `often`, such as "10 per minute; 60 per hour"."""
    return Allowance(name, tuple(parse_many(often)), advice, forgot)


SIGN_IN_BY_NETWORK = allowance("sign-in-network", "20 per minute; 200 per hour")
SIGN_IN_BY_ACCOUNT = allowance(
    "sign-in-account",
    "10 per 15 minute",
    "If you have forgotten your password, use “Forgot your password?” on the sign-in page: that works at once.",
)
SECOND_STEP = allowance(
    "second-step",
    "5 per 15 minute; 30 per day",
    "Check that the clock of your phone is right. If the phone is lost, use a recovery code, or ask an administrator.",
)
PASSWORD_AGAIN = allowance(
    "password-again",
    "10 per 15 minute",
    "Nothing was changed. If you have forgotten your password, have a link mailed to you: that works at once.",
    forgot=True,
)
REGISTRATION = allowance("registration", "20 per minute; 200 per hour")
LINKS_BY_MAIL = allowance("links-by-mail", "10 per minute; 60 per hour")
MAILS_TO_ADDRESS = allowance("mails-to-address", "5 per hour")
