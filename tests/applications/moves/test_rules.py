"""Who acts in which capacity, and when a cycle takes applications: each rule at its edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.applications.moves.rules import Case, why_not_act_as, why_not_apply
from portal.models import Application, Cycle, Role, User
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity

OPENS = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
DEADLINE = datetime(2026, 12, 15, 23, 59, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


class NoSession:
    """For rules that read nothing."""

    def get(self, *_what: object) -> None:
        raise AssertionError("this rule reads the database")


def why_not(actor: User | None, capacity: Capacity) -> str | None:
    session: Session = NoSession()  # type: ignore[assignment]  # it reads nothing
    return why_not_act_as(session, Case(Application(id=1, applicant_id=1), None, actor, capacity, OPENS))


def account(number: int, *roles: str, active: bool = True) -> User:
    return User(id=number, active=active, roles=[Role(name=role) for role in roles])


@pytest.mark.parametrize("capacity", ["applicant", "reviewer", "leader", "admin"])
def test_nobody_and_a_suspended_account_do_nothing(capacity: Capacity) -> None:
    assert why_not(None, capacity) == "Sign in to continue."
    assert why_not(account(1, ADMIN, active=False), capacity) == "Sign in to continue."


def test_administrators_decide_on_applications_of_others() -> None:
    assert why_not(account(2, ADMIN), "admin") is None
    assert why_not(account(2), "admin") == "Only an administrator can do this."
    own = "This is your own application; another administrator decides on it."
    assert why_not(account(1, ADMIN), "admin") == own


def test_a_cycle_takes_applications_from_its_opening_until_just_before_its_deadline() -> None:
    cycle = Cycle(name="Fall 2027", zone="Etc/UTC", opens_at=OPENS, deadline_at=DEADLINE)
    assert why_not_apply(cycle, OPENS - INSTANT) == "Fall 2027 opens on 1 Oct 2026, 09:00 (UTC)."
    assert why_not_apply(cycle, OPENS) is None
    assert why_not_apply(cycle, DEADLINE - INSTANT) is None
    assert why_not_apply(cycle, DEADLINE) == "The deadline of Fall 2027 passed on 15 Dec 2026, 23:59 (UTC)."
    cycle.closed_at = OPENS
    assert why_not_apply(cycle, OPENS) == "Fall 2027 is closed."
