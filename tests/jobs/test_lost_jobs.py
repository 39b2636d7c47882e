"""A job whose process was killed or slept is taken up by another one, which alone goes on."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from portal.db import db
from portal.jobs import Outcome
from portal.jobs.progress import LostError
from portal.jobs.running import HEARTBEAT_TIMEOUT, take_up_lost
from portal.models import ClockMark, Job
from tests.jobs.single_jobs import NOW, begun, run
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.jobs import Progress


@pytest.mark.usefixtures("session")
def test_a_job_whose_process_was_killed_is_begun_again_until_it_was_too_often(declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."), tries=2)
    long_ago = NOW - HEARTBEAT_TIMEOUT - timedelta(seconds=1)
    again = begun(state="running", tries=1, beat_at=long_ago)
    too_often = begun(state="running", tries=2, beat_at=long_ago)
    alive = begun(state="running", tries=1, beat_at=NOW - HEARTBEAT_TIMEOUT + timedelta(seconds=1))
    assert take_up_lost(db.session(), NOW) == [again.id]
    assert [row.state for row in (again, too_often, alive)] == ["waiting", "failed", "running"]
    assert too_often.error.startswith("The process that did this was stopped 2 times")


@pytest.mark.usefixtures("session")
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


@pytest.mark.usefixtures("session")
def test_a_job_that_was_cancelled_while_it_was_taken_up_is_not_begun(app: Flask, declare: Callable[..., None]) -> None:
    declare(lambda *_: Outcome("Done."))
    row = begun(cancel_asked=True)
    run(app, row)
    assert (row.state, row.tries) == ("waiting", 0)
    assert (take_up_lost(db.session(), NOW), row.state) == ([], "cancelled")


@pytest.mark.usefixtures("session")
def test_a_job_whose_process_was_killed_before_the_clock_was_set_back_is_begun_again(
    declare: Callable[..., None],
) -> None:
    declare(lambda *_: Outcome("Done."), tries=2)
    killed = begun(state="running", tries=1, beat_at=NOW + timedelta(days=400))
    alive = begun(state="running", tries=1, beat_at=NOW + timedelta(minutes=4))
    assert take_up_lost(db.session(), NOW) == [killed.id]
    assert [row.state for row in (killed, alive)] == ["waiting", "running"]


@pytest.mark.usefixtures("session")
def test_a_job_of_a_kind_that_this_version_does_not_have_fails_and_holds_up_no_other(
    app: Flask, declare: Callable[..., None]
) -> None:
    declare(lambda *_: Outcome("Done."))
    killed, waiting, other = begun(), begun(), begun()
    db.session.execute(update(Job).where(Job.id != other.id).values(kind="of the version before"))
    long_ago = NOW - HEARTBEAT_TIMEOUT - timedelta(seconds=1)
    db.session.execute(update(Job).where(Job.id == killed.id).values(state="running", tries=1, beat_at=long_ago))
    db.session.commit()
    assert take_up_lost(db.session(), NOW) == [waiting.id, other.id]
    run(app, waiting)
    assert [row.state for row in (killed, waiting)] == ["failed", "failed"]


@pytest.mark.usefixtures("session")
def test_a_job_that_shows_a_sign_of_life_at_the_last_moment_is_not_taken_up(
    app: Flask, declare: Callable[..., None]
) -> None:
    declare(lambda *_: Outcome("Done."))
    row = begun(state="running", tries=1, beat_at=NOW - HEARTBEAT_TIMEOUT - timedelta(seconds=1))
    number = row.id

    def beat() -> None:
        db.session.execute(update(Job).where(Job.id == number).values(beat_at=NOW))

    with meanwhile(app, "UPDATE job SET state=", beat):
        assert take_up_lost(db.session(), NOW) == []
    assert row.state == "running"


@pytest.mark.usefixtures("session")
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


@pytest.mark.usefixtures("session")
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


@pytest.mark.usefixtures("session")
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
