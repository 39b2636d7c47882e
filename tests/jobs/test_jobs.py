"""Jobs show how far they are, can be cancelled, and survive the process that runs them."""

from __future__ import annotations

import itertools
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from portal.app import create_app
from portal.db import db
from portal.jobs import JobError, JobRefused, Outcome, TerminalProgress, ask_to_cancel, job, start
from portal.jobs.progress import LostError
from portal.jobs.registry import CLOCKWORK, JOBS, JobKind, UnknownWorkError
from portal.jobs.running import HEARTBEAT_TIMEOUT, run_job, take_up_lost
from portal.models import ClockMark, Job
from portal.web.work import job_queue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.jobs import Progress
    from portal.jobs.registry import JobFunction

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def in_context(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Declares a job for the length of a test; no step of it is too close to the last."""
    monkeypatch.setattr("portal.jobs.progress.BETWEEN_WRITES", 0.0)

    def add(function: JobFunction, *, tries: int = 3) -> None:
        monkeypatch.setitem(JOBS, "test", JobKind("test", function, tries))

    return add


def begun(**values: Any) -> Job:  # noqa: ANN401  (columns of the table)
    """A job that nothing has set going."""
    job_row = Job(kind="test", title="A test", created_at=NOW, **values)
    db.session.add(job_row)
    db.session.commit()
    return job_row


def run(app: Flask, row: Job, *, stopping: bool = False) -> None:
    run_job(job_queue(app)._open_session, row.id, lambda: stopping)
    db.session.expire_all()


@pytest.mark.usefixtures("in_context")
def test_a_job_is_done_once_its_transaction_is_committed(declare: Callable[..., None]) -> None:
    def count(_session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        for number in range(arguments["to"]):
            progress.step(number + 1, arguments["to"], f"number {number + 1}")
        return Outcome("Counted.", "/admin/", "See it")

    declare(count)
    session = db.session()
    row = start(session, "test", "Count", {"to": 3}, by=None, now=NOW)
    assert row.state == "waiting"
    session.commit()
    assert (row.state, row.done, row.total, row.tries) == ("done", 3, 3, 1)
    assert row.outcome == {"text": "Counted.", "path": "/admin/", "label": "See it", "tone": "good"}
    with pytest.raises(UnknownWorkError, match=r"Known are: .*test"):
        start(session, "tset", "Count", {}, by=None, now=NOW)
    start(session, "test", "Count", {"to": 1}, by=None, now=NOW)
    session.rollback()
    assert len(session.scalars(select(Job)).all()) == 1


@pytest.mark.usefixtures("in_context")
def test_a_job_that_ended_has_done_all_of_it(declare: Callable[..., None]) -> None:
    def tell_what_comes(_session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        for number in range(3):
            progress.step(number, 3)
        return Outcome("Done.")

    declare(tell_what_comes)
    row = start(db.session(), "test", "Tell", {}, by=None, now=NOW)
    db.session.commit()
    assert (row.state, row.done, row.total) == ("done", 3, 3)


@pytest.mark.usefixtures("in_context")
def test_a_job_that_cannot_be_done_says_why_and_a_broken_one_only_that_it_is(
    app: Flask, declare: Callable[..., None]
) -> None:
    def fail(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        session.add(ClockMark(name="half", begun_at=NOW))
        session.flush()
        progress.step(1, 2)
        session.add(ClockMark(name="the other half", begun_at=NOW))
        if arguments["broken"]:
            raise ZeroDivisionError("password=hunter2")
        raise JobError("The file has no works.")

    declare(fail)
    rows = [begun(arguments={"broken": broken}) for broken in (False, True)]
    run(app, rows[0])
    assert db.session.scalars(select(ClockMark.name)).all() == ["half"]
    db.session.execute(update(ClockMark).values(name="other"))
    db.session.commit()
    run(app, rows[1])
    assert [row.state for row in rows] == ["failed", "failed"]
    assert rows[0].error == "The file has no works."
    assert ("ZeroDivisionError" in rows[1].error, "hunter2" in rows[1].error) == (True, False)


@pytest.mark.parametrize("ends", ["by its outcome", "by an error"])
@pytest.mark.usefixtures("in_context")
def test_a_job_about_something_that_cannot_be_done_is_refused_and_neither_done_nor_failed(
    app: Flask, declare: Callable[..., None], ends: str
) -> None:
    def refuse(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001
        progress.step(1, 2)
        if ends == "by an error":
            raise JobRefused("This file is a picture.")
        return Outcome("This file is a picture.", "/labs/", "See what it says", refused=True)

    declare(refuse)
    row = begun()
    run(app, row)
    assert (row.state, row.error) == ("refused", "This file is a picture.")
    assert row.finished_at is not None


@pytest.mark.usefixtures("in_context")
def test_a_job_that_finds_the_database_full_or_gone_is_begun_again_until_it_was_too_often(
    app: Flask, declare: Callable[..., None]
) -> None:
    def find_no_room(session: Session, _arguments: Mapping[str, Any], _progress: Progress) -> Outcome:
        session.add(ClockMark(name="half", begun_at=NOW))
        session.flush()
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    declare(find_no_room, tries=2)
    row = begun()
    run(app, row)
    assert (row.state, row.tries, row.error, row.finished_at) == ("waiting", 1, "", None)
    job_queue(app).do_due()
    db.session.expire_all()
    assert (row.state, row.tries, "could not get at its data 2 times" in row.error) == ("failed", 2, True)
    assert db.session.get(ClockMark, "half") is None


@pytest.mark.usefixtures("in_context")
def test_a_job_stops_at_the_step_after_somebody_cancelled_it(app: Flask, declare: Callable[..., None]) -> None:
    seen: list[int] = []

    def long(session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        for number in range(10):
            seen.append(number)
            if number == 2:
                session.execute(update(Job).values(cancel_asked=True))
            progress.step(number + 1, 10)
        raise AssertionError

    declare(long)
    row, waiting = begun(), begun()
    run(app, row)
    assert (row.state, row.done, seen) == ("cancelled", 3, [0, 1, 2])
    ask_to_cancel(db.session(), waiting, now=NOW)
    db.session.commit()
    run(app, waiting)
    assert (waiting.state, len(seen)) == ("cancelled", 3)


@pytest.mark.usefixtures("in_context")
def test_a_job_waits_again_when_its_process_is_told_to_end(app: Flask, declare: Callable[..., None]) -> None:
    declare(lambda _session, _arguments, progress: progress.step(1, 2) or Outcome("Done."))
    row = begun()
    run(app, row, stopping=True)
    assert (row.state, row.done, row.tries) == ("waiting", 1, 0)
    run(app, row)
    assert (row.state, row.tries) == ("done", 1)


@pytest.mark.usefixtures("in_context")
def test_a_job_whose_process_was_killed_is_begun_again_until_it_was_too_often(declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."), tries=2)
    long_ago = NOW - HEARTBEAT_TIMEOUT - timedelta(seconds=1)
    again = begun(state="running", tries=1, beat_at=long_ago)
    too_often = begun(state="running", tries=2, beat_at=long_ago)
    alive = begun(state="running", tries=1, beat_at=NOW - HEARTBEAT_TIMEOUT + timedelta(seconds=1))
    assert take_up_lost(db.session(), NOW) == [again.id]
    assert [row.state for row in (again, too_often, alive)] == ["waiting", "failed", "running"]
    assert too_often.error.startswith("The process that did this was stopped 2 times")


@pytest.mark.usefixtures("in_context")
def test_a_cancelled_job_is_not_begun_again_where_its_process_was_killed_or_lost_the_database(
    declare: Callable[..., None],
) -> None:
    declare(lambda *_: Outcome("Done."), tries=2)
    long_ago = NOW - HEARTBEAT_TIMEOUT - timedelta(seconds=1)
    killed = begun(state="running", tries=1, beat_at=long_ago, cancel_asked=True)
    killed_too_often = begun(state="running", tries=2, beat_at=long_ago, cancel_asked=True)
    to_be_tried_again = begun(state="waiting", tries=1, cancel_asked=True)
    alive = begun(state="running", tries=1, beat_at=NOW, cancel_asked=True)
    assert take_up_lost(db.session(), NOW) == []
    ended = (killed, killed_too_often, to_be_tried_again)
    assert [(row.state, row.finished_at, row.error) for row in ended] == [("cancelled", NOW, "")] * 3
    assert alive.state == "running"


@pytest.mark.usefixtures("in_context")
def test_a_job_whose_process_was_killed_before_the_clock_was_set_back_is_begun_again(
    declare: Callable[..., None],
) -> None:
    declare(lambda *_: Outcome("Done."), tries=2)
    killed = begun(state="running", tries=1, beat_at=NOW + timedelta(days=400))
    alive = begun(state="running", tries=1, beat_at=NOW + timedelta(minutes=4))
    assert take_up_lost(db.session(), NOW) == [killed.id]
    assert [row.state for row in (killed, alive)] == ["waiting", "running"]


@pytest.mark.usefixtures("in_context")
def test_who_lost_a_job_writes_nothing_more(app: Flask, declare: Callable[..., None]) -> None:
    def overtaken(session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        session.execute(update(Job).values(tries=2))
        with pytest.raises(LostError):
            progress.step(1, 2)
        raise LostError

    declare(overtaken)
    row = begun()
    run(app, row)
    assert (row.state, row.done) == ("running", 0)


@pytest.mark.usefixtures("in_context")
def test_who_lost_a_job_after_its_last_step_commits_nothing_of_what_followed(
    app: Flask, declare: Callable[..., None]
) -> None:
    """As where a host slept for some minutes: what the other process does would be done twice."""

    def overtaken(session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        session.add(ClockMark(name="up to the last step", begun_at=NOW))
        session.flush()
        progress.step(1, 2)
        session.execute(update(Job).values(tries=2))
        session.commit()
        session.add(ClockMark(name="after it", begun_at=NOW))
        return Outcome("Done.")

    declare(overtaken)
    row = begun()
    run(app, row)
    assert (row.state, row.tries, row.outcome) == ("running", 2, {})
    assert db.session.scalars(select(ClockMark.name)).all() == ["up to the last step"]


@pytest.mark.usefixtures("in_context")
def test_signs_of_life_come_while_a_step_takes_long(
    app: Flask, declare: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.jobs.running.HEARTBEAT_INTERVAL", 0.01)
    beats: list[datetime | None] = []

    def slow(session: Session, _arguments: Mapping[str, Any], _progress: Progress) -> Outcome:
        while len(set(beats)) < 3:
            session.rollback()
            beats.append(session.scalar(select(Job.beat_at)))
            time.sleep(0.005)
        return Outcome("Done.")

    declare(slow)
    row = begun()
    run(app, row)
    assert row.state == "done"


def test_tick_runs_what_waits_and_the_queue_on_a_file_carries_ids(
    settings: dict[str, str], declare: Callable[..., None]
) -> None:
    declare(lambda *_: Outcome("Done."))
    app = create_app({**settings, "PORTAL_MODE": "development"})
    queue = job_queue(app)
    with app.app_context():
        number = begun().id
        queue.enqueue_due()
        jobs, clock = queue.lanes.jobs.huey, queue.lanes.clock.huey
        for _ in range(2):
            assert [task.args for task in jobs.pending()] == [(number,)]
            asked = {
                lane: [task.args[0] for task in getattr(queue.lanes, lane).huey.pending()]
                for lane in ("clock", "waiting", "long")
            }
            assert sorted(itertools.chain(*asked.values())) == sorted(CLOCKWORK)
            assert asked["waiting"] == ["deliver mail"]
            assert sorted(asked["long"]) == ["retention of cycles", "scores of Discover"]
            queue.enqueue_due()
    assert app.test_cli_runner().invoke(args=["tick"]).output == f"Done: job {number}\n"
    jobs.execute(jobs.dequeue())
    clock.execute(clock.dequeue())
    queue.close()
    with app.app_context():
        row = db.session.get_one(Job, number)
        assert (row.state, row.tries) == ("done", 1)
        db.engine.dispose()


def test_a_command_shows_a_bar_and_commits(capsys: pytest.CaptureFixture[str]) -> None:
    commits: list[int] = []
    session: Any = SimpleNamespace(commit=lambda: commits.append(1))
    with TerminalProgress(session, "Reading") as progress:
        progress.step(1, 2, "first")
        progress.step(2, 2)
    assert len(commits) == 2
    assert "Reading" in capsys.readouterr().out


def test_a_kind_of_job_is_declared_once(declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."))
    with pytest.raises(ValueError, match="already"):
        job("test")(lambda *_: Outcome("Done."))
