"""The queue on Redis carries names and ids as JSON, and a dead one breaks nothing."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal import create_app
from portal.db import db
from portal.jobs import queue as queue_module
from portal.jobs.queue import Reachability
from portal.jobs.registry import CLOCKWORK
from portal.mail.outbox import write_to
from portal.models import ClockMark, Job, OutboxMail
from portal.web.work import job_queue
from tests.servers import free_port, redis

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Settings


@pytest.mark.redis
def test_redis_carries_names_and_ids(settings: Settings, tmp_path: Path) -> None:
    with redis(tmp_path) as url:
        queue = job_queue(create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url}))
        queue.enqueue_job(7)
        queue.kick("deliver mail")
        for lane, argument in ((queue.lanes.jobs, 7), (queue.lanes.waiting, "deliver mail")):
            (message,) = lane.huey.storage.enqueued_items()
            assert json.loads(message)["args"] == [argument]
            assert lane.huey.dequeue().args == (argument,)
        queue.close()


@pytest.mark.redis
def test_a_queue_that_does_not_answer_breaks_no_commit_and_is_told_of_once(
    settings: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis")
    monkeypatch.setattr(queue_module, "NAP", 0.0)
    url = f"redis://127.0.0.1:{free_port()}/0"
    app = create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url})
    with app.app_context():
        now = datetime.now(UTC)
        write_to(db.session(), "ada@example.org", "Ada", "application_withdrawn", {"cycle": "Fall"}, now=now)
        db.session.commit()
        assert [mail.state for mail in db.session.scalars(select(OutboxMail))] == ["waiting"]
        queue = job_queue(app)
        for _ in range(20):
            queue.enqueue_job(1)
            for lane in queue.lanes:  # as the threads of portal work do
                assert lane.huey.dequeue() is None
                assert lane.huey.read_schedule() == []
        queue.close()
        db.engine.dispose()
    told = [record for record in caplog.records if record.name.startswith(("portal.jobs", "huey"))]
    assert [(record.levelname, record.message.split(" (")[0]) for record in told] == [
        ("ERROR", "Redis does not answer")
    ]


@pytest.mark.redis
def test_while_redis_is_away_the_process_that_works_does_what_is_due(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis")
    monkeypatch.setattr(queue_module, "NAP", 0.0)
    url = f"redis://127.0.0.1:{free_port()}/0"
    mail = f"file://{tmp_path / 'box'}"
    app = create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url, "PORTAL_MAIL_URL": mail})
    with app.app_context():
        now = datetime.now(UTC)
        write_to(db.session(), "ada@example.org", "Ada", "application_withdrawn", {"cycle": "Fall"}, now=now)
        job = Job(kind="of another version", title="Old", arguments={}, created_at=now)
        db.session.add(job)
        db.session.commit()
        queue = job_queue(app)
        queue.enqueue_due()
        queue.enqueue_due()  # what is claimed or kept is not begun twice
        waiting, long = (sum(getattr(work, lane) for work in CLOCKWORK.values()) for lane in ("waits", "long"))
        assert [lane.kept for lane in queue.lanes] == [1, len(CLOCKWORK) - waiting - long, waiting, long]
        for lane in queue.lanes:
            while task := lane.huey.dequeue():
                lane.huey.execute(task)
        db.session.expire_all()
        assert [mail.state for mail in db.session.scalars(select(OutboxMail))] == ["sent"]
        assert job.state == "failed"  # which no process knows how to do: it was begun
        assert {mark.name for mark in db.session.scalars(select(ClockMark)) if mark.done_at} == set(CLOCKWORK)
        queue.close()
        db.engine.dispose()


@pytest.mark.redis
def test_a_redis_that_hangs_is_no_empty_queue(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0?socket_timeout=0.05"
        app = create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url})
        with app.app_context():
            queue = job_queue(app)
            assert queue.lanes.jobs.huey.dequeue() is None
            queue.close()
            db.engine.dispose()
    assert [record.message.split(" (")[0] for record in caplog.records] == ["Redis does not answer"]


def test_a_queue_that_is_away_is_asked_ever_less_often_until_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    moment = [0.0]
    redis_server = Reachability("Redis", lambda: moment[0])
    asked: list[int] = []
    for second in range(120):
        moment[0] = float(second)
        while redis_server.may_ask() and (not asked or asked[-1] != second):
            asked.append(second)
            redis_server.failed(ConnectionError("refused"))
    assert asked == [0, 1, 3, 7, 15, 31, 61, 91]
    redis_server.answered()
    redis_server.answered()
    assert redis_server.may_ask()
    assert [record.message for record in caplog.records] == [
        "Redis does not answer (ConnectionError: refused). Nothing is lost: the clock finds jobs and mail",
        "Redis answers again",
    ]
