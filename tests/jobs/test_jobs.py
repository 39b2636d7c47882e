"""Jobs show how far they are, say how they ended, and can be cancelled."""

from __future__ import annotations

import itertools
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from portal.app import create_app
from portal.db import db
from portal.jobs import JobError, JobRefused, Outcome, ask_to_cancel, job, start
from portal.jobs.queue import JobQueue
from portal.jobs.registry import CLOCKWORK, UnknownWorkError, start_once
from portal.jobs.running import run_job
from portal.models import ClockMark, Job, User
from portal.web.work import job_queue
from tests.jobs.single_jobs import NOW, begun, run
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.jobs import Progress
    from tests.people import Person


@pytest.mark.usefixtures("session")
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
    assert row.outcome == {"text": "Counted.", "path": "/admin/", "label": "See it"}
    with pytest.raises(UnknownWorkError, match=r"Known are: .*test"):
        start(session, "tset", "Count", {}, by=None, now=NOW)
    start(session, "test", "Count", {"to": 1}, by=None, now=NOW)
    session.rollback()
    assert len(session.scalars(select(Job)).all()) == 1


@pytest.mark.usefixtures("session")
def test_a_job_begins_at_once_also_where_something_after_it_was_taken_back(declare: Callable[..., None]) -> None:
    """Otherwise it waits for the clock, and mails that were written with it do."""
    declare(lambda *_: Outcome("Done."))
    session = db.session()
    row = start(session, "test", "Count", {}, by=None, now=NOW)
    savepoint = session.begin_nested()
    taken_back = start(session, "test", "Count again", {}, by=None, now=NOW)
    number = taken_back.id
    savepoint.rollback()
    session.commit()
    assert (row.state, session.get(Job, number)) == ("done", None)


@pytest.mark.usefixtures("session")
def test_a_job_that_ended_has_done_all_of_it(declare: Callable[..., None]) -> None:
    def tell_what_comes(_session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        for number in range(3):
            progress.step(number, 3)
        return Outcome("Done.")

    declare(tell_what_comes)
    row = start(db.session(), "test", "Tell", {}, by=None, now=NOW)
    db.session.commit()
    assert (row.state, row.done, row.total) == ("done", 3, 3)


@pytest.mark.usefixtures("session")
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


@pytest.mark.usefixtures("session")
def test_a_job_about_something_that_cannot_be_done_is_refused_and_neither_done_nor_failed(
    app: Flask, declare: Callable[..., None]
) -> None:
    def refuse(_session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        progress.step(1, 2)
        raise JobRefused("This file is a picture.")

    declare(refuse)
    row = begun()
    run(app, row)
    assert (row.state, row.error) == ("refused", "This file is a picture.")
    assert row.finished_at is not None


@pytest.mark.usefixtures("session")
def test_a_job_that_finds_the_database_full_or_gone_is_begun_again_until_it_was_too_often(
    app: Flask, declare: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_no_room(session: Session, _arguments: Mapping[str, Any], _progress: Progress) -> Outcome:
        session.add(ClockMark(name="half", begun_at=NOW))
        session.flush()
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    declare(find_no_room, tries=2)
    row = begun()
    run(app, row)
    assert (row.state, row.tries, row.error, row.finished_at) == ("waiting", 1, "", None)
    monkeypatch.setattr("portal.jobs.queue.claim_due", lambda *_: [])
    job_queue(app).do_due()
    db.session.expire_all()
    assert (row.state, row.tries, "could not get at its data 2 times" in row.error) == ("failed", 2, True)
    assert db.session.get(ClockMark, "half") is None


@pytest.mark.usefixtures("session")
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


@pytest.mark.usefixtures("session")
def test_a_process_that_is_told_to_end_stops_at_the_next_step_however_soon_it_comes(
    app: Flask, declare: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_on(_session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        progress.step(1, 3)
        stopping.append(True)
        progress.step(2, 3)
        raise AssertionError

    declare(go_on)
    monkeypatch.setattr("portal.jobs.progress.BETWEEN_WRITES", 600.0)
    stopping: list[bool] = []
    row = begun()
    run_job(job_queue(app)._open_session, row.id, lambda: bool(stopping))
    db.session.expire_all()
    assert (row.state, row.done, row.tries) == ("waiting", 2, 0)


@pytest.mark.usefixtures("session")
def test_texts_of_a_job_fit_their_columns(app: Flask, declare: Callable[..., None]) -> None:
    """PostgreSQL would refuse longer ones, and with them the job."""
    told: list[str] = []

    def tell(session: Session, _arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        progress.step(0, 1, "lab " * 200)
        told.append(session.scalars(select(Job.now_doing)).one())
        return Outcome("Done.")

    declare(tell)
    row = start(db.session(), "test", "title " * 200, {}, by=None, now=NOW)
    db.session.commit()
    run(app, row)
    assert (len(told[0]), len(row.title), row.state) == (300, 300, "done")


@pytest.mark.usefixtures("session")
def test_a_job_waits_again_when_its_process_is_told_to_end(app: Flask, declare: Callable[..., None]) -> None:
    declare(lambda _session, _arguments, progress: progress.step(1, 2) or Outcome("Done."))
    row = begun()
    run(app, row, stopping=True)
    assert (row.state, row.done, row.tries) == ("waiting", 1, 0)
    run(app, row)
    assert (row.state, row.tries) == ("done", 1)


@pytest.mark.usefixtures("session")
def test_of_two_people_who_start_the_same_at_once_both_see_one_job(
    app: Flask, declare: Callable[..., None], admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(lambda *_: Outcome("Done."))
    monkeypatch.setattr(JobQueue, "enqueue_job", lambda *_: None)

    def press() -> bool:
        by = db.session.scalars(select(User).where(User.email == admin.email)).one()
        return start_once(db.session(), "test", "Build", {"of": "labs"}, by=by, now=NOW)[1]

    with meanwhile(app, "INSERT INTO job", press):
        assert press()
        db.session.commit()
    assert [job.arguments for job in db.session.scalars(select(Job))] == [{"of": "labs"}]
    assert not press()


def test_what_waits_is_run_at_once_and_the_queue_on_a_file_carries_ids(
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
            assert sorted(asked["long"]) == ["retention of cycles", "scores of Discover", "word of new labs"]
            queue.enqueue_due()
    assert list(queue.do_due()) == [f"job {number}"]
    jobs.execute(jobs.dequeue())
    clock.execute(clock.dequeue())
    queue.close()
    with app.app_context():
        row = db.session.get_one(Job, number)
        assert (row.state, row.tries) == ("done", 1)
        db.engine.dispose()


def test_a_kind_of_job_is_declared_once(declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."))
    with pytest.raises(ValueError, match="already"):
        job("test")(lambda *_: Outcome("Done."))


@pytest.mark.usefixtures("session")
def test_a_job_takes_ids_and_no_files(declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."))
    for arguments, error in (({"text": "x" * 10_000}, ValueError), ({"file": b"x"}, TypeError)):
        with pytest.raises(error):
            start(db.session(), "test", "Read", arguments, by=None, now=NOW)
    assert db.session.scalars(select(Job)).all() == []
