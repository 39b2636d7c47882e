"""Authenticates API requests by token. Session cookies do not count, so no form token is needed.

Every view declares its scope with `needs`; a view without one is not served. A token permits what its scopes name, as
far as its owner may do it at present.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from flask import current_app, g, request
from limits import parse

from portal import audit
from portal.accounts.api_tokens import RANK, note_use, token_with, why_not_use
from portal.api.problems import DEFAULT_DETAILS, Problem
from portal.db import db
from portal.web.access import SAFE_METHODS, WHO, Refused, is_of_api
from portal.web.limits import limiter, network_of_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask, Response
    from limits import RateLimitItem

    from portal.accounts.api_tokens import Scope
    from portal.models import ApiToken


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one kind of request."""

    name: str
    with_token: RateLimitItem
    without: RateLimitItem


READING = Budget("api-read", parse("600 per minute"), parse("120 per minute"))
RANKING = Budget("api-rank", parse("120 per minute"), parse("20 per minute"))
CHANGING = Budget("api-write", parse("120 per minute"), parse("20 per minute"))


def spend(budget: Budget, key: str, *, with_token: bool) -> dict[str, str]:
    """Count one request for `key`; the response's headers say what is left, and in how many seconds all is there again.

    Raises:
        Problem: 429, none was left; with the seconds to wait.
    """
    window = budget.with_token if with_token else budget.without
    taken = limiter.limiter.hit(window, budget.name, key)
    stats = limiter.limiter.get_window_stats(window, budget.name, key)
    reset = max(1, math.ceil(stats.reset_time - time.time()))
    left = {"Limit": window.amount, "Remaining": stats.remaining if taken else 0, "Reset": reset}
    headers = {f"RateLimit-{name}": str(value) for name, value in left.items()}
    if not taken:
        detail = f"There were more than {window.amount} requests within a minute. Go on in {reset} seconds."
        raise Problem(429, detail, headers={**headers, "Retry-After": str(reset)})
    return headers


P = ParamSpec("P")
T = TypeVar("T")

NEEDS = "portal_needs"
LONGEST_BODY = 512 * 1024  # bytes
LONGEST_TOKEN = 200  # characters; valid tokens have 47


@dataclass(frozen=True, slots=True)
class Needs:
    """What a view needs: its scope, or None if it only describes the interface; and whether it is also public."""

    scope: Scope | None
    public: bool


def needs(scope: Scope | None, *errors: int, public: bool = False) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare the scope that a view needs, and the statuses of errors beyond the usual ones."""

    def declare(view: Callable[P, T]) -> Callable[P, T]:
        @wraps(view)
        def declared(*args: P.args, **kwargs: P.kwargs) -> T:
            return view(*args, **kwargs)

        needed = Needs(scope, public or scope is None)
        setattr(declared, NEEDS, needed)
        # Where the library that builds the document looks.
        existing = dict(getattr(declared, "_apidoc", {}))
        setattr(declared, "_apidoc", {**existing, "needs": needed, "errors": errors})  # noqa: B010  (no attribute of a function)
        return declared

    return declare


def needs_of(endpoint: str | None) -> Needs | None:
    """The declaration of an endpoint's view."""
    view = current_app.view_functions.get(endpoint or "")
    declared = getattr(view, NEEDS, None)
    return declared if isinstance(declared, Needs) else None


def _authenticate() -> None:
    """Before every request under /api/: authenticate the token, count the request, and check the scope."""
    if not is_of_api():
        return
    g._login_user = current_app.login_manager.anonymous_user()  # type: ignore[attr-defined]  # noqa: SLF001  (where Flask-Login looks first, so that it reads no cookie)
    request.max_content_length = LONGEST_BODY
    if request.method == "OPTIONS":
        return
    declared = needs_of(request.endpoint)
    network = network_of_request()
    if "Authorization" not in request.headers:
        _count(declared, network, with_token=False)
        if declared is not None and not declared.public:
            raise Problem(401, headers={"WWW-Authenticate": "Bearer"})
        return
    now = datetime.now(UTC)
    token = _token(network, now)
    _count(declared, str(token.user_id), with_token=True)
    g._login_user = token.user  # noqa: SLF001  (as above: whom `actor()` gives)
    note_use(token, now)
    db.session().info[audit.THROUGH] = f"token “{token.name}” (no. {token.id})"
    if declared is not None and declared.scope is not None:
        _ensure_scope(token, declared.scope)


def _token(network: str, now: datetime) -> ApiToken:
    scheme, _, text = request.headers["Authorization"].partition(" ")
    text = text.strip()
    if scheme.lower() != "bearer" or not text:
        reason: str | None = DEFAULT_DETAILS[401]
        token = None
    else:
        token = token_with(db.session(), text) if len(text) <= LONGEST_TOKEN else None
        reason = why_not_use(token, now)
    if token is None or reason is not None:
        spend(READING, network, with_token=False)
        raise Problem(401, reason or "", headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
    return token


def _count(declared: Needs | None, key: str, *, with_token: bool) -> None:
    budget = READING
    if declared is not None and declared.scope is RANK:
        budget = RANKING
    elif declared is not None and declared.scope is not None and request.method not in SAFE_METHODS:
        budget = CHANGING
    g.api_left = spend(budget, key, with_token=with_token)


def _ensure_scope(token: ApiToken, scope: Scope) -> None:
    if scope.name not in token.scopes:
        raise Refused(f"This token was not made for this: it lacks the scope {scope.name}.")
    if scope.role is not None and not token.user.has_role(scope.role):
        raise Refused(WHO[scope.role])


def _finish(response: Response) -> Response:
    """Add the rate limit headers, and forbid shared caching."""
    if not is_of_api():
        return response
    for name, value in g.get("api_left", {}).items():
        response.headers.setdefault(name, value)
    response.vary.add("Authorization")
    if "Authorization" in request.headers:
        response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def init_callers(app: Flask) -> None:
    """Authenticate every request under /api/."""
    app.before_request_funcs.setdefault(None, []).insert(0, _authenticate)
    app.after_request(_finish)
