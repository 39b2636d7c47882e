"""The queue between the processes that serve and those that work: Huey on SQLite, or on Redis by setting.

Only names and ids go through it, as JSON. It may lose what is in it: the table of jobs and the outbox hold what is to
be done, and the clock looks at them every now and then.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from huey import Huey, MemoryHuey, RedisHuey, SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer

from portal.jobs.clock import claim_due, mark_done
from portal.jobs.registry import CLOCKWORK
from portal.jobs.running import run_job, take_up_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from portal.jobs.running import OpenSession

logger = logging.getLogger(__name__)


class _Plain(Serializer):  # type: ignore[misc]  # the library has no types
    """Messages as JSON: who can write to the queue must not be able to have code run."""

    def _serialize(self, data: Message) -> bytes:
        return json.dumps({"name": data.name, "id": data.id, "args": list(data.args)}).encode()

    def _deserialize(self, data: bytes) -> Message:
        read = json.loads(bytes(data))
        return Message(
            id=read["id"], name=read["name"], eta=None, retries=0, retry_delay=0, args=tuple(read["args"]), kwargs={}
        )


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the queues of a process: its Huey, and what puts something into it."""

    huey: Huey
    put: Callable[[int | str], object]


@dataclass(frozen=True, slots=True)
class Lanes:
    """Jobs may take hours, waiting for a mail server minutes: what the clock starts must not wait behind either."""

    jobs: Lane
    clock: Lane
    waiting: Lane

    def __iter__(self) -> Iterator[Lane]:
        """All of them."""
        return iter((self.jobs, self.clock, self.waiting))

    def of_clockwork(self, name: str) -> Lane:
        """The queue of a work of the clock."""
        return self.waiting if name in CLOCKWORK and CLOCKWORK[name].waits else self.clock


class JobQueue:
    """The queue of one application.

    Args:
        url: redis://…, or empty for the file.
        file: Where the queue lies without Redis.
        immediate: Do everything at once, in the process that asks; for tests.
        open_session: Opens a session of its own for a piece of work.
        now: Says what time it is.
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
        self.is_stopping = False

    @property
    def lanes(self) -> Lanes:
        """The queues, with connections of this process's own: one must not be shared across a fork."""
        process = os.getpid()
        if process not in self._by_process:
            jobs, clock, waiting = self._make("jobs"), self._make("clock"), self._make("waiting")
            self._by_process = {
                process: Lanes(
                    Lane(jobs, jobs.task(name="job")(self._do_job)),
                    Lane(clock, clock.task(name="clockwork")(self._do_clockwork)),
                    Lane(waiting, waiting.task(name="clockwork")(self._do_clockwork)),
                )
            }
        return self._by_process[process]

    def enqueue_job(self, number: int) -> None:
        """Have the job `number` done soon. That the queue does not answer is only logged: the clock finds the job."""
        self._put(lambda lanes: lanes.jobs, number)

    def kick(self, name: str) -> None:
        """Have the clock work `name` done soon, though it may not be due. As with `enqueue_job`, nothing is raised."""
        self._put(lambda lanes: lanes.of_clockwork(name), name)

    def enqueue_due(self) -> None:
        """Have all clock work done that is due, and the jobs that wait where no other is queued."""
        with self._open_session() as session:
            for work in claim_due(session, self._now()):
                self.kick(work.name)
            waiting = take_up_lost(session, self._now())
        if waiting and self._is_idle():
            for number in waiting:
                self.enqueue_job(number)

    def do_due(self) -> list[str]:
        """Do all clock work that is due and all jobs that wait, here and now; the names of what was done."""
        with self._open_session() as session:
            names = [work.name for work in claim_due(session, self._now())]
        for name in names:
            self._do_clockwork(name)
        with self._open_session() as session:
            waiting = take_up_lost(session, self._now())
        for number in waiting:
            self._do_job(number)
        return [*names, *(f"job {number}" for number in waiting)]

    def close(self) -> None:
        """Close this process's connections."""
        lanes = self._by_process.pop(os.getpid(), None)
        if lanes is not None:
            for lane in lanes:
                if hasattr(lane.huey.storage, "close"):
                    lane.huey.storage.close()

    def _do_job(self, number: int) -> None:
        run_job(self._open_session, number, lambda: self.is_stopping)

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
        plain: dict[str, Any] = {"results": False, "serializer": _Plain()}
        if self._immediate:
            return MemoryHuey(name, immediate=True, **plain)
        if self._url:
            return RedisHuey(name, url=self._url, **plain)
        return SqliteHuey(name, filename=str(self._file), **plain)

    def _put(self, lane_of: Callable[[Lanes], Lane], argument: int | str) -> None:
        try:
            lane_of(self.lanes).put(argument)
        except Exception:
            # What was committed must not turn into an error because the queue, which only hurries, does not answer.
            logger.exception("The queue does not answer; the clock will find the work")

    def _is_idle(self) -> bool:
        """Whether no job is queued; False where the queue does not answer."""
        try:
            return int(self.lanes.jobs.huey.pending_count()) == 0
        except Exception:  # whatever the queue's server does: not to know is not to be idle
            logger.exception("The queue does not answer")
            return False
