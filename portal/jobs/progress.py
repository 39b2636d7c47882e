"""Progress of long work, which the page of a job shows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import update

from portal.models import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

BETWEEN_WRITES = 0.5  # seconds between two steps that are recorded
LONGEST_DOING = 300


class CancelledError(Exception):
    """Somebody asked for the job to stop. What it did up to the last step stays."""


class InterruptedByStopError(Exception):
    """The process is about to end; the job continues in another one."""


class LostError(Exception):
    """Another process has taken over the job, because this one had no heartbeat."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a job: a sentence, and where to see it (a path in the portal and the text of the link)."""

    text: str
    path: str = ""
    label: str = ""


class Progress(Protocol):
    """The interface to which long work reports its progress."""

    def step(self, done: int, total: int | None, doing: str = "") -> None:
        """Report that `done` of `total` are complete, and what comes next. Commits now and then.

        Raises:
            CancelledError: Somebody cancelled the job.
        """


def is_this_try(job_id: int, tries: int) -> ColumnElement[bool]:
    """The condition for the row of a running job while this try of it has not been taken over by another process."""
    return (Job.id == job_id) & (Job.state == "running") & (Job.tries == tries)


class JobProgress:
    """Writes to the job's row, in the transaction of the work, so that the page never runs ahead of it.

    Args:
        session: The session of the work.
        job_id: Id of the job.
        tries: Which try this is; a later one takes the job over.
        is_stopping: Whether the process is about to end.
    """

    def __init__(self, session: Session, job_id: int, tries: int, is_stopping: Callable[[], bool]) -> None:
        self._session = session
        self._job_id = job_id
        self._tries = tries
        self._is_stopping = is_stopping
        self._written_at = 0.0

    def step(self, done: int, total: int | None, doing: str = "") -> None:
        """Record it and commit, at most twice a second."""
        now = time.monotonic()
        if now - self._written_at < BETWEEN_WRITES and done != total and not self._is_stopping():
            return
        self._written_at = now
        values = {"done": done, "total": total, "now_doing": doing[:LONGEST_DOING], "beat_at": datetime.now(UTC)}
        cancel_asked = self._session.execute(
            update(Job).where(is_this_try(self._job_id, self._tries)).values(values).returning(Job.cancel_asked),
            execution_options={"synchronize_session": False},
        ).scalar_one_or_none()
        if cancel_asked is None:
            raise LostError(f"Job {self._job_id} was taken up by another process.")
        self._session.commit()
        if cancel_asked:
            raise CancelledError
        if self._is_stopping():
            raise InterruptedByStopError
