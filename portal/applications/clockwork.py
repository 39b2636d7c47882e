"""What the clock starts for applications; see `portal.jobs`. Each item is committed by itself."""

from __future__ import annotations

from datetime import time, timedelta
from typing import TYPE_CHECKING

from flask import current_app

from portal.applications import clock, retention
from portal.applications.files import file_store
from portal.applications.match_records import choices_without_record
from portal.jobs import clockwork
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.live_index.live import live_index

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("offers that expire", every=timedelta(minutes=5), irrevocable=True)
def expire_offers(session: Session, now: datetime) -> None:
    """Expire offers whose reply date has passed."""
    clock.expire_offers(session, now)


@clockwork("drafts at the deadline", every=timedelta(minutes=5))
def restore_drafts(session: Session, now: datetime) -> None:
    """Restore what was submitted before a draft was reopened."""
    clock.restore_drafts(session, now)


@clockwork("missing match records", every=timedelta(minutes=5))
def keep_missing_records(session: Session, now: datetime) -> None:
    """Compute match records that had to wait for the index; without one, they keep waiting."""
    if not choices_without_record(session):
        return
    try:
        clock.keep_missing_records(session, live_index(current_app).current(session), now)
    except IndexPreparing:
        session.rollback()


@clockwork("reminders of offers", every=timedelta(hours=1))
def remind_of_offers(session: Session, now: datetime) -> None:
    """Remind applicants of answers that are due."""
    clock.remind_of_offers(session, now)


@clockwork("reminders of replies", every=timedelta(hours=1))
def remind_labs(session: Session, now: datetime) -> None:
    """Remind labs of replies that are due, and tell administrators of late ones."""
    clock.remind_labs(session, now)


@clockwork("reminders of letters", every=timedelta(hours=1))
def remind_referees(session: Session, now: datetime) -> None:
    """Remind referees whose letters are awaited."""
    clock.remind_referees(session, now)


@clockwork("word of a gap of the clock", every=timedelta(minutes=5))
def tell_of_gap(session: Session, now: datetime) -> None:
    """Tell administrators that the clock stood still or jumped."""
    clock.tell_of_gap(session, now)


@clockwork("retention of cycles", at=time(4, 10), irrevocable=True)
def erase_what_is_due(session: Session, now: datetime) -> None:
    """Erase the applications of closed cycles whose retention period is over."""
    retention.erase_what_is_due(session, file_store(current_app), now)
