"""Stores of the queue's messages: Huey on Redis or a SQLite file, without an error in the log for each failed read.

Beside it, each process can keep messages for its own workers, for as long as the queue does not answer.
"""

from __future__ import annotations

import sqlite3
import time
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from huey import Huey, RedisHuey, SqliteHuey
from huey.storage import RedisStorage, SqliteStorage

if TYPE_CHECKING:
    from pathlib import Path

    from portal.jobs.reachability import Reachability

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
