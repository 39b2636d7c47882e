"""`portal work` and `portal tick`: the portal's work outside of requests."""

from __future__ import annotations

import logging
import os
import signal
import time
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy.exc import SQLAlchemyError

from portal.web.work import job_queue

if TYPE_CHECKING:
    from portal.jobs.queue import JobQueue

logger = logging.getLogger(__name__)

LOOK_AT_CLOCK = 5.0  # seconds
LOOK_AT_SIGNALS = 0.2
MOST_PAUSE = 1.0  # seconds between two checks of a queue that cannot notify
LAST_WORDS = 60.0  # seconds within which work under way must reach a step


@click.command("work")
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="How many jobs at a time.")
@click.option("--with-parent", is_flag=True, help="End when the process that started this one ends.")
@with_appcontext
def work(workers: int, *, with_parent: bool) -> None:
    """Deliver mail, run jobs and scheduled work until stopped.

    TERM or Ctrl-C stops it at the next step of what is under way; another process continues from there.
    """
    queue = job_queue(current_app._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001  (documented)
    parent = os.getppid()
    asked: list[int] = []
    consumers = [
        lane.huey.create_consumer(workers=number, periodic=False, max_delay=MOST_PAUSE, shutdown_timeout=LAST_WORDS)
        for lane, number in ((queue.lanes.jobs, workers), (queue.lanes.clock, 1), (queue.lanes.waiting, 1))
    ]
    for consumer in consumers:
        consumer.start()
    # Huey has just installed its own handlers, which abort work under way on one of the signals.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: asked.append(received))
    if not with_parent:
        click.echo(f"Working, {workers} jobs at a time. Stop with Ctrl-C.")
    looked_at, is_away = -LOOK_AT_CLOCK, False
    while not asked and not (with_parent and os.getppid() != parent):
        if time.monotonic() - looked_at >= LOOK_AT_CLOCK:
            looked_at = time.monotonic()
            is_away = not _look_at_clock(queue, was_away=is_away)
        time.sleep(LOOK_AT_SIGNALS)
    queue.is_stopping = True
    for consumer in consumers:
        consumer.stop_flag.set()
    for consumer in consumers:
        consumer.stop(graceful=True)
    queue.close()


def _look_at_clock(queue: JobQueue, *, was_away: bool) -> bool:
    """Enqueue what is due; returns whether the database answered. Logs when it stops and when it is back."""
    try:
        queue.enqueue_due()
    except SQLAlchemyError:
        if not was_away:
            logger.exception("The database does not answer; it is asked again every %s seconds", LOOK_AT_CLOCK)
        return False
    if was_away:
        logger.warning("The database answers again")
    return True


@click.command("tick")
@with_appcontext
def tick() -> None:
    """Do once what is due: mail, jobs and scheduled work.

    For cron, where `portal work` does not run.
    """
    queue = job_queue(current_app._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001  (documented)
    for name in queue.do_due():
        click.echo(f"Done: {name}")
    queue.close()
