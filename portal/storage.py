"""Files that people upload, behind one object store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import obstore
from obstore.store import LocalStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The store writes a file under such a name beside its own first; a process that is killed then leaves it there.
_UNFINISHED = re.compile(r".+#\d+")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that the store holds: its key, bytes, and when it was written."""

    key: str
    size: int
    written_at: datetime


class FileStore:
    """Keeps files by key. A key is made by the portal, never by the person who uploads."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._store = LocalStore(prefix=folder)

    def put(self, key: str, data: bytes) -> None:
        """Write a new file.

        Raises:
            obstore.exceptions.AlreadyExistsError: The key is taken; nothing was overwritten.
        """
        obstore.put(self._store, key, data, mode="create")

    def get(self, key: str) -> bytes:
        """Read a file.

        Raises:
            FileNotFoundError: No file has this key.
        """
        return bytes(obstore.get(self._store, key).bytes())

    def delete(self, key: str) -> None:
        """Remove a file; one that is not there is fine."""
        try:
            obstore.delete(self._store, key)
        except FileNotFoundError:
            return

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """All finished files whose key begins with the folder `prefix`, in no order."""
        for found in obstore.list(self._store, prefix):
            for one in found:
                yield StoredFile(one["path"], one["size"], one["last_modified"])

    def unfinished(self, prefix: str) -> Iterator[StoredFile]:
        """What is left of writing files under the folder `prefix`, or is just being written."""
        for path in (self._folder / prefix).rglob("*#*"):
            if _UNFINISHED.fullmatch(path.name) is None:
                continue
            try:
                stat = path.stat()
            except FileNotFoundError:  # finished meanwhile
                continue
            written_at = datetime.fromtimestamp(stat.st_mtime, UTC)
            yield StoredFile(path.relative_to(self._folder).as_posix(), stat.st_size, written_at)

    def delete_unfinished(self, key: str) -> None:
        """Remove what `unfinished` listed; it may be gone by now.

        Raises:
            ValueError: The key is not one of an unfinished file in the folder.
        """
        path = self._folder / key
        if _UNFINISHED.fullmatch(path.name) is None or not path.resolve().is_relative_to(self._folder.resolve()):
            raise ValueError(f"{key} is no unfinished file.")
        path.unlink(missing_ok=True)
