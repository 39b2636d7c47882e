"""The application's queue: starts the jobs and deliveries that a committed transaction wrote; clock work for mail."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, cast

from flask import Flask, current_app, has_app_context
from sqlalchemy import event

from portal.db import db
from portal.jobs.queue import JobQueue
from portal.jobs.registry import STARTED, clockwork
from portal.mail.delivery import deliver
from portal.mail.news import write_digests
from portal.mail.outbox import WRITTEN
from portal.mail.rendering import Letterhead
from portal.mail.transport import post_office
from portal.web.extensions import settings_of
from portal.web.purging import purge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session, SessionTransaction

    from portal.config import Settings

logger = logging.getLogger(__name__)
DELIVERY = "deliver mail"
DIGESTS = "daily digest"
PURGING = "clear away"
EXTENSION = "portal_jobs"


def _now() -> datetime:
    return datetime.now(UTC)


def job_queue(app: Flask) -> JobQueue:
    """The queue of `app`."""
    return cast("JobQueue", app.extensions[EXTENSION])


@clockwork(DELIVERY, every=timedelta(seconds=30), waits=True)
def deliver_mail(session: Session, _now_of_start: datetime) -> None:
    """Send what is due in the outbox. Commits after each mail."""
    queue = job_queue(current_app)
    with post_office() as send:
        delivered = deliver(
            session,
            send,
            letterhead=Letterhead.of(settings_of(current_app)),
            clock=_now,
            is_stopping=lambda: queue.is_stopping,
        )
    if delivered.sent or delivered.again or delivered.dead:
        logger.info("Mail: %s sent, %s to be tried again, %s given up", delivered.sent, delivered.again, delivered.dead)


@clockwork(DIGESTS, at=time(7))
def send_digests(session: Session, now: datetime) -> None:
    """Write the daily digests, at 07:00 UTC."""
    write_digests(session, now)


clockwork(PURGING, at=time(3, 30), irrevocable=True)(purge)


def init_work(app: Flask, settings: Settings) -> None:
    """Give `app` its queue. In tests everything is done at once, in the calling process."""

    @contextmanager
    def open_session() -> Iterator[Session]:
        # The session belongs to a context of its own; leaving the context returns it.
        with app.app_context():
            yield db.session()

    app.extensions[EXTENSION] = JobQueue(
        settings.jobs_url,
        settings.instance / "jobs.sqlite",
        immediate=settings.mode == "testing",
        open_session=open_session,
        now=_now,
    )
    if not event.contains(db.session, "after_commit", _start_committed_work):
        event.listen(db.session, "after_commit", _start_committed_work)
        event.listen(db.session, "after_soft_rollback", _forget)


def _start_committed_work(session: Session) -> None:
    """Deliver the mail and begin the jobs that the committed transaction wrote."""
    if session.in_nested_transaction():
        return
    written, started = session.info.pop(WRITTEN, False), session.info.pop(STARTED, [])
    if not (written or started) or not has_app_context():
        return
    queue = job_queue(current_app)
    if written:
        queue.kick(DELIVERY)
    for job_id in started:
        queue.enqueue_job(job_id)


def _forget(session: Session, ended: SessionTransaction) -> None:
    """Forget what a transaction wrote that was rolled back; what was written around a savepoint of it still counts."""
    if ended.parent is None:
        session.info.pop(WRITTEN, None)
        session.info.pop(STARTED, None)
