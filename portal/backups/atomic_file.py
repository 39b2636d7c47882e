"""A file that appears under its name once it is complete, or not at all."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

UNFINISHED = ".portal-backup-unfinished"
"""The temporary name, the same for every backup into a folder: a new backup replaces what a killed one left."""


class TargetError(Exception):
    """The file cannot be written there; the message says why."""


@contextmanager
def whole_or_nothing(path: Path, *, replace: bool) -> Iterator[BinaryIO]:
    """Open a file for writing, readable by its owner only. It gets its name at the end, once it is on disk.

    After any error, nothing of it is left.

    Raises:
        TargetError: It exists and `replace` is not set, or another process is writing into the same folder.
        OSError: It cannot be written.
    """
    _refuse_existing(path, replace=replace)
    unfinished = path.parent / UNFINISHED
    with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "w+b") as file:
        _claim(file, unfinished)
        try:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
            _refuse_existing(path, replace=replace)
            unfinished.rename(path)
        except BaseException:  # an interrupt must not leave half a file either
            unfinished.unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


def _refuse_existing(path: Path, *, replace: bool) -> None:
    if path.exists() and not replace:
        raise TargetError(f"{path} exists already. Name another file, or replace it with --force.")


def _claim(file: BinaryIO, unfinished: Path) -> None:
    """Lock the file for this process alone, and truncate it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have renamed it between the opening and the lock.
        is_mine = os.path.samestat(os.fstat(file.fileno()), unfinished.stat())
    except (BlockingIOError, FileNotFoundError):
        is_mine = False
    if not is_mine:
        raise TargetError(
            f"Another backup is being written into {unfinished.parent} just now. Wait until it has finished, or name "
            "another folder."
        )
    file.truncate(0)


def _sync_folder(folder: Path) -> None:
    """Sync the folder to disk, and with it the new name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
