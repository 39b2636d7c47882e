"""The file to which `portal rank-pool` appends answers. Complete lines are kept; an incomplete last line is removed."""

from __future__ import annotations

import fcntl
import os
from stat import S_ISREG
from typing import TYPE_CHECKING

import click

from portal.matching.json_lines import LineError
from portal.matching.pool_lines import beginning, read_answered

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from portal.matching.pool_lines import PoolQuery

LINES_PER_SYNC = 64  # lines between two fsync calls


class PoolFile:
    """The answers of one run, open in one process at a time. `done` maps answered keys to the digests of their
    queries.

    A context manager. Opening it removes an incomplete last line, which a killed process leaves.
    """

    def __init__(self, path: Path, run: str) -> None:
        """Open the file, creating it if needed.

        Raises:
            click.ClickException: It contains something other than answers of this run, or another process is writing to
                it; nothing was changed.
            OSError: It cannot be opened.
        """
        self.done: dict[str, str] = {}
        self._path = path
        self._run = run
        self._unsynced = 0
        self._file = path.open("a+b")
        try:
            self._lock()
            end = self._read()
            self._file.truncate(end)
        except BaseException:  # re-raised, but with the file closed
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sync()
        self._file.close()

    def is_done(self, query: PoolQuery) -> bool:
        """Whether the file contains the answer to this query.

        Raises:
            LineError: It contains an answer to a different query with the same key.
        """
        digest = self.done.get(query.key)
        if digest is not None and digest != query.digest:
            raise LineError("the query with this key has changed since it was ranked; its earlier answer stays")
        return digest is not None

    def append(self, line: bytes) -> None:
        """Append a line; it stays in the file even if this process is killed."""
        self._file.write(line)
        self._file.flush()
        self._unsynced += 1
        if self._unsynced >= LINES_PER_SYNC:
            self.sync()

    def count(self) -> int:
        """The number of answers in the file, counted there: an interruption could make a running count wrong."""
        self._file.flush()
        with self._path.open("rb") as file:
            return sum(line.endswith(b"\n") for line in file)

    def sync(self) -> None:
        """Write everything appended so far to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._unsynced = 0

    def _lock(self) -> None:
        if not S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise self._refusal("it is no file, but a device or a pipe")
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._refusal("another portal rank-pool is writing to it") from None

    def _read(self) -> int:
        """Load the answers; returns the position at which the last complete line ends."""
        self._file.seek(0)
        end = 0
        for line_number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                start = beginning(self._run)
                # After a power cut, some file systems leave zeros after the data.
                fragment = line.rstrip(b"\0") if end else line
                if not (fragment.startswith(start) or start.startswith(fragment)):
                    raise self._refusal(f"line {line_number} is not an answer of this command")
                break
            try:
                answered = read_answered(line)
            except LineError as error:
                raise self._refusal(f"line {line_number} is not an answer of this command ({error})") from None
            if answered.run != self._run:
                raise self._refusal("it has answers from other labs, other concepts or another -k")
            self.done[answered.key] = answered.query
            end += len(line)
        return end

    def _refusal(self, reason: str) -> click.ClickException:
        return click.ClickException(f"{self._path}: {reason}. Nothing was changed; name another file with --out.")
