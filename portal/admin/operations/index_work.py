"""Rebuilding the index as a job, as `portal reindex` does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import current_app

from portal.jobs.progress import Outcome
from portal.jobs.registry import JobError, JobRefused, job
from portal.labs.live_index.live import live_index
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress

REBUILD = "rebuild the index"


class _Stages:
    """Reports the stages of building an index as steps of the job, which also stops it if somebody cancelled it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._label = ""

    def begin(self, label: str) -> None:
        """Report that the next stage begins."""
        self._label = label
        self._progress.step(0, None, label)

    def done(self, count: int, total: int) -> None:
        """Report how many labs are done in the current stage."""
        self._progress.step(count, total, self._label)


@job(REBUILD)
def rebuild_index(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001  (as all jobs)
    """Refit the index and save it; until then, or if it is cancelled, the previous one stays in use."""
    try:
        built = live_index(current_app).rebuild(session, _Stages(progress))
    except OSError as error:
        raise JobError(f"The index could not be saved ({error.strerror}); the previous one stays in use.") from None
    if built is None:
        raise JobRefused("Another process is building the index right now. Look again in a moment.")
    labs, works = counted(len(built.profiles), "lab", "labs"), counted(built.fit.works, "work", "works")
    message = f"The index of {labs} with {works} is saved; processes take it over within moments."
    return Outcome(message, "/admin/operations", "Operations")
