"""The queue on Redis carries names and ids as JSON, and a dead one breaks nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal import create_app
from portal.db import db
from portal.mail.outbox import write_to
from portal.models import OutboxMail
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
def test_a_queue_that_does_not_answer_breaks_no_commit_and_is_told_of(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("redis")
    url = f"redis://127.0.0.1:{free_port()}/0"
    app = create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url})
    with app.app_context():
        now = datetime.now(UTC)
        write_to(db.session(), "ada@example.org", "Ada", "application_withdrawn", {"cycle": "Fall"}, now=now)
        db.session.commit()
        assert [mail.state for mail in db.session.scalars(select(OutboxMail))] == ["waiting"]
        queue = job_queue(app)
        queue.enqueue_job(1)
        queue.close()
        db.engine.dispose()
    told = [record for record in caplog.records if record.name == "portal.jobs.queue"]
    assert [record.exc_info is not None for record in told] == [True, True]
