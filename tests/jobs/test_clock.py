"""Work that the clock starts is done when it is due, by one of several processes."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.jobs.clock import HOLD_PERIOD, LONGEST_PAUSE, claim_due, gap_that_holds, is_due, is_running, last_begun
from portal.jobs.registry import CLOCKWORK, Clockwork, clockwork
from portal.models import ClockMark
from portal.web.work import job_queue
from tests.at_once import at_once

if TYPE_CHECKING:
    from flask import Flask

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
OFTEN = Clockwork("often", lambda *_: None, timedelta(minutes=5), None)
DAILY = Clockwork("daily", lambda *_: None, None, time(7))


@pytest.mark.parametrize(
    ("work", "begun_at", "due"),
    [
        (OFTEN, None, True),
        (OFTEN, NOON - timedelta(minutes=5), True),
        (OFTEN, NOON - timedelta(minutes=4), False),
        (DAILY, datetime(2026, 11, 21, 6, 59, tzinfo=UTC), True),
        (DAILY, datetime(2026, 11, 21, 7, 0, tzinfo=UTC), False),
    ],
)
def test_work_is_due_every_so_often_or_once_a_day(work: Clockwork, begun_at: datetime | None, due: bool) -> None:  # noqa: FBT001
    assert is_due(work, begun_at, begun_at, NOON) is due


def test_daily_work_that_broke_off_is_begun_again_after_an_hour() -> None:
    seven = datetime(2026, 11, 21, 7, tzinfo=UTC)
    yesterday = seven - timedelta(days=1)
    minutes = [is_due(DAILY, seven, yesterday, seven + timedelta(minutes=each)) for each in (1, 59, 60)]
    assert minutes == [False, False, True]
    assert is_due(DAILY, seven, seven + timedelta(minutes=2), NOON) is False


def test_daily_work_waits_for_its_time_in_the_morning() -> None:
    early = datetime(2026, 11, 21, 6, tzinfo=UTC)
    assert is_due(DAILY, early - timedelta(hours=20), early - timedelta(hours=20), early) is False


@pytest.mark.parametrize("work", [OFTEN, DAILY])
def test_a_clock_that_was_set_back_keeps_no_work_waiting(work: Clockwork) -> None:
    ahead = NOON + timedelta(days=400)
    assert is_due(work, ahead, ahead, NOON) is True
    # The clock of another host is a little ahead.
    soon = NOON + timedelta(minutes=4)
    assert is_due(work, soon, soon, NOON) is False


def test_clock_work_says_when_it_is_done() -> None:
    for given in ({}, {"every": timedelta(1), "at": time(7)}):
        with pytest.raises(ValueError, match="every so often, or each day"):
            clockwork("never", **given)  # type: ignore[arg-type]


def test_of_many_processes_one_does_the_work(app: Flask) -> None:
    for moment in (NOON, NOON + timedelta(days=1)):
        claimed = at_once(lambda _, moment=moment: [*claim_due(db.session(), moment)], 6, app=app)  # type: ignore[misc]
        assert sorted(work.name for works in claimed for work in works) == sorted(CLOCKWORK)


IRREVOCABLE = {"clear away", "offers that expire", "retention of cycles"}
MINUTE = timedelta(minutes=1)


def begun(app: Flask, moment: datetime) -> set[str]:
    with app.app_context():
        return {work.name for work in claim_due(db.session(), moment)}


def holds(app: Flask, moment: datetime) -> bool:
    with app.app_context():
        return gap_that_holds(db.session(), moment) is not None


@pytest.mark.parametrize(
    ("ahead", "runs"), [(timedelta(0), True), (timedelta(minutes=4), True), (timedelta(days=400), False)]
)
def test_the_clock_runs_also_where_another_host_is_some_minutes_ahead(app: Flask, ahead: timedelta, runs: bool) -> None:  # noqa: FBT001
    begun(app, NOON + ahead)
    with app.app_context():
        assert is_running(last_begun(db.session(), NOON), NOON) is runs


def test_a_clock_that_jumps_ahead_begins_nothing_that_cannot_be_undone(app: Flask) -> None:
    assert begun(app, NOON) >= IRREVOCABLE, "a new portal has no gap behind it"
    jumped = NOON + timedelta(days=400)
    first = begun(app, jumped)
    assert (first & IRREVOCABLE, "deliver mail" in first) == (set(), True)
    assert begun(app, jumped + HOLD_PERIOD - MINUTE) & IRREVOCABLE == set()
    # It is set right: everything is due, and nothing is held.
    assert begun(app, NOON + timedelta(days=1)) >= IRREVOCABLE - {"retention of cycles", "clear away"}
    assert not holds(app, NOON + timedelta(days=1))


def test_after_a_rest_of_the_portal_everything_goes_on_by_itself_in_some_days(app: Flask) -> None:
    begun(app, NOON)
    assert begun(app, NOON + LONGEST_PAUSE) >= IRREVOCABLE
    again = NOON + 2 * LONGEST_PAUSE + MINUTE
    assert begun(app, again) & IRREVOCABLE == set()
    for hours in range(1, 72):
        begun(app, again + timedelta(hours=hours))
    assert begun(app, again + HOLD_PERIOD) >= IRREVOCABLE
    assert not holds(app, again + HOLD_PERIOD)


def test_a_host_whose_clock_is_wrong_is_held_as_long_as_others_are_right(app: Flask) -> None:
    begun(app, NOON)
    for hours in range(0, 24 * 5, 12):
        right = NOON + timedelta(hours=hours)
        assert begun(app, right + timedelta(days=400)) & IRREVOCABLE == set()
        begun(app, right)
        assert not holds(app, right)


def test_clock_work_of_another_version_is_left_to_it(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    with app.app_context():
        job_queue(app).kick("of the version after")
        assert db.session.get(ClockMark, "of the version after") is None
    assert "There is no clock work of the version after in this version" in caplog.text


def test_a_piece_of_clock_work_is_declared_once() -> None:
    with pytest.raises(ValueError, match="already"):
        clockwork("deliver mail", every=timedelta(minutes=5))(lambda *_: None)
