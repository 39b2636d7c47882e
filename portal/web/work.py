"""The portal's work outside of requests: its queue, the clock work of mail, `portal work`, and health
checks.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING, cast

import click
from flask import Blueprint, Flask, current_app, has_app_context
from flask.cli import with_appcontext
from sqlalchemy import delete, event, select
from sqlalchemy.exc import SQLAlchemyError

from portal import instance
from portal.config import settings_of
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.jobs.queue import JobQueue
from portal.jobs.registry import STARTED, clockwork
from portal.mail.delivery import deliver
from portal.mail.news import write_digests
from portal.mail.outbox import WRITTEN
from portal.mail.rendering import Letterhead
from portal.mail.transport import post_office
from portal.models import Job, Lab, Notification, OutboxMail, SignIn
from portal.models.job import OPEN_JOB_STATES
from portal.storage import StoreUnavailable
from portal.web.logs import write_log_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session, SessionTransaction

    from portal.config import Settings


KEPT_MAIL = timedelta(days=180)
KEPT_NEWS = timedelta(days=730)
KEPT_JOBS = timedelta(days=180)
LONGEST_SIGN_IN = timedelta(days=30)
"""After this a person signs in again, also with “Stay signed in”."""


def purge(session: Session, now: datetime) -> None:
    """Delete sent and cancelled mails and ended jobs after half a year, read news after two, sign-ins after a month."""
    ended_mail = OutboxMail.state.in_(("sent", "cancelled"))
    session.execute(delete(OutboxMail).where(ended_mail, OutboxMail.created_at < now - KEPT_MAIL))
    session.execute(
        delete(Notification).where(Notification.read_at.is_not(None), Notification.created_at < now - KEPT_NEWS)
    )
    ended_jobs = Job.state.not_in(OPEN_JOB_STATES)
    session.execute(delete(Job).where(ended_jobs, Job.created_at < now - KEPT_JOBS))
    session.execute(delete(SignIn).where(SignIn.created_at <= now - LONGEST_SIGN_IN))


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


@clockwork(DIGESTS, at=time_of_day(7))
def send_digests(session: Session, now: datetime) -> None:
    """Write the daily digests, at 07:00 UTC."""
    write_digests(session, now)


clockwork(PURGING, at=time_of_day(3, 30), irrevocable=True)(purge)


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


YOUNGER_PER_FULL = 100  # collections of younger objects between two full ones; Python's default is 10


def collect_garbage_less_often() -> None:
    """Exempt all present objects from garbage collection, and make full collections rarer.

    Python goes through the million objects of index and concepts whenever a quarter more has been created, which takes
    half a second out of a request. In the meantime, garbage of some 70 MB at most may stay in memory.
    """
    gc.collect()
    gc.freeze()
    youngest, younger, _ = gc.get_threshold()
    gc.set_threshold(youngest, younger, YOUNGER_PER_FULL)


CLOCK_INTERVAL = 5.0  # seconds
SIGNAL_INTERVAL = 0.2
LONGEST_PAUSE = 1.0  # seconds between two checks of a queue that cannot notify
STOP_TIMEOUT = 60.0  # seconds within which work under way must reach a step


@click.command("work")
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="How many jobs at a time.")
@click.option("--with-parent", is_flag=True, help="End when the process that started this one ends.")
@with_appcontext
def work(workers: int, *, with_parent: bool) -> None:
    """Deliver mail, run jobs and scheduled work until stopped.

    TERM or Ctrl-C stops it at the next step of what is under way; another process continues from there.
    """
    if settings_of(current_app).mode == "production":
        write_log_lines()
    collect_garbage_less_often()
    queue = job_queue(current_app._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001  (documented)
    parent = os.getppid()
    stop_signals: list[int] = []
    consumers = [
        lane.huey.create_consumer(
            workers=number, periodic=False, max_delay=LONGEST_PAUSE, shutdown_timeout=STOP_TIMEOUT
        )
        for lane, number in ((lane, workers if lane is queue.lanes.jobs else 1) for lane in queue.lanes)
    ]
    for consumer in consumers:
        consumer.start()
    # Huey has just installed its own handlers, which abort work under way on one of the signals.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signal_number, _frame: stop_signals.append(signal_number))
    if not with_parent:
        click.echo(f"Working, {workers} jobs at a time. Stop with Ctrl-C.")
    clock_checked_at, database_is_away = -CLOCK_INTERVAL, False
    while not stop_signals and not (with_parent and os.getppid() != parent):
        if time.monotonic() - clock_checked_at >= CLOCK_INTERVAL:
            clock_checked_at = time.monotonic()
            database_is_away = not _look_at_clock(queue, database_was_away=database_is_away)
        time.sleep(SIGNAL_INTERVAL)
    queue.is_stopping = True
    for consumer in consumers:
        consumer.stop_flag.set()
    for consumer in consumers:
        consumer.stop(graceful=True)
    queue.close()


def _look_at_clock(queue: JobQueue, *, database_was_away: bool) -> bool:
    """Enqueue what is due; returns whether the database answered. Logs when it stops and when it is back."""
    try:
        queue.enqueue_due()
    except SQLAlchemyError:
        if not database_was_away:
            logger.exception("The database does not answer; it is asked again every %s seconds", CLOCK_INTERVAL)
        return False
    if database_was_away:
        logger.warning("The database answers again")
    return True


blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> tuple[dict[str, str], int]:
    """Liveness: the process answers."""
    return {"status": "ok"}, 200


@blueprint.get("/readyz")
def ready() -> tuple[dict[str, str], int]:
    """Readiness: the database answers and has the tables of this version, and files can be stored."""
    try:
        db.session.execute(select(Lab.id).limit(1))
        is_behind = instance.lacks_migrations(db.session())
    except SQLAlchemyError:
        db.session.rollback()
        return {"status": "unavailable", "reason": "the database does not answer or has no tables yet"}, 503
    if is_behind:
        logger.warning("Not ready: the tables are of an earlier version; portal db upgrade has to be run")
        return {"status": "unavailable", "reason": "the tables are of an earlier version"}, 503
    try:
        current_app.extensions["portal_files"].check()
    except StoreUnavailable as failure:
        logger.warning("Not ready: %s", failure)
        return {"status": "unavailable", "reason": "files cannot be kept: their store does not answer or refuses"}, 503
    return {"status": "ok"}, 200


@blueprint.get("/workz")
def working() -> tuple[dict[str, str], int]:
    """Whether `portal work` runs somewhere: no mail is sent and no job is done without it."""
    now = datetime.now(UTC)
    try:
        last = last_begun(db.session(), now)
    except SQLAlchemyError:
        db.session.rollback()
        return {"status": "unavailable", "reason": "the database does not answer or has no tables yet"}, 503
    if is_running(last, now):
        return {"status": "ok"}, 200
    since = f"since {last:%Y-%m-%d %H:%M} UTC" if last else "yet"
    return {"status": "unavailable", "reason": f"portal work has begun nothing {since}"}, 503
