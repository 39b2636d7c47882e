"""Work on many things of which each is committed by itself, so that one that fails keeps no other from being done."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.orm import Session

T = TypeVar("T")
logger = logging.getLogger(__name__)


def commit_each(session: Session, what: str, items: Iterable[T], act: Callable[[T], bool | None]) -> int:
    """Do `act` for each of `items`; how many were done (`act` did not say False).

    Commits after each; what fails is rolled back and logged as `what`, and the clock comes back to it. The items are
    ids or plain values: rows would have to be read anew after every commit.
    """
    done = 0
    for item in list(items):
        try:
            counts = act(item) is not False
            session.commit()
        except Exception:  # whatever one item does, the others have their turn; somebody must read why
            session.rollback()
            logger.exception("%s failed for %s", what, item)
            continue
        done += counts
    return done
