"""Names, scopes and lifetimes of API tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.accounts.rules import why_not_name
from portal.models.user import ADMIN, APPLICANT, PROFESSOR

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from portal.models import ApiToken, User

LONGEST_TOKEN_NAME = 80  # characters, as the column
LONGEST_LIFE = 365  # days
MOST_TOKENS = 50  # of one person, those in use


@dataclass(frozen=True, slots=True)
class Scope:
    """A permission of a token; `role` is the role it requires, None for everybody."""

    name: str
    label: str
    role: str | None = None


LABS_READ = Scope("labs:read", "Read labs, their works and systems, and the cycles to come")
RANK = Scope("rank", "Rank labs for a text, and explain matches")
APPLICATION_READ = Scope("application:read", "Read your applications", APPLICANT)
APPLICATION_WRITE = Scope("application:write", "Edit and submit your applications, answer offers", APPLICANT)
REVIEWS_READ = Scope("reviews:read", "Read the applicants of the labs you read for", PROFESSOR)
REVIEWS_WRITE = Scope("reviews:write", "Decide about applicants of the labs you read for", PROFESSOR)
ADMIN_READ = Scope("admin:read", "Read cycles, proposals and revisions of labs", ADMIN)
ADMIN_WRITE = Scope("admin:write", "Decide about proposals", ADMIN)
SCOPES = (
    LABS_READ,
    RANK,
    APPLICATION_READ,
    APPLICATION_WRITE,
    REVIEWS_READ,
    REVIEWS_WRITE,
    ADMIN_READ,
    ADMIN_WRITE,
)


def scopes_for(user: User) -> tuple[Scope, ...]:
    """The scopes that a person's present roles permit."""
    return tuple(scope for scope in SCOPES if scope.role is None or user.has_role(scope.role))


def why_not_make(user: User, name: str, scopes: Collection[str], days: int, in_use: int) -> str | None:
    """The first reason against a new token."""
    reasons = (
        (not name, "Give the token a name, so that you can tell it from others."),
        (
            len(name) > LONGEST_TOKEN_NAME,
            f"Use at most {LONGEST_TOKEN_NAME} characters for the name; this has {len(name)}.",
        ),
        (not scopes, "Choose what the token is for."),
        (
            bool(set(scopes) - {scope.name for scope in scopes_for(user)}),
            "Your account does not allow one of the scopes.",
        ),
        (not 1 <= days <= LONGEST_LIFE, f"A token lasts between 1 and {LONGEST_LIFE} days."),
        (in_use >= MOST_TOKENS, f"You have {MOST_TOKENS} tokens. Revoke one that you do not use any more."),
    )
    return next((reason for against, reason in reasons if against), None) or why_not_name(name)


def why_not_use(token: ApiToken | None, now: datetime) -> str | None:
    """The first reason against a request with this token; None stands for an unknown one."""
    if token is None:
        return "This token is not known. It may be misspelt."
    if token.revoked_at is not None:
        return "This token was revoked."
    if token.expires_at <= now:
        return "This token has expired. Make a new one on the page of your tokens."
    if not token.user.active:
        return "The account of this token is suspended."
    return None


def usable(tokens: Sequence[ApiToken], now: datetime) -> list[ApiToken]:
    """The tokens that are neither revoked nor expired."""
    return [token for token in tokens if token.revoked_at is None and token.expires_at > now]
