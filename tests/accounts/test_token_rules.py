"""Which tokens are made and let in: each rule at its edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from portal.accounts.api_tokens import LONGEST_LIFE, LONGEST_TOKEN_NAME, MOST_TOKENS, usable, why_not_make, why_not_use
from portal.models import ApiToken, Role, User
from portal.models.user import APPLICANT

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def account(*, active: bool = True) -> User:
    return User(id=1, active=active, roles=[Role(name=APPLICANT)])


def token(**values: object) -> ApiToken:
    whole: dict[str, object] = {"user": account(), "expires_at": NOW + INSTANT}
    return ApiToken(**(whole | values))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "This token is not known. It may be misspelt."),
        (token(), None),
        (token(revoked_at=NOW), "This token was revoked."),
        (token(expires_at=NOW), "This token has expired. Make a new one on the page of your tokens."),
        (token(user=account(active=False)), "The account of this token is suspended."),
    ],
)
def test_a_token_lets_in_until_the_instant_it_expires(given: ApiToken | None, reason: str | None) -> None:
    assert why_not_use(given, NOW) == reason


def test_tokens_that_are_revoked_or_expired_take_no_place() -> None:
    good = token()
    assert usable([good, token(revoked_at=NOW), token(expires_at=NOW)], NOW) == [good]


@pytest.mark.parametrize(
    ("name", "days", "in_use", "reason"),
    [
        ("n" * LONGEST_TOKEN_NAME, LONGEST_LIFE, MOST_TOKENS - 1, None),
        ("n", 1, 0, None),
        ("", 1, 0, "Give the token a name, so that you can tell it from others."),
        ("n", 0, 0, "A token lasts between 1 and 365 days."),
        ("n", LONGEST_LIFE + 1, 0, "A token lasts between 1 and 365 days."),
        ("n", 1, MOST_TOKENS, f"You have {MOST_TOKENS} tokens. Revoke one that you do not use any more."),
        ("\u200b", 1, 0, "This name contains nothing visible. Type it again, or leave the field empty."),
    ],
)
def test_a_token_has_a_name_a_life_and_a_place_among_others(
    name: str, days: int, in_use: int, reason: str | None
) -> None:
    assert why_not_make(account(), name, ["labs:read"], days, in_use) == reason


def test_a_token_is_for_something_that_its_owner_may_do() -> None:
    assert why_not_make(account(), "n", [], 1, 0) == "Choose what the token is for."
    refused = "Your account does not allow one of the scopes."
    assert why_not_make(account(), "n", ["labs:read", "reviews:write"], 1, 0) == refused
    longer = why_not_make(account(), "n" * (LONGEST_TOKEN_NAME + 1), ["labs:read"], 1, 0)
    assert longer == f"Use at most {LONGEST_TOKEN_NAME} characters for the name; this has {LONGEST_TOKEN_NAME + 1}."
