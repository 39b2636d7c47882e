"""The queue on Redis carries names and ids as JSON, and a dead one breaks nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from portal import create_app
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
        for lane, argument in ((queue.lanes.jobs, 7), (queue.lanes.clock, "deliver mail")):
            (message,) = lane.huey.storage.enqueued_items()
            assert json.loads(message)["args"] == [argument]
            assert lane.huey.dequeue().args == (argument,)
        queue.close()


@pytest.mark.redis
def test_a_queue_that_does_not_answer_breaks_no_commit(settings: Settings) -> None:
    pytest.importorskip("redis")
    url = f"redis://127.0.0.1:{free_port()}/0"
    queue = job_queue(create_app({**settings, "PORTAL_MODE": "development", "PORTAL_JOBS_URL": url}))
    queue.kick("deliver mail")
    queue.enqueue_job(1)
    queue.close()
