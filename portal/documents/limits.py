"""Every bound on reading: what one document may take, and how many are read at once, over all processes of the host."""

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

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much of everything one document may take."""

    bytes: int = 5 * MEBIBYTE  # of the file as uploaded
    pages: int = 20  # of a PDF or, as far as the file tells, of a DOCX
    characters: int = 60_000  # of cleaned text that are kept; what is beyond is cut with a warning
    raw_characters: int = 600_000  # before cleaning; a document with more is refused
    hidden_characters: int = 5_000  # of hidden text that are kept to be shown to a reviewer
    unpacked_bytes: int = 64 * MEBIBYTE  # all parts of a DOCX
    xml_bytes: int = 16 * MEBIBYTE  # the XML parts of a DOCX, which take many times that once parsed
    parts: int = 2_000  # of a DOCX
    ratio: int = 250  # how many times its packed size a large part of a DOCX may unpack to
    seconds: float = 9.5  # wall-clock time of the child, start included
    cpu_seconds: int = 7
    memory_bytes: int = 256 * MEBIBYTE  # address space of the child, of which it takes about 50 before it reads
    open_files: int = 32


STANDARD = Limits()


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
        for number in range(count):
            path = self.folder / f"{name}-{number}.lock"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as problem:
                os.close(descriptor)
                if not isinstance(problem, BlockingIOError):
                    raise
            else:
                return descriptor
        return None
