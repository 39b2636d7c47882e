"""The clock ends impersonations whose time is up and that nobody ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from portal.jobs.registry import clockwork
from portal.web.impersonation.service import end_overdue

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("overdue impersonations", every=timedelta(minutes=5))
def end_overdue_impersonations(session: Session, now: datetime) -> None:
    """End them, which also writes to the audit log what was opened."""
    end_overdue(session, now)
