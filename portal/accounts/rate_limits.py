"""Rate limits of what can be guessed and of what sends mail.

========================  =============================  ==================================================
what                      limit                          counted
========================  =============================  ==================================================
sign-in, per network      20 a minute, 200 an hour       failures only: a lecture hall shares one address
sign-in, per account      10 in 15 minutes               every try; a success clears it
second step, per account  5 in 15 minutes, 30 a day      every try; a success clears it
password asked again      10 in 15 minutes               every try; a success clears it
registration, per network 20 a minute, 200 an hour       every form sent
links by mail             10 a minute, 60 an hour        every form sent, per network
mails to one address      5 an hour                      beyond that no mail is sent, and nobody is told
========================  =============================  ==================================================

A network is an IPv4 address or an IPv6 /64, the block that one customer gets; where many people share one
(PORTAL_SHARED_NETWORKS), its limits are ten times as high. Accounts are counted by the typed
address, whether or not it has an account, so that a refusal reveals nothing. Browsers that signed in to an account
before are counted separately (`known_devices`): a stranger who uses up the tries blocks other strangers for 15 minutes,
but never the owner at their own browser. At a new browser, the owner can reset the password by mail, which makes that
browser known. Mails to one address stop silently, because a refusal would keep the owner from their links for as long
as somebody else asks for them; the last five links stay valid.

Counters are in the store of PORTAL_LIMITS_URL. In memory, and while Redis is down, each process counts separately.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import make_response, render_template
from limits import parse_many
from werkzeug.exceptions import TooManyRequests

from portal.web.errors import ErrorPage
from portal.web.limits import limit_of_network, limiter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from limits import RateLimitItem

SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """How often one thing may be tried per key.

    `advice` is what to do once it is used up, and `forgot` whether the page that says so leads to a new password also
    for who is signed in. If it is `per_network`, its keys are networks.
    """

    name: str
    windows: tuple[RateLimitItem, ...]
    advice: str
    forgot: bool = False
    per_network: bool = False

    def windows_for(self, key: str) -> Sequence[RateLimitItem]:
        """The windows in which the tries of a key are counted."""
        return [limit_of_network(window, key) for window in self.windows] if self.per_network else self.windows

    def left(self, key: str) -> bool:
        """Whether another try is allowed; counts nothing."""
        return all(limiter.limiter.test(window, self.name, key) for window in self.windows_for(key))

    def use(self, key: str) -> bool:
        """Count one try; False if none was left."""
        if not self.left(key):
            return False
        taken = [limiter.limiter.hit(window, self.name, key) for window in self.windows_for(key)]
        return all(taken)

    def wait(self, key: str) -> int:
        """Seconds until another try is allowed; at least 1."""
        used_up = [window for window in self.windows_for(key) if not limiter.limiter.test(window, self.name, key)]
        reset_times = [limiter.limiter.get_window_stats(window, self.name, key).reset_time for window in used_up]
        return max(1, math.ceil(max(reset_times, default=0.0) - time.time()))

    def clear(self, key: str) -> None:
        """Forget the tries so far."""
        for window in self.windows_for(key):
            limiter.limiter.clear(window, self.name, key)

    def require(self, key: str) -> None:
        """Check that a try is left; counts nothing.

        Raises:
            TooManyRequests: None is left; its page says when to try again and what to do until then.
        """
        if not self.left(key):
            raise self._refusal(key)

    def spend(self, key: str) -> None:
        """Count one try.

        Raises:
            TooManyRequests: None was left; its page says when to try again and what to do until then.
        """
        if not self.use(key):
            raise self._refusal(key)

    def _refusal(self, key: str) -> TooManyRequests:
        wait = self.wait(key)
        minutes = math.ceil(wait / SECONDS_PER_MINUTE)
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


def allowance(
    name: str, often: str, advice: str = _WAIT, *, forgot: bool = False, per_network: bool = False
) -> Allowance:
    """An allowance of `often`, such as "10 per minute; 60 per hour"."""
    return Allowance(name, tuple(parse_many(often)), advice, forgot, per_network)


SIGN_IN_BY_NETWORK = allowance("sign-in-network", "20 per minute; 200 per hour", per_network=True)
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
REGISTRATION = allowance("registration", "20 per minute; 200 per hour", per_network=True)
LINKS_BY_MAIL = allowance("links-by-mail", "10 per minute; 60 per hour", per_network=True)
MAILS_TO_ADDRESS = allowance("mails-to-address", "5 per hour")
