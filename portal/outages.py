"""Outages of the database and the file store: which errors mean one, writing that retries until it is over, and what
whoever runs a command can do.
"""

from __future__ import annotations

import errno
import logging
import re
import sqlite3
import time
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

from portal.config import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

logger = logging.getLogger(__name__)

LOST_BEFORE = "8s2b"
"""SQLAlchemy's code for using a transaction whose connection was lost by an earlier statement."""
PATIENCE = 120.0  # seconds; a database restarts within this time
BETWEEN_TRIES = 1.0
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
# How SQLite says that it cannot write, and what psycopg calls it when the server cannot.
NO_ROOM_ON_SQLITE = ("database or disk is full", "disk I/O error")
NO_ROOM_ON_POSTGRES = "DiskFull"
_NOT_IN_SQLITE = re.compile(r"no such (?:table|column)|table \S+ has no column")
_NOT_IN_POSTGRES = {"42P01", "42703"}  # undefined_table, undefined_column


class OutOfReach(OSError):
    """A service that the portal needs besides its database does not answer; a retry may well succeed."""


def is_out_of_reach(error: BaseException | None) -> bool:
    """Whether the database was full, locked for too long, restarted, unreachable or overrun with connections, or lacked
    tables of this version, or the file store failed, so that a retry may well succeed.
    """
    if isinstance(error, OperationalError | NoConnectionLeft | OutOfReach) or lacks_tables(error):
        return True
    return error is not None and is_disconnected(error)


def lacks_tables(error: BaseException | None) -> bool:
    """Whether a statement named a table or a column that the database does not have: it was not upgraded to this
    version of the portal.
    """
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error, OperationalError):
        return _NOT_IN_SQLITE.match(str(error.orig)) is not None
    return getattr(error.orig, "sqlstate", None) in _NOT_IN_POSTGRES


def lacks_room(error: BaseException | None) -> bool:
    """Whether a file or the database could not be written: the disk or the quota is full, or it may only be read."""
    if isinstance(error, DBAPIError):
        return _is_of_full_disk(error)
    return isinstance(error, OSError) and error.errno in NO_ROOM


def _is_of_full_disk(error: DBAPIError) -> bool:
    return str(error.orig) in NO_ROOM_ON_SQLITE or type(error.orig).__name__ == NO_ROOM_ON_POSTGRES


def is_disconnected(error: BaseException) -> bool:
    """Whether the connection to the database was lost or none could be made, wherever in the code that was."""
    if isinstance(error, PendingRollbackError):
        return error.code == LOST_BEFORE
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    # A statement that fails is named by the error; connecting and committing are none.
    return isinstance(error, OperationalError) and error.statement is None


def write_patiently(session: Session, write: Callable[[], object], is_stopping: Callable[[], bool]) -> None:
    """Call `write` and commit; repeat both while the database does not answer, for two minutes at most.

    `write` must be idempotent: a connection that is lost during a commit does not tell whether it succeeded.
    """
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            write()
            session.commit()
        except Exception as error:
            session.rollback()
            if not is_out_of_reach(error) or is_stopping() or time.monotonic() >= give_up_at:
                raise
            logger.warning("The database does not answer; the write is repeated until it does")
            time.sleep(BETWEEN_TRIES)
        else:
            return


# How it says that the file or its folder is somebody else's, as after a command that root ran.
NO_ACCESS = ("unable to open database file", "attempt to write a readonly database")
OWNER = ", and whether the file and its folder are there and belong to the user who runs this"
# Why Python cannot write out what came in as other bytes than UTF-8: in arguments, names of files and standard input.
NO_TEXT = "surrogates not allowed"


def what_to_mend(error: Exception) -> str | None:
    """A sentence on what is wrong and what the person at the terminal can do; None if the fault is in the portal."""
    if isinstance(error, SettingsError):
        return str(error)
    if isinstance(error, sqlite3.Error):  # those of the database arrive as errors of SQLAlchemy
        return f"The file of the queue, jobs.sqlite in PORTAL_INSTANCE, cannot be used ({error})."
    if isinstance(error, UnicodeEncodeError) and error.reason == NO_TEXT:
        return "What was typed, or the name of a file, is not text in UTF-8. Type it anew, or name the file otherwise."
    if isinstance(error, OSError):
        prefix = f"{error.filename}: " if error.filename else ""
        return f"{prefix}{error.strerror or error}"
    return _about_database(error) if isinstance(error, DatabaseError) else None


def _about_database(error: DatabaseError) -> str | None:
    """The same for an error of the database; None if it concerns one statement only."""
    if lacks_tables(error):
        return "The database has no tables yet, or those of another version. Run portal db upgrade, then this again."
    message = " ".join(str(error.orig).split())
    if lacks_room(error):
        return f"The database cannot be written ({message}); its disk seems full. Make room, then run this again."
    # Only these two kinds concern the database as a whole; the others concern one statement.
    if isinstance(error, OperationalError) or type(error) is DatabaseError:
        owner = OWNER if message in NO_ACCESS else ""
        return f"The database cannot be used ({message}). Look at PORTAL_DATABASE_URL and PORTAL_INSTANCE{owner}."
    return None
