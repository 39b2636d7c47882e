"""A file that appears under its name once it is complete, or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import lzma
import os
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from portal.backups.manifest import (
    LARGEST_MANIFEST,
    LARGEST_PIECE,
    MANIFEST,
    ArchiveError,
    from_cell,
    read_manifest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from portal.backups.manifest import FilePart, Manifest, TablePart
    from portal.labs.live_index.state import Stages


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


ROWS_AT_ONCE = 200
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
NO_ARCHIVE = "It is not a backup, or its end is missing. Use another copy of it, or another backup."
DAMAGED = "It is damaged: {part} is not what was written. Use another copy of it, or another backup."


class Archive:
    """An archive with its manifest. Open one with `open_archive`."""

    def __init__(self, opened: zipfile.ZipFile, manifest: Manifest) -> None:
        self._opened = opened
        self.manifest = manifest

    def check(self, stages: Stages) -> None:
        """Read every part; check its checksum, and that each value is of its column's kind. Writes nothing.

        Raises:
            ArchiveError: Something is not as it was written.
        """
        manifest = self.manifest
        stages.begin(f"Checking {manifest.rows:,} rows")
        done = 0
        for table in manifest.tables:
            for rows in self.rows(table):
                done += len(rows)
                stages.done(done, manifest.rows)
        stages.begin(f"Checking {len(manifest.files):,} files")
        for count, file in enumerate(manifest.files, start=1):
            self.file(file)
            stages.done(count, len(manifest.files))

    def rows(self, part: TablePart) -> Iterator[list[list[Any]]]:
        """The rows of a table, in batches.

        Raises:
            ArchiveError: They are not what was written; earlier batches have been returned by then.
        """
        digest, line_count, batch = hashlib.sha256(), 0, []
        with self._reading(part.entry), self._opened.open(part.entry) as lines:
            while line := lines.readline(LARGEST_PIECE):
                digest.update(line)
                line_count += 1
                batch.append(_row(line, part, line_count))
                if len(batch) == ROWS_AT_ONCE:
                    yield batch
                    batch = []
        if batch:
            yield batch
        if digest.hexdigest() != part.sha256 or line_count != part.rows:
            raise ArchiveError(DAMAGED.format(part=part.entry))

    def file(self, part: FilePart) -> bytes:
        """The content of a file.

        Raises:
            ArchiveError: It is not what was written.
        """
        with self._reading(part.entry), self._opened.open(part.entry) as entry:
            data = entry.read(part.size)
        if len(data) != part.size or hashlib.sha256(data).hexdigest() != part.sha256:
            raise ArchiveError(DAMAGED.format(part=part.entry))
        return data

    @staticmethod
    @contextmanager
    def _reading(entry: str) -> Iterator[None]:
        with _as_archive_error(DAMAGED.format(part=entry)):
            yield


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive and read its manifest.

    Raises:
        ArchiveError: This version cannot read it as an archive.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        with _as_archive_error(NO_ARCHIVE):
            opened = zipfile.ZipFile(file)
        with opened:
            _refuse_foreign(opened)
            with _as_archive_error(DAMAGED.format(part=MANIFEST)), opened.open(MANIFEST) as entry:
                data = entry.read(LARGEST_MANIFEST + 1)
            if len(data) > LARGEST_MANIFEST:
                raise ArchiveError("Its manifest is too long.")
            manifest = read_manifest(data)
            _refuse_other_parts(opened, manifest)
            yield Archive(opened, manifest)


def _refuse_foreign(opened: zipfile.ZipFile) -> None:
    entries = opened.infolist()
    if MANIFEST not in {entry.filename for entry in entries}:
        raise ArchiveError("It was not made by portal backup: it has no manifest.")
    if any(entry.compress_type not in COMPRESSIONS or entry.flag_bits & ENCRYPTED for entry in entries):
        raise ArchiveError("It was not made by portal backup: its parts are compressed or encrypted in another way.")


def _refuse_other_parts(opened: zipfile.ZipFile, manifest: Manifest) -> None:
    listed = {part.entry: part.size for part in manifest.parts}
    stored = {entry.filename: entry.file_size for entry in opened.infolist() if entry.filename != MANIFEST}
    if len(stored) + 1 != len(opened.infolist()) or listed != stored:
        raise ArchiveError(
            "It is damaged: its parts are not those that its manifest lists. Use another copy of it, or another backup."
        )


def _row(line: bytes, part: TablePart, line_number: int) -> list[Any]:
    try:
        cells = json.loads(line.decode())
        if not isinstance(cells, list):
            raise ValueError("not a list")  # noqa: TRY004, TRY301  (all that is wrong with a line ends in one sentence)
        return [from_cell(kind, cell) for (_name, kind), cell in zip(part.columns, cells, strict=True)]
    except (ValueError, RecursionError, OverflowError):
        raise ArchiveError(DAMAGED.format(part=f"line {line_number} of {part.entry}")) from None


@contextmanager
def _as_archive_error(sentence: str) -> Iterator[None]:
    """Turn any error that a damaged archive causes into an `ArchiveError` with this sentence."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        KeyError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise ArchiveError(sentence) from error
    except OSError as error:
        # The error of a part with a negative offset. Errors of the disk are passed on.
        if error.errno != errno.EINVAL:
            raise
        raise ArchiveError(sentence) from error
