"""The job that releases decisions, and the clock that starts it when the time of a release has come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from portal.admin.releases.queries import JOB, job_of
from portal.admin.releases.service import begin, carry_out, due_releases
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, clockwork, job
from portal.models import Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress

AGAIN_AFTER = timedelta(minutes=5)  # since a job failed


@job(JOB)
def release_decisions(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Carry out a release; a restarted job continues where it stopped."""
    release = session.get(Release, int(arguments["release"]))
    if release is None:
        raise JobRefused("This release is not there any more.")
    carry_out(session, release, now=datetime.now(UTC), progress=progress)
    out = sum(item.released_at is not None for item in release.items)
    problems = sum(bool(item.problem) for item in release.items)
    text = f"{out} of {len(release.items)} decisions are released."
    text += f" {problems} could not be." if problems else ""
    text += " The release is held." if release.state == "held" else ""
    return Outcome(text, f"/admin/releases/{release.id}", "See the release")


@clockwork("due releases", every=timedelta(minutes=1))
def start_due_releases(session: Session, now: datetime) -> None:
    """Start the releases whose time has come, and go on with those whose job failed, as after several kills.

    One that somebody has cancelled stays as it is until it is held and approved anew.
    """
    for release in due_releases(session, now):
        job = job_of(session, release)
        failed_at = job.finished_at if job is not None and job.state != "cancelled" else None
        if job is None or (failed_at is not None and failed_at <= now - AGAIN_AFTER):
            begin(session, release, by=None, now=now)
