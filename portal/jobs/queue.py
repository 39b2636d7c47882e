"""The queue between the processes that serve and those that work: Huey on SQLite, or on Redis by setting.

Only names and ids go through it, as JSON. It may lose them: the table of jobs and the outbox hold what is to be done,
and the clock checks them every now and then. While the queue does not answer, each process that works does by itself
what its clock finds.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from huey import Huey, MemoryHuey
from huey.registry import Message
from huey.serializer import Serializer

from portal.jobs.clock import claim_due, mark_done
from portal.jobs.reachability import Reachability
from portal.jobs.registry import CLOCKWORK
from portal.jobs.running import run_job, take_up_lost
from portal.jobs.stores import on_file, on_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from portal.jobs.running import OpenSession

logger = logging.getLogger(__name__)


class _Plain(Serializer):  # type: ignore[misc]  # the library has no types
    """Messages as JSON: whoever can write to the queue must not be able to execute code."""

    def _serialize(self, data: Message) -> bytes:
        return json.dumps({"name": data.name, "id": data.id, "args": list(data.args)}).encode()

    def _deserialize(self, data: bytes) -> Message:
        message = json.loads(bytes(data))
        return Message(
            id=message["id"],
            name=message["name"],
            eta=None,
            retries=0,
            retry_delay=0,
            args=tuple(message["args"]),
            kwargs={},
        )


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the queues of a process: its Huey, and Huey's name for the function that does the work."""

    huey: Huey
    task: Any  # the library has no types

    @property
    def kept(self) -> int:
        """How many messages this process keeps for its own workers."""
        return len(self.huey.storage.kept)

    def put(self, argument: int | str) -> None:
        """Enqueue a message. Raises whatever a queue that does not answer raises."""
        self.task(argument)

    def keep(self, argument: int | str) -> None:
        """Have a worker of this process find the message, whether the queue answers or not."""
        self.huey.storage.kept.append(self.huey.serialize_task(self.task.s(argument)))


@dataclass(frozen=True, slots=True)
class Lanes:
    """The queues of a process, kept apart because jobs may take hours, a mail server minutes to answer, and some clock
    work many minutes: other clock work must not wait behind them.
    """

    jobs: Lane
    clock: Lane
    waiting: Lane
    long: Lane

    def __iter__(self) -> Iterator[Lane]:
        """All of them."""
        return iter((self.jobs, self.clock, self.waiting, self.long))

    def of_clockwork(self, name: str) -> Lane:
        """The queue for a piece of clock work."""
        work = CLOCKWORK.get(name)
        if work is None:
            return self.clock
        return self.waiting if work.waits else self.long if work.long else self.clock


class JobQueue:
    """The queues of one application.

    Args:
        url: redis://…, or empty for the file.
        file: Where the queue is stored without Redis.
        immediate: Do everything at once, in the calling process; for tests.
        open_session: Opens a new session for a piece of work.
        now: Returns the current time.
    """

    def __init__(
        self, url: str, file: Path, *, immediate: bool, open_session: OpenSession, now: Callable[[], datetime]
    ) -> None:
        self._url = url
        self._file = file
        self._immediate = immediate
        self._open_session = open_session
        self._now = now
        self._by_process: dict[int, Lanes] = {}
        self._reachability = Reachability("Redis" if url else "The file of the queue")
        self.is_stopping = False

    @property
    def lanes(self) -> Lanes:
        """The queues, with this process's own connections: they must not be shared across a fork."""
        process = os.getpid()
        if process not in self._by_process:
            jobs, clocks = self._make("jobs"), [self._make(name) for name in ("clock", "waiting", "long")]
            self._by_process = {
                process: Lanes(
                    Lane(jobs, jobs.task(name="job")(self._do_job)),
                    *(Lane(clock, clock.task(name="clockwork")(self._do_clockwork)) for clock in clocks),
                )
            }
        return self._by_process[process]

    def enqueue_job(self, job_id: int) -> None:
        """Have the job with this id run soon. A queue that does not answer is only logged: the clock finds the job."""
        self._put(lambda lanes: lanes.jobs, job_id)

    def kick(self, name: str) -> None:
        """Have the clock work `name` run soon, even if it is not due. As with `enqueue_job`, nothing is raised."""
        self._put(lambda lanes: lanes.of_clockwork(name), name)

    def enqueue_due(self) -> None:
        """Have all due clock work done, and waiting jobs if no other is queued.

        For a process that works: while the queue does not answer, its own workers do what is due.
        """
        queued = self._queued()
        with self._open_session() as session:
            due = [work.name for work in claim_due(session, self._now())]
            waiting = take_up_lost(session, self._now())
        for name in due:
            self._put_or_keep(partial(Lanes.of_clockwork, name=name), name)
        if (self.lanes.jobs.kept if queued is None else queued) == 0:
            for job_id in waiting:
                self._put_or_keep(lambda lanes: lanes.jobs, job_id)

    def do_due(self) -> list[str]:
        """Do all due clock work and all waiting jobs, here and now; returns the names of what was done."""
        with self._open_session() as session:
            names = [work.name for work in claim_due(session, self._now())]
        for name in names:
            self._do_clockwork(name)
        with self._open_session() as session:
            waiting = take_up_lost(session, self._now())
        for job_id in waiting:
            self._do_job(job_id)
        return [*names, *(f"job {job_id}" for job_id in waiting)]

    def close(self) -> None:
        """Close this process's connections."""
        lanes = self._by_process.pop(os.getpid(), None)
        if lanes is not None:
            for lane in lanes:
                if hasattr(lane.huey.storage, "close"):
                    lane.huey.storage.close()

    def _do_job(self, job_id: int) -> None:
        run_job(self._open_session, job_id, lambda: self.is_stopping)

    def _do_clockwork(self, name: str) -> None:
        if name not in CLOCKWORK:
            logger.warning("There is no clock work %s in this version", name)
            return
        with self._open_session() as session:
            CLOCKWORK[name].run(session, self._now())
            mark_done(session, name, self._now())
            session.commit()

    def _make(self, lane: str) -> Huey:
        name = f"portal-{lane}"
        options: dict[str, Any] = {"results": False, "serializer": _Plain()}
        if self._immediate:
            return MemoryHuey(name, immediate=True, **options)
        if self._url:
            return on_redis(name, self._url, self._reachability, **options)
        return on_file(name, self._file, self._reachability, **options)

    def _put_or_keep(self, lane_of: Callable[[Lanes], Lane], argument: int | str) -> None:
        if not self._put(lane_of, argument):
            lane_of(self.lanes).keep(argument)

    def _put(self, lane_of: Callable[[Lanes], Lane], argument: int | str) -> bool:
        """Enqueue a message; returns whether the queue took it."""
        if not self._reachability.may_ask():  # so that requests do not wait for it one after another
            return False
        try:
            lane_of(self.lanes).put(argument)
        except Exception as error:  # noqa: BLE001  (it only makes things faster: what was committed is no error)
            self._reachability.failed(error)
            return False
        self._reachability.answered()
        return True

    def _queued(self) -> int | None:
        """How many jobs are queued; None where the queue does not answer."""
        if not self._reachability.may_ask():
            return None
        try:
            queued = int(self.lanes.jobs.huey.pending_count())
        except Exception as error:  # noqa: BLE001  (whatever the queue's server does)
            self._reachability.failed(error)
            return None
        self._reachability.answered()
        return queued
