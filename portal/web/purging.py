"""Purging what nobody needs any more: sent mails, news that was read, jobs that have ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete

from portal.models import Job, Notification, OutboxMail
from portal.models.job import OPEN_JOB_STATES

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

KEPT_MAIL = timedelta(days=180)
KEPT_NEWS = timedelta(days=730)
KEPT_JOBS = timedelta(days=180)


def purge(session: Session, now: datetime) -> None:
    """Delete sent and cancelled mails and ended jobs after half a year, read news after two."""
    ended_mail = OutboxMail.state.in_(("sent", "cancelled"))
    session.execute(delete(OutboxMail).where(ended_mail, OutboxMail.created_at < now - KEPT_MAIL))
    session.execute(
        delete(Notification).where(Notification.read_at.is_not(None), Notification.created_at < now - KEPT_NEWS)
    )
    ended_jobs = Job.state.not_in(OPEN_JOB_STATES)
    session.execute(delete(Job).where(ended_jobs, Job.created_at < now - KEPT_JOBS))
