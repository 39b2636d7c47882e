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

    Attributes:
        folder: where the lock files are; made when it is missing. It must be on a local disk.
        count: how many documents may be read at once.
        wait_seconds: how long a caller waits for a place.
        waiting: how many callers wait at the same time, so that a flood of documents leaves threads of the server
            for everything else.

    Raises:
        ValueError: `count` is below one, or `wait_seconds` or `waiting` below zero.
    """

    folder: Path
    count: int = 2
    wait_seconds: float = 10.0
    waiting: int = 8

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError("There must be at least one slot.")
        if self.wait_seconds < 0:
            raise ValueError("Nobody can wait for less than no time.")
        if self.waiting < 0:
            raise ValueError("There cannot be fewer than no callers who wait.")

    @contextmanager
    def take(self) -> Iterator[int]:
        """Hold a place for the body of a `with`; yields the locked file descriptor.

        Raises:
            Busy: no place became free in `wait_seconds`, or `waiting` others wait for one.
            OSError: the folder cannot be made or written to.
        """
        descriptor = self._wait()
        try:
            yield descriptor
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _wait(self) -> int:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self._any("slot", self.count)
        if place is not None:
            return place
        waiting_lock = self._any("wait", self.waiting)
        if waiting_lock is None:
            raise Busy
        try:
            return self._place_in_time()
        finally:
            os.close(waiting_lock)

    def _place_in_time(self) -> int:
        deadline = time.monotonic() + self.wait_seconds
        while True:
            place = self._any("slot", self.count)
            if place is not None:
                return place
            if time.monotonic() >= deadline:
                raise Busy
            time.sleep(PAUSE_SECONDS)

    def _any(self, name: str, count: int) -> int | None:
        """Lock one of the files of this name; None when others hold them all."""
        attempts = (self._try(f"{name}-{number}.lock") for number in range(count))
        return next((descriptor for descriptor in attempts if descriptor is not None), None)

    def _try(self, name: str) -> int | None:
        """Lock a file; None when somebody else holds it."""
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
