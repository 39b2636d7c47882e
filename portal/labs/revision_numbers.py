"""Allocates revision numbers, so that only one of several concurrent saves succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update
from sqlalchemy.orm.attributes import set_committed_value

from portal.models import Lab

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def claim_revision(session: Session, lab: Lab, base: int) -> bool:
    """Take the next revision number if `base` is still the newest; in one statement, so that only one save succeeds.

    Side effects: flushes the session; reads the row again if somebody else was first.
    """
    session.flush()
    claimed = session.execute(
        update(Lab)
        .where(Lab.id == lab.id, Lab.revision_number == base)
        .values(revision_number=base + 1)
        .execution_options(synchronize_session=False)
    )
    won = bool(claimed.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
    if won:
        set_committed_value(lab, "revision_number", base)
    else:
        session.refresh(lab)
    return won
