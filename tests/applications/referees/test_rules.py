"""Limits and days of letters of reference, each at its very edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from portal.accounts.rules import LONGEST_NAME
from portal.applications.referees.service import (
    LONGEST_RELATION,
    MOST_REFEREES,
    was_asked,
    why_not_address,
    why_not_called,
    why_not_change,
    why_not_one_more,
    why_not_relation,
    why_not_write,
)
from portal.models import Application, Cycle, Referee, User

DEADLINE = datetime(2026, 12, 15, 23, 59, tzinfo=UTC)
LAST_LETTER = datetime(2026, 12, 29, 23, 59, tzinfo=UTC)
ASKED = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def application(state: str = "submitted", closed_at: datetime | None = None) -> Application:
    cycle = Cycle(name="Fall 2027", zone="Etc/UTC", deadline_at=DEADLINE, closed_at=closed_at)
    return Application(cycle=cycle, state=state, applicant=User(email="me@example.edu"))


def referee(email: str = "r@example.edu", /, **values: object) -> Referee:
    asked: dict[str, object] = {
        "token_hash": "f" * 64,
        "invited_at": ASKED,
        "expires_at": LAST_LETTER,
        "application": application(),
    }
    return Referee(email=email, name="R", **(asked | values))


def test_referees_change_until_fourteen_days_after_the_deadline() -> None:
    assert why_not_change(application(), LAST_LETTER - INSTANT) is None
    too_late = "Letters were accepted until 29 Dec 2026, 23:59 (UTC)."
    assert why_not_change(application(), LAST_LETTER) == too_late


def test_referees_change_only_while_the_application_and_its_cycle_are_open() -> None:
    assert why_not_change(application("withdrawn"), DEADLINE) == "This application is not open any more."
    closed = why_not_change(application(closed_at=DEADLINE), DEADLINE)
    assert closed == "Fall 2027 is closed; nothing in it can be changed any more."


def name(*, called: str = "Ann", how: str = "") -> str | None:
    return why_not_called(called) or why_not_relation(how)


def test_a_name_and_a_relation_have_their_longest_length_each() -> None:
    assert name(called="n" * LONGEST_NAME, how="r" * LONGEST_RELATION) is None
    assert name(called="n" * (LONGEST_NAME + 1)) == "Use at most 200 characters; this has 201."
    assert name(how="r" * (LONGEST_RELATION + 1)) == "Use at most 300 characters; this has 301."


@pytest.mark.parametrize("nothing", ["", "\u200b\u2060", "\u3000 \ufeff"])
def test_a_name_shows_something_and_reads_as_it_is_written(nothing: str) -> None:
    assert name(called=nothing) == "Give the name of the referee."
    assert name(called="Ann \u202enhoJ") is not None
    assert name(how="taught\u202e me") is not None
    assert [name(called=called) for called in ("علی\u200cرضا", "שרה לוי", "王")] == [None] * 3


def test_who_declined_is_not_named_again_but_keeps_nobody_else_out() -> None:
    declined = referee("no@example.edu", declined_at=ASKED)
    said = why_not_address(application(), declined, "no@example.edu")
    assert said == "This person declined to write. Name somebody else."
    assert why_not_address(application(), None, "yes@example.edu") is None
    assert why_not_one_more([declined] * MOST_REFEREES) is None


def test_five_referees_stand_beside_each_other() -> None:
    standing = [referee(f"r{number}@example.edu") for number in range(MOST_REFEREES)]
    assert why_not_one_more(standing[:-1]) is None
    assert why_not_one_more(standing) == "You can name 5 referees. Remove one first."


@pytest.mark.parametrize("answer", [{"token_hash": None}, {"received_at": ASKED}, {"declined_at": ASKED}])
def test_an_answer_or_a_link_that_was_taken_back_ends_the_waiting_for_a_letter(answer: dict[str, object]) -> None:
    assert was_asked(referee())
    assert not was_asked(referee(**answer))


def test_an_address_that_was_asked_and_taken_off_is_asked_once_more() -> None:
    off: dict[str, object] = {"token_hash": None, "revoked_at": ASKED}
    assert why_not_address(application(), referee(**off), "r@example.edu") is None
    again = why_not_address(application(), referee(**off, reminded_at=ASKED), "r@example.edu")
    assert again == "We wrote to this person twice; more would be unkind."


@pytest.mark.parametrize(
    "change",
    [
        {"token_hash": None},
        {"revoked_at": ASKED},
        {"expires_at": None},
        {"expires_at": ASKED},
        {"application": application("withdrawn")},
        {"application": application(closed_at=ASKED)},
    ],
    ids=["no link", "revoked", "never sent", "expired", "withdrawn", "cycle closed"],
)
def test_a_link_takes_a_letter_until_something_ends_it(change: dict[str, object]) -> None:
    assert why_not_write(referee(), LAST_LETTER - INSTANT) is None
    assert why_not_write(referee(**change), ASKED) == "This link no longer works."


def test_a_link_ends_with_the_deadline_if_nothing_was_submitted() -> None:
    draft, edited = application("draft"), application("draft")
    draft.submissions, edited.submissions = 0, 1
    assert why_not_write(referee(application=draft), DEADLINE - INSTANT) is None
    assert why_not_write(referee(application=draft), DEADLINE) == "This link no longer works."
    assert why_not_write(referee(application=edited), DEADLINE) is None
