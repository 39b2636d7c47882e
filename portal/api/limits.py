"""Rate limits of the API; the headers of every response say what is left.

========================  ==================  ===========================
what                      with a token        without, for each network
========================  ==================  ===========================
reading                   600 a minute        120 a minute
ranking and explaining    120 a minute        20 a minute
changing                  120 a minute        not possible
========================  ==================  ===========================

All tokens of one person share their budget. Where many people share a network, its budget is ten times as large.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from limits import parse

from portal.api.problems import Problem
from portal.web.limits import limit_of_network, limiter

if TYPE_CHECKING:
    from limits import RateLimitItem


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one kind of request."""

    name: str
    with_token: RateLimitItem
    without: RateLimitItem


READING = Budget("api-read", parse("600 per minute"), parse("120 per minute"))
RANKING = Budget("api-rank", parse("120 per minute"), parse("20 per minute"))
CHANGING = Budget("api-write", parse("120 per minute"), parse("20 per minute"))


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a budget after this request; in `reset` seconds all of it is available again."""

    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        """As response headers."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


def spend(budget: Budget, key: str, *, with_token: bool) -> Left:
    """Count one request for `key`.

    Raises:
        Problem: 429, none was left; with the seconds to wait.
    """
    window = budget.with_token if with_token else limit_of_network(budget.without, key)
    taken = limiter.limiter.hit(window, budget.name, key)
    stats = limiter.limiter.get_window_stats(window, budget.name, key)
    reset = max(1, math.ceil(stats.reset_time - time.time()))
    left = Left(window.amount, stats.remaining if taken else 0, reset)
    if not taken:
        detail = f"There were more than {window.amount} requests within a minute. Go on in {reset} seconds."
        raise Problem(429, detail, headers={**left.headers(), "Retry-After": str(reset)})
    return left
