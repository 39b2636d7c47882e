"""Files that people upload, behind one object store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import obstore
from obstore.store import LocalStore

if TYPE_CHECKING:
    from pathlib import Path


class FileStore:
    """Keeps files by key. A key is made by the portal, never by the person who uploads."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
