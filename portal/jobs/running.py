"""Running jobs: one process claims a job, records a heartbeat while it runs, and records how it ended."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from portal.jobs.progress import CancelledError, InterruptedByStopError, JobProgress, LostError, is_this_try
from portal.jobs.registry import JOBS, JobError, JobRefused, job_kind
from portal.models import Job
from portal.moments import SKEW
from portal.outages import OutOfReach, is_out_of_reach, write_patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Outcome

    OpenSession: TypeAlias = Callable[[], AbstractContextManager[Session]]

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL = 15.0  # seconds
HEARTBEAT_TIMEOUT = timedelta(minutes=2)  # after which a running job counts as killed
RETRY_PAUSE = timedelta(seconds=30)
"""How long a job waits for the file store after its first try, and twice that after the second. For a database that
does not answer no pause is needed: without it, no job can begin.
"""
KILLED = "The process that did this was stopped {times}, and it was not begun again. Start it once more if you need it."
OUT_OF_REACH = (
    "The portal could not get at its data {times} while this was being done: its database was full, locked or "
    "restarted. Start it once more."
)
WITHOUT_FILES = (
    "The portal could not get at its stored files {times} while this was being done. Start it once more; if it fails "
    "again, please tell the administrators."
)
BROKEN = "Something failed on our side ({kind}). Start it once more; if it fails again, please tell the administrators."


def run_job(open_session: OpenSession, job_id: int, is_stopping: Callable[[], bool]) -> None:
    """Run the job with this id, unless it is done, running elsewhere, or cancelled.

    Args:
        open_session: Opens a new session for the duration of the work.
        job_id: Id of the job.
        is_stopping: Whether the process is about to end; the job then stops at its next step and waits again.
    """
    with open_session() as session:
        claimed = session.execute(
            update(Job)
            .where(Job.id == job_id, Job.state == "waiting", Job.cancel_asked.is_(False))
            .values(state="running", tries=Job.tries + 1, started_at=datetime.now(UTC), beat_at=datetime.now(UTC))
            .returning(Job.kind, Job.arguments, Job.tries)
        ).one_or_none()
        session.commit()
        if claimed is None:
            return
        kind, arguments, tries = claimed
        with _heartbeat(open_session, job_id, tries):
            new_values = _run_and_commit(session, job_id, kind, arguments, tries, is_stopping)
        if new_values is not None:
            write_patiently(session, lambda: _record(session, job_id, tries, new_values), is_stopping)


def _record(session: Session, job_id: int, tries: int, new_values: dict[str, Any]) -> bool:
    """Write how this try ended; returns False if another process has taken the job over, and nothing was written."""
    recorded = session.execute(update(Job).where(is_this_try(job_id, tries)).values(new_values).returning(Job.id))
    return recorded.one_or_none() is not None


def _run_and_commit(
    session: Session, job_id: int, kind: str, arguments: dict[str, Any], tries: int, is_stopping: Callable[[], bool]
) -> dict[str, Any] | None:
    """Do the work, and commit its last part together with the outcome: neither, if another process has taken it over.

    Returns: Values that still have to be written into the job's row; None if the job ended well, or belongs to another
        process now.
    """
    try:
        outcome = job_kind(kind).run(session, arguments, JobProgress(session, job_id, tries, is_stopping))
        if not _record(session, job_id, tries, _values_of(outcome)):
            raise LostError(f"Job {job_id} was taken up by another process.")  # noqa: TRY301  (as its steps do)
        session.commit()
    except LostError:
        session.rollback()
        logger.warning("Job %s goes on in another process", job_id)
        return None
    except InterruptedByStopError:
        session.rollback()
        return {"state": "waiting", "tries": Job.tries - 1, "beat_at": None}
    except CancelledError:
        session.rollback()
        return _end_values("cancelled")
    except Exception as error:
        # Whatever went wrong, the person waiting for the job is told that it ended.
        session.rollback()
        if is_out_of_reach(error):
            without_files = isinstance(error, OutOfReach)
            logger.exception(
                "Job %s (%s) could not get at %s", job_id, kind, "files" if without_files else "the database"
            )
            retry_values = {"state": "waiting", "beat_at": datetime.now(UTC) if without_files else None}
            reason = WITHOUT_FILES if without_files else OUT_OF_REACH
            failed_values = {**_end_values("failed"), "error": reason.format(times=_times(tries))}
            return retry_values if tries < JOBS[kind].tries else failed_values
        message = str(error) if isinstance(error, JobError) else BROKEN.format(kind=type(error).__name__)
        if not isinstance(error, JobError):
            logger.exception("Job %s (%s) failed", job_id, kind)
        return {**_end_values("refused" if isinstance(error, JobRefused) else "failed"), "error": message}
    return None


def _values_of(outcome: Outcome) -> dict[str, Any]:
    # The last steps may not have been recorded, since at most two per second are: at the end, everything is done.
    done = func.coalesce(Job.total, Job.done)
    return {"done": done, "outcome": asdict(outcome), "now_doing": "", **_end_values("done")}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _end_values(state: str) -> dict[str, Any]:
    return {"state": state, "finished_at": datetime.now(UTC)}


@contextmanager
def _heartbeat(open_session: OpenSession, job_id: int, tries: int) -> Iterator[None]:
    """Record in a thread that the job is alive, however long a step takes."""
    work_ended = threading.Event()

    def beat() -> None:
        while not work_ended.wait(HEARTBEAT_INTERVAL):
            try:
                with open_session() as session:
                    session.execute(update(Job).where(is_this_try(job_id, tries)).values(beat_at=datetime.now(UTC)))
                    session.commit()
            except SQLAlchemyError:
                # The work itself may hold the database lock; the next beat comes soon.
                logger.info("The heartbeat of job %s could not be written", job_id)

    thread = threading.Thread(target=beat, name=f"heartbeat-{job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        work_ended.set()
        thread.join()


def take_up_lost(session: Session, now: datetime) -> list[int]:
    """Have jobs whose process was killed wait again, or fail if they have used all their tries; none that somebody has
    cancelled is begun again. Commits.

    Returns: The ids of all waiting jobs that may begin now, oldest first; without those that pause because the file
        store did not answer.
    """
    silent = (Job.state == "running") & or_(Job.beat_at < now - HEARTBEAT_TIMEOUT, Job.beat_at > now + SKEW)
    lost = or_(silent, (Job.state == "waiting") & Job.cancel_asked.is_(True))
    found = session.execute(select(Job.id, Job.kind, Job.tries, Job.cancel_asked).where(lost)).all()
    for job_id, kind, tries, is_cancelled in found:
        most_tries = JOBS[kind].tries if kind in JOBS else 0
        new_values: dict[str, Any] = {"state": "waiting"}
        if is_cancelled:
            new_values = {"state": "cancelled", "finished_at": now}
        elif tries >= most_tries:
            new_values = {"state": "failed", "finished_at": now, "error": KILLED.format(times=_times(tries))}
        session.execute(update(Job).where(Job.id == job_id, lost, Job.tries == tries).values(new_values))
    session.commit()
    waiting = select(Job.id, Job.tries, Job.beat_at).where(Job.state == "waiting").order_by(Job.id)
    return [job_id for job_id, tries, ended_at in session.execute(waiting) if not _must_pause(tries, ended_at, now)]


def _must_pause(tries: int, ended_at: datetime | None, now: datetime) -> bool:
    """Whether a waiting job must not begin yet because its last try ended, at `ended_at`, without the file store."""
    return ended_at is not None and timedelta(0) <= now - ended_at < RETRY_PAUSE * tries
