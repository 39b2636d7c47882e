"""`portal work` and `portal tick`: the portal's work outside of requests."""

from __future__ import annotations

import gc
import logging
import os
import signal
import time
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy.exc import SQLAlchemyError

from portal.web.extensions import settings_of
from portal.web.log_lines import write_log_lines
from portal.web.work import job_queue

if TYPE_CHECKING:
    from portal.jobs.queue import JobQueue


YOUNGER_PER_FULL = 100  # collections of younger objects between two full ones; Python's default is 10


def collect_garbage_less_often() -> None:
    """Exempt all present objects from garbage collection, and make full collections rarer.

    The index and the concepts are a million objects that live as long as the process. Python goes through all of them
    whenever a quarter more has been created, which takes half a second out of a request. In the meantime, garbage of
    700,000 objects, some 70 MB at most, may stay in memory.
    """
    gc.collect()
    gc.freeze()
    youngest, younger, _ = gc.get_threshold()
    gc.set_threshold(youngest, younger, YOUNGER_PER_FULL)


logger = logging.getLogger(__name__)

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


@click.command("tick")
@with_appcontext
def tick() -> None:
    """Do once what is due: mail, jobs and scheduled work.

    For cron, where `portal work` does not run.
    """
    collect_garbage_less_often()
    queue = job_queue(current_app._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001  (documented)
    for name in queue.do_due():
        click.echo(f"Done: {name}")
    queue.close()
