"""When the database or the store of files does not answer: which errors mean that, and how to write patiently."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, OperationalError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

logger = logging.getLogger(__name__)

LOST_BEFORE = "8s2b"
"""SQLAlchemy's code for a transaction whose connection was lost earlier, where somebody went on without the answer."""
PATIENCE = 120.0  # seconds; a database is restarted within
BETWEEN_TRIES = 1.0


class OutOfReach(OSError):  # noqa: N818  (it is as a database that does not answer)
    """Something that the portal needs besides its database does not answer; the same may well work in a moment."""


def is_out_of_reach(error: BaseException | None) -> bool:
    """Whether the database was full, locked for too long, restarted, unreachable or overrun with connections, or the
    store of files failed: the same may well work in a moment.
    """
    if isinstance(error, PendingRollbackError):
        return error.code == LOST_BEFORE
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | NoConnectionLeft | OutOfReach)


def write_patiently(session: Session, write: Callable[[], object], is_stopping: Callable[[], bool]) -> None:
    """Do `write` and commit, again and again while the database does not answer.

    `write` must be fine to do twice: a connection that is lost during a commit does not say whether it succeeded.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database did not answer for two minutes, or until the process was to end;
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
            logger.warning("The database does not answer; what was done is written down once it does")
            time.sleep(BETWEEN_TRIES)
        else:
            return
