"""The queue between the processes that serve and those that work: Huey on SQLite, or on Redis by setting.

Only names and ids go through it, as JSON. It may lose them: the table of jobs and the outbox hold what is to be done,
and the clock checks them every now and then. While the queue does not answer, each process that works does by itself
what its clock finds.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from huey import Huey, MemoryHuey, RedisHuey, SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import RedisStorage, SqliteStorage

from portal.jobs.clock import claim_due, mark_done
from portal.jobs.registry import CLOCKWORK
from portal.jobs.running import run_job, take_up_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from portal.jobs.running import OpenSession


logger = logging.getLogger(__name__)

FIRST_PAUSE = 1.0  # seconds until a queue that does not answer is asked again; doubled each time
LONGEST_PAUSE = 30.0


class Reachability:
    """Tracks for one process whether its queue answers. Its threads share it, so that only one of them tries at a time.

    Args:
        name: Name of the queue in the log.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = 0.0
        self._ask_at = 0.0

    def may_ask(self) -> bool:
        """Whether to ask it now. While it does not answer, one thread may after each pause, which doubles the next."""
        if not self._pause:
            return True
        with self._lock:
            now = self._clock()
            if now < self._ask_at:
                return False
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            self._ask_at = now + self._pause
            return True

    def failed(self, error: Exception) -> None:
        """Note that it did not answer. Logs the first failure."""
        with self._lock:
            is_new = not self._pause
            if is_new:
                self._pause = FIRST_PAUSE
                self._ask_at = self._clock() + FIRST_PAUSE
        if is_new:
            logger.error(
                "%s does not answer (%s: %s). Nothing is lost: the clock finds jobs and mail",
                self._name,
                type(error).__name__,
                error,
            )

    def answered(self) -> None:
        """Note that it answered. Logs the end of an outage."""
        if not self._pause:
            return
        with self._lock:
            was_away, self._pause = bool(self._pause), 0.0
        if was_away:
            logger.warning("%s answers again", self._name)


NAP = 0.5  # seconds that an idle worker sleeps before it checks again whether to stop


class _Watched(ABC):
    """A mixin for a store of Huey: if the queue does not answer, a worker gets what this process has kept for it, or
    no message instead of an error.

    Args:
        failures: The exceptions raised by a queue that does not answer.
    """

    def __init__(
        self,
        name: str,
        reachability: Reachability,
        failures: type[Exception],
        **options: Any,  # noqa: ANN401  (the library's)
    ) -> None:
        self._reachability = reachability
        self._failures = failures
        self.kept: deque[bytes] = deque()  # appended to by one thread, and emptied by others
        super().__init__(name, **options)  # type: ignore[call-arg]  # of the store beneath

    def dequeue(self) -> bytes | None:
        """The oldest message; None if there is none, or the queue does not answer, after a short wait."""
        with suppress(IndexError):
            return self.kept.popleft()
        if not self._reachability.may_ask():
            time.sleep(NAP)
            return None
        try:
            message = self._oldest()
        except self._failures as error:
            self._reachability.failed(error)
            return None
        self._reachability.answered()
        return message

    def peek_many(self, _keys: object) -> dict[str, bytes]:
        """Always empty: Huey looks here for messages that were revoked, and ours never are."""
        return {}

    def delete_data(self, _key: object) -> bool:
        """Nothing to delete: after each piece of work, Huey forgets here that it was revoked."""
        return False

    def read_schedule(self, _until: object) -> list[bytes]:
        """Always empty: scheduled work is in the database, and no message is for later."""
        return []

    @abstractmethod
    def _oldest(self) -> bytes | None:
        """The oldest message, which is taken out; None if there is none."""


class _RedisStore(_Watched, RedisStorage):  # type: ignore[misc]  # the library has no types
    def _oldest(self) -> bytes | None:
        # The library's own method would take a server that hangs for an empty queue.
        popped: tuple[bytes, bytes] | None = self.conn.brpop(self.queue_key, timeout=self.read_timeout)
        return popped[1] if popped else None


class _FileStore(_Watched, SqliteStorage):  # type: ignore[misc]  # as above
    def _oldest(self) -> bytes | None:
        message: bytes | None = SqliteStorage.dequeue(self)
        return message


class _OnRedis(RedisHuey):  # type: ignore[misc]  # as above
    storage_class = _RedisStore


class _OnFile(SqliteHuey):  # type: ignore[misc]  # as above
    storage_class = _FileStore


def on_redis(name: str, url: str, reachability: Reachability, **options: Any) -> Huey:  # noqa: ANN401  (the library's)
    """A queue on a Redis server; connects on first use."""
    from redis.exceptions import RedisError

    return _OnRedis(name, url=url, reachability=reachability, failures=RedisError, **options)


def on_file(name: str, file: Path, reachability: Reachability, **options: Any) -> Huey:  # noqa: ANN401  (the library's)
    """A queue in a SQLite file, which is created."""
    return _OnFile(name, filename=str(file), reachability=reachability, failures=sqlite3.Error, **options)


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
