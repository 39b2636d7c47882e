"""Who may impersonate whom, and when an impersonation is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from portal.models import Impersonation, Role, User
from portal.models.user import ADMIN
from portal.web.impersonation import (
    ENDED,
    LONGEST,
    NOT_ALLOWED,
    SIGNED_OUT,
    TIME_UP,
    why_not_impersonate,
    why_over,
)

BEGAN = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
ENDS = BEGAN + LONGEST
NOT_YOURS = "Only administrators view the portal as somebody else."


def account(number: int, *roles: str, active: bool = True) -> User:
    return User(id=number, active=active, roles=[Role(name=role) for role in roles])


def impersonation(person: User, **values: object) -> Impersonation:
    return Impersonation(admin_id=1, person=person, ends_at=ENDS, **values)


@pytest.mark.parametrize(
    ("actor", "person", "reason"),
    [
        (account(1, ADMIN), account(2), None),
        (account(1), account(2), NOT_YOURS),
        (account(1, "professor"), account(2), NOT_YOURS),
        (account(1, ADMIN, active=False), account(2), NOT_YOURS),
        (account(1, ADMIN), account(1, ADMIN), "You view the portal as yourself already."),
        (account(1, ADMIN), account(2, "professor", ADMIN), "Nobody views the portal as another administrator."),
        (account(1, ADMIN), account(2, active=False), "This account is closed, so nobody views the portal with it."),
    ],
)
def test_only_active_administrators_impersonate_and_only_others_who_decide_nothing(
    actor: User, person: User, reason: str | None
) -> None:
    assert why_not_impersonate(person, actor=actor) == reason


def test_an_impersonation_goes_on_until_the_last_instant_of_its_half_hour() -> None:
    goes_on = impersonation(account(2))
    assert why_over(goes_on, account(1, ADMIN), ENDS - timedelta(microseconds=1)) is None
    assert why_over(goes_on, account(1, ADMIN), ENDS) == TIME_UP


def test_an_impersonation_is_over_once_ended_or_in_somebody_elses_hands() -> None:
    assert why_over(None, account(1, ADMIN), BEGAN) == ENDED
    assert why_over(impersonation(account(2), ended_at=BEGAN), account(1, ADMIN), BEGAN) == ENDED
    assert why_over(impersonation(account(2)), None, BEGAN) == SIGNED_OUT
    assert why_over(impersonation(account(2)), account(3, ADMIN), BEGAN) == SIGNED_OUT


def test_an_impersonation_is_over_when_either_side_changes() -> None:
    assert why_over(impersonation(account(2)), account(1), BEGAN) == NOT_ALLOWED
    assert why_over(impersonation(account(2, ADMIN)), account(1, ADMIN), BEGAN) == NOT_ALLOWED
    assert why_over(impersonation(account(2, active=False)), account(1, ADMIN), BEGAN) == NOT_ALLOWED
