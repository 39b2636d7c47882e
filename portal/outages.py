"""Outages of the database and the file store: which errors mean one, and writing that retries until it is over."""

from __future__ import annotations

import errno
import logging
import re
import time
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, OperationalError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

logger = logging.getLogger(__name__)

LOST_BEFORE = "8s2b"
"""SQLAlchemy's code for using a transaction whose connection was lost by an earlier statement."""
PATIENCE = 120.0  # seconds; a database restarts within this time
BETWEEN_TRIES = 1.0


NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


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
    """Whether a file could not be written: the disk or the quota is full, or the file system may only be read."""
    return isinstance(error, OSError) and error.errno in NO_ROOM


def is_disconnected(error: BaseException) -> bool:
    """Whether the connection to the database was lost or none could be made, wherever in the code that was."""
    if isinstance(error, PendingRollbackError):
        return error.code == LOST_BEFORE
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    # A statement that fails is named by the error; connecting and committing are none.
    return isinstance(error, OperationalError) and error.statement is None


def write_patiently(session: Session, write: Callable[[], object], is_stopping: Callable[[], bool]) -> None:
    """Call `write` and commit; repeat both while the database does not answer.

    `write` must be idempotent: a connection that is lost during a commit does not tell whether it succeeded.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database did not answer for two minutes, or until the process had to end;
            or something else went wrong.
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
