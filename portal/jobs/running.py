"""Running jobs: one process claims a job, gives signs of life while it runs, and records how it ended."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from portal.jobs.progress import CancelledError, InterruptedByStopError, JobProgress, LostError
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

BEAT = 15.0  # seconds between two signs of life
SILENCE = timedelta(minutes=2)  # after which a running job counts as killed
REST = timedelta(seconds=30)
"""How long a job waits for the store of files after its first try, and twice that after the second. A database that
does not answer needs none: nothing can be begun without it.
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


def run_job(open_session: OpenSession, number: int, is_stopping: Callable[[], bool]) -> None:
    """Run the job `number`, unless it is done, running elsewhere, or cancelled.

    Args:
        open_session: Opens a new session for the duration of the work.
        number: Id of the job.
        is_stopping: Whether the process is about to end; the job then stops at its next step and waits again.
    """
    with open_session() as session:
        taken = session.execute(
            update(Job)
            .where(Job.id == number, Job.state == "waiting")
            .values(state="running", tries=Job.tries + 1, started_at=datetime.now(UTC), beat_at=datetime.now(UTC))
            .returning(Job.kind, Job.arguments, Job.tries)
        ).one_or_none()
        session.commit()
        if taken is None:
            return
        kind, arguments, tries = taken
        with _signs_of_life(open_session, number, tries):
            ended = _done(session, number, kind, arguments, tries, is_stopping)
        if ended is not None:
            write_patiently(session, lambda: _record(session, number, tries, ended), is_stopping)


def _record(session: Session, number: int, tries: int, ended: dict[str, Any]) -> None:
    """Write how this try ended, unless another process has taken the job over."""
    mine = (Job.id == number) & (Job.state == "running") & (Job.tries == tries)
    session.execute(update(Job).where(mine).values(ended))


def _done(
    session: Session, number: int, kind: str, arguments: dict[str, Any], tries: int, is_stopping: Callable[[], bool]
) -> dict[str, Any] | None:
    """Do the work, and commit the last of it together with how it ended.

    Returns: What is left to write into the job's row; None if it ended well, or is no longer ours.
    """
    try:
        outcome = job_kind(kind).run(session, arguments, JobProgress(session, number, tries, is_stopping))
        _record(session, number, tries, _ended_by(outcome))
        session.commit()
    except LostError:
        session.rollback()
        logger.warning("Job %s goes on in another process", number)
        return None
    except InterruptedByStopError:
        session.rollback()
        return {"state": "waiting", "tries": Job.tries - 1, "beat_at": None}
    except CancelledError:
        session.rollback()
        return _end("cancelled")
    except Exception as error:
        # Whatever went wrong, the person waiting for the job is told that it ended.
        session.rollback()
        if is_out_of_reach(error):
            without_files = isinstance(error, OutOfReach)
            logger.exception(
                "Job %s (%s) could not get at %s", number, kind, "files" if without_files else "the database"
            )
            again = {"state": "waiting", "beat_at": datetime.now(UTC) if without_files else None}
            reason = WITHOUT_FILES if without_files else OUT_OF_REACH
            given_up = {**_end("failed"), "error": reason.format(times=_times(tries))}
            return again if tries < JOBS[kind].tries else given_up
        message = str(error) if isinstance(error, JobError) else BROKEN.format(kind=type(error).__name__)
        if not isinstance(error, JobError):
            logger.exception("Job %s (%s) failed", number, kind)
        return {**_end("refused" if isinstance(error, JobRefused) else "failed"), "error": message}
    return None


def _ended_by(outcome: Outcome) -> dict[str, Any]:
    # Steps report what was done before them, at most twice a second: at the end everything is done.
    done = func.coalesce(Job.total, Job.done)
    ended = {"done": done, "outcome": outcome.as_json(), "now_doing": ""}
    return {**ended, **_end("refused"), "error": outcome.text} if outcome.refused else {**ended, **_end("done")}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _end(state: str) -> dict[str, Any]:
    return {"state": state, "finished_at": datetime.now(UTC)}


@contextmanager
def _signs_of_life(open_session: OpenSession, number: int, tries: int) -> Iterator[None]:
    """Record every now and then that the job is alive, however long a step takes."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT):
            try:
                with open_session() as session:
                    mine = (Job.id == number) & (Job.state == "running") & (Job.tries == tries)
                    session.execute(update(Job).where(mine).values(beat_at=datetime.now(UTC)))
                    session.commit()
            except SQLAlchemyError:
                # The work itself may hold the database lock; the next beat comes soon.
                logger.info("No sign of life of job %s could be written", number)

    thread = threading.Thread(target=beat, name=f"beat-{number}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def take_up_lost(session: Session, now: datetime) -> list[int]:
    """Have jobs whose process was killed wait again, or fail if they were begun often enough. Commits.

    Returns: The ids of all waiting jobs that may begin now, oldest first; some rest because files were out of reach.
    """
    silent = (Job.state == "running") & or_(Job.beat_at < now - SILENCE, Job.beat_at > now + SKEW)
    for job_id, kind, tries in session.execute(select(Job.id, Job.kind, Job.tries).where(silent)).all():
        most = JOBS[kind].tries if kind in JOBS else 0
        if tries < most:
            ended: dict[str, Any] = {"state": "waiting"}
        else:
            ended = {"state": "failed", "finished_at": now, "error": KILLED.format(times=_times(tries))}
        session.execute(update(Job).where(Job.id == job_id, silent, Job.tries == tries).values(ended))
    session.commit()
    waiting = select(Job.id, Job.tries, Job.beat_at).where(Job.state == "waiting").order_by(Job.id)
    return [job_id for job_id, tries, ended_at in session.execute(waiting) if not _rests(tries, ended_at, now)]


def _rests(tries: int, ended_at: datetime | None, now: datetime) -> bool:
    """Whether a waiting job, whose last try ended then, is not to begin yet."""
    return ended_at is not None and timedelta(0) <= now - ended_at < REST * tries
