"""Work on many items, each committed by itself, so that one that fails does not hold up the others."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.orm import Session

T = TypeVar("T")
logger = logging.getLogger(__name__)


def commit_each(session: Session, description: str, items: Iterable[T], act: Callable[[T], bool | None]) -> int:
    """Call `act` for each of `items`; returns how many were done (`act` did not return False).

    Commits after each; a failure is rolled back and logged with `description`, and the clock retries it. Items are
    ids or plain values: rows would have to be read again after every commit.
    """
    count = 0
    for item in list(items):
        try:
            counts = act(item) is not False
            session.commit()
        except Exception:  # whatever one item does, the others get their turn; the log says why it failed
            session.rollback()
            logger.exception("%s failed for %s", description, item)
            continue
        count += counts
    return count
