"""The clock ends looks through somebody's eyes whose time is up and that nobody ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.jobs.registry import clockwork
from portal.web.looks import end_overdue

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("looks whose time is up", every=timedelta(minutes=5))
def end_overdue_looks(session: Session, now: datetime) -> None:
    """Write to the audit log what was opened."""
    end_overdue(session, now)
