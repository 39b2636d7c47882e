"""How many documents are read at once, over all processes of the host."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.documents.refusals import Busy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Slots:
    """A fixed number of places, each a locked file in one folder that all processes of the host share.

    The kernel frees a lock when the last descriptor of it is closed, so a holder that is killed frees its
    place by itself; a child that was handed the descriptor keeps the place until it has ended too.
    """

    folder: Path  # of the lock files, on a local disk; made when it is missing
    count: int = 2  # documents read at once
    wait_seconds: float = 10.0  # how long a caller waits for a place
    waiting: int = 8  # callers who wait at the same time: a flood of documents leaves the server threads for all else

    def __post_init__(self) -> None:
        if self.count < 1 or min(self.wait_seconds, self.waiting) < 0:
            raise ValueError("There must be at least one slot, and nobody can wait for less than no time.")

    @contextmanager
    def take(self) -> Iterator[int]:
        """Hold a place for the body of a `with`; yields the locked file descriptor.

        Raises:
            Busy: no place became free in `wait_seconds`, or `waiting` others wait for one.
            OSError: the folder cannot be made or written to.
        """
        descriptor = self._place()
        try:
            yield descriptor
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _place(self) -> int:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self._any("slot", self.count)
        if place is not None:
            return place
        waiting_lock = self._any("wait", self.waiting)
        if waiting_lock is None:
            raise Busy
        deadline = time.monotonic() + self.wait_seconds
        try:
            while (place := self._any("slot", self.count)) is None:
                if time.monotonic() >= deadline:
                    raise Busy
                time.sleep(PAUSE_SECONDS)
        finally:
            os.close(waiting_lock)
        return place

    def _any(self, name: str, count: int) -> int | None:
        attempts = (self._try(f"{name}-{number}.lock") for number in range(count))
        return next((descriptor for descriptor in attempts if descriptor is not None), None)

    def _try(self, name: str) -> int | None:
        path = self.folder / name
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor
