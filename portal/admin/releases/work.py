"""The job that releases decisions, and the clock that starts it when the time of a release has come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.admin.releases.service import JOB, begin, carry_out, due_releases
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, clockwork, job
from portal.models import Job, Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress


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
    """Start the releases whose time has come, unless their job is under way."""
    running = session.scalars(select(Job.arguments).where(Job.kind == JOB, Job.state.in_(("waiting", "running")))).all()
    under_way = {arguments.get("release") for arguments in running}
    for release in due_releases(session, now):
        if release.id not in under_way:
            begin(session, release, by=None, now=now)
