"""What the clock starts for applications with the index or the files; the rest is in `portal.applications.clock`."""

from __future__ import annotations

from datetime import time, timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.applications import clock
from portal.applications.content.match_records import choices_without_record
from portal.applications.files import file_store
from portal.applications.privacy import retention
from portal.jobs import clockwork
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.live_index.live import live_index

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("missing match records", every=timedelta(minutes=5))
def keep_missing_records(session: Session, now: datetime) -> None:
    """Compute match records that had to wait for the index; without one, they keep waiting."""
    if not choices_without_record(session):
        return
    try:
        clock.keep_missing_records(session, live_index(current_app).current(session), now)
    except IndexPreparing:
        session.rollback()


@clockwork("retention of cycles", at=time(4, 10), irrevocable=True, long=True)
def erase_what_is_due(session: Session, now: datetime) -> None:
    """Erase the applications of closed cycles whose retention period is over."""
    retention.erase_what_is_due(session, file_store(current_app), now)
