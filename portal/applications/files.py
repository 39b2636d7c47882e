"""Files and the transaction that refers to them: neither is left without the other.

A file is written before the row that names it, so that no row points to nothing. If the transaction fails, the new file
is deleted, unless the connection was lost during the commit: then a row may name it, and `portal sweep-files` deletes
it if none does. A file that no row names any more is deleted only after the commit.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy import event

from portal.storage import CANNOT_KEEP, FileStore, StoreUnavailable
from portal.web.extensions import extension

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy.orm import Session

logger = logging.getLogger(__name__)

PASTE_INSTEAD = f"{CANNOT_KEEP} Paste the text instead, or try again later. If it fails again, tell the administrators."


def file_store(app: Flask) -> FileStore:
    """Where an application keeps uploaded files."""
    return extension(app, "portal_files", FileStore)


def holds(files: FileStore, key: str, data: bytes) -> bool:
    """Whether the file under `key` is there and holds `data`; without a key, whether there is no data."""
    if not key:
        return not data
    try:
        return files.get(key) == data
    except FileNotFoundError:
        return False


def remove_if_rolled_back(session: Session, files: FileStore, key: str) -> None:
    """Delete the file if the transaction of `session` fails; keep it if it commits, or may have committed."""
    _remove_at_end(session, files, key, on_commit=False)


def remove_once_committed(session: Session, files: FileStore, key: str) -> None:
    """Delete the file if the transaction of `session` commits; keep it if it fails."""
    _remove_at_end(session, files, key, on_commit=True)


def remove_or_log(files: FileStore, key: str) -> None:
    """Delete a file that nothing refers to. The data is correct already, so a failure is only logged."""
    try:
        files.delete(key)
    except StoreUnavailable:
        logger.exception("A file that nothing refers to could not be removed: %s", key)


def _remove_at_end(session: Session, files: FileStore, key: str, *, on_commit: bool) -> None:
    pending, is_committing = True, False
    connection = session.connection()

    def begins_to_commit(_session: Session) -> None:
        nonlocal is_committing
        is_committing = not session.in_nested_transaction()

    def ended(*, committed: bool) -> None:
        nonlocal pending
        # The end of a savepoint is not the end of the transaction.
        if not pending or session.in_nested_transaction():
            return
        pending = False
        if committed is on_commit:
            remove_or_log(files, key)

    def committed(_session: Session) -> None:
        ended(committed=True)

    def rolled_back(_session: Session) -> None:
        nonlocal pending
        if is_committing and connection.invalidated:
            pending = False
        ended(committed=False)

    # The listeners live as long as the session, which ends with the request.
    event.listen(session, "before_commit", begins_to_commit)
    event.listen(session, "after_commit", committed)
    event.listen(session, "after_rollback", rolled_back)
