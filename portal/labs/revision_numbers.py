"""Allocates revision numbers, so that only one of several concurrent saves succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update
from sqlalchemy.orm.attributes import set_committed_value

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import ConceptEntry, Lab


def claim_revision(session: Session, row: ConceptEntry | Lab, base: int) -> bool:
    """Take the next revision number if `base` is still the newest; in one statement, so that only one save succeeds.

    Side effects: flushes the session; reads the row again if somebody else was first.
    """
    session.flush()
    kind = type(row)
    claimed = session.execute(
        update(kind)
        .where(kind.id == row.id, kind.revision_number == base)
        .values(revision_number=base + 1)
        .execution_options(synchronize_session=False)
    )
    won = bool(claimed.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
    if won:
        set_committed_value(row, "revision_number", base)
    else:
        session.refresh(row)
    return won
