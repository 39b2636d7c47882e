"""Uploaded files, behind one object store: a folder, or a bucket of an S3-compatible service."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, S3Store

from portal.outages import OutOfReach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.config import Bucket

CANNOT_KEEP = "We cannot keep files at the moment; the fault is on our side, not in your file."
LEAST_ROOM = 1_048_576  # bytes free on the disk; below that a resume may not fit
# The store first writes a file under such a name; a process that is killed leaves it behind.
_UNFINISHED = re.compile(r".+#\d+")
# Somebody is waiting: each request is limited in time, and none is retried after ten seconds.
_PATIENT, _QUICK = timedelta(seconds=30), timedelta(seconds=3)
_CONNECT_TIMEOUT = timedelta(seconds=3)
_RETRY_TIMEOUT = timedelta(seconds=10)
_RETRIES = 2
# The reason for a failure in the text of the service or client. Other parts of it may contain the signing key's id.
_REASON = re.compile(r"status code: (\d{3})|<Code>(\w{1,60})</Code>|HTTP error: ([^\n:]{1,100})")
_HOST = re.compile(r"Error performing [A-Z]+ (https?://[^/\s]+)")
_NO_BUCKET = "<Code>NoSuchBucket</Code>"
_EMPTY_FOLDER = "ready"  # a folder that no key begins with
PICTURES = "pictures/"  # begins the keys of what is made of other files, and can be made again


class StoreUnavailable(OutOfReach):
    """The store cannot be reached, is full, or refuses a request. The text repeats the reason."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A stored file: its key, its size in bytes, and when it was written."""

    key: str
    size: int
    written_at: datetime


class FileStore:
    """Stores files by key. Keys are made by the portal, never by the person who uploads.

    Every method raises StoreUnavailable if the store fails. A bucket is connected to on first use, after any fork.
    """

    def __init__(self, place: Path | Bucket) -> None:
        self.place = place
        self._folder: Path | None = None
        self._store: LocalStore | S3Store
        self._quick: LocalStore | S3Store
        if isinstance(place, Path):
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._folder = place
            self._store = self._quick = LocalStore(prefix=place)
        else:
            self._store = _client(place, _PATIENT, retries=_RETRIES)
            self._quick = _client(place, _QUICK, retries=0)

    def put(self, key: str, data: bytes) -> None:
        """Write a new file, atomically. Raises AlreadyExistsError, and overwrites nothing, if the key is taken."""
        with self._failures_named():
            obstore.put(self._store, key, data, mode="create")

    def get(self, key: str) -> bytes:
        """Read a file. Raises FileNotFoundError if none has this key."""
        with self._failures_named():
            return bytes(obstore.get(self._store, key).bytes())

    def delete(self, key: str) -> None:
        """Delete a file, if it exists, and after it the pictures that were made of it."""
        for each in (key, PICTURES + key):
            with suppress(FileNotFoundError), self._failures_named():
                obstore.delete(self._store, each)

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """All finished files whose key begins with the folder `prefix`, in no particular order."""
        with self._failures_named():
            for batch in obstore.list(self._store, prefix):
                for entry in batch:
                    yield StoredFile(entry["path"], entry["size"], entry["last_modified"])

    def originals(self) -> Iterator[StoredFile]:
        """All finished files but pictures of others."""
        return (file for file in self.list("") if not file.key.startswith(PICTURES))

    def unfinished(self, prefix: str) -> Iterator[StoredFile]:
        """Leftovers of interrupted writes, and writes in progress, under the folder `prefix`; a bucket has none."""
        if self._folder is None:
            return
        for path in (self._folder / prefix).rglob("*#*"):
            if _UNFINISHED.fullmatch(path.name) is None:
                continue
            try:
                stat = path.stat()
            except FileNotFoundError:  # finished in the meantime
                continue
            written_at = datetime.fromtimestamp(stat.st_mtime, UTC)
            yield StoredFile(path.relative_to(self._folder).as_posix(), stat.st_size, written_at)

    def delete_unfinished(self, key: str) -> None:
        """Delete a file listed by `unfinished`; it may be gone by now. Raises ValueError for any other key."""
        folder = self._folder
        path = folder / key if folder is not None else None
        if (
            folder is None
            or path is None
            or _UNFINISHED.fullmatch(path.name) is None
            or not path.resolve().is_relative_to(folder.resolve())
        ):
            raise ValueError(f"{key} is no unfinished file.")
        path.unlink(missing_ok=True)

    def check(self) -> None:
        """Check within seconds whether files can be stored; writes nothing."""
        if self._folder is not None:
            if not (self._folder.is_dir() and os.access(self._folder, os.W_OK | os.X_OK)):
                raise StoreUnavailable(f"The folder {self._folder} is not there or cannot be written.")
            if shutil.disk_usage(self._folder).free < LEAST_ROOM:
                raise StoreUnavailable(f"The disk of the folder {self._folder} is full.")
            return
        with self._failures_named():
            for _ in obstore.list(self._quick, _EMPTY_FOLDER):
                break

    @contextmanager
    def _failures_named(self) -> Iterator[None]:
        """Pass on that a file exists or does not; turn any other failure into StoreUnavailable."""
        try:
            yield
        except AlreadyExistsError:
            raise
        except FileNotFoundError as error:
            if _NO_BUCKET in str(error):
                raise self._unavailable(error) from None
            raise
        except BaseError as error:
            # Without the client's message: it contains the whole response, which would end up in the logs.
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        text = str(error)
        if self._folder is not None:
            return StoreUnavailable(f"The folder {self._folder} cannot be used: {text.partition(chr(10))[0][:300]}")
        # An error that wraps another one repeats it.
        reasons = dict.fromkeys(part for match_groups in _REASON.findall(text) for part in match_groups if part)
        host = _HOST.search(text)
        at = f" at {host[1]}" if host else ""
        return StoreUnavailable(f"{self.place}{at} cannot be used: {' '.join(reasons) or type(error).__name__}")


def _client(bucket: Bucket, patience: timedelta, *, retries: int) -> S3Store:
    """A client that takes endpoint, region and keys from AWS_* variables, and uses plain http only if told to."""
    return S3Store(
        bucket.name,
        prefix=bucket.prefix or None,
        # Files are deleted one at a time, which every service supports.
        config={"disable_bulk_delete": True},
        client_options={
            "allow_http": bucket.plain_http,
            "connect_timeout": _CONNECT_TIMEOUT,
            "timeout": patience,
        },
        retry_config={
            "max_retries": retries,
            "retry_timeout": _RETRY_TIMEOUT,
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(seconds=1),
                "base": 2,
            },
        },
    )
