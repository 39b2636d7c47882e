"""The job that tells applicants of a new deadline."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from portal import mail
from portal.admin.cycles.mailing import Mailing
from portal.applications.cycles import application_path
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.starting import start
from portal.models import Application, Cycle
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import User

TELL = "tell a new deadline"
EDITABLE = ("draft", "submitted", "incomplete")
"""States of applications that a deadline still matters to."""
AT_ONCE = 100  # applicants between two looks at the deadline


def begin_telling(session: Session, cycle: Cycle, *, by: User, now: datetime) -> Mailing | None:
    """Start the job for everybody in whose application something can still be changed; None if there is nobody."""
    applicants = session.scalar(select(func.count(Application.id)).where(*_to_tell(cycle.id, now))) or 0
    if not applicants:
        return None
    title = f"Tell {counted(applicants, 'applicant', 'applicants')} the new deadline of {cycle.name}"
    arguments = {
        "cycle": cycle.id,
        "version": cycle.version,
        "deadline_at": cycle.deadline_at.isoformat(),
        "moved_at": now.isoformat(),
    }
    started = start(session, TELL, title, arguments, by=by, now=now, about=f"/admin/cycles/{cycle.slug}")
    return Mailing(applicants, started.id)


@job(TELL)
def tell_deadline(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tell everybody in the order of their applications, each once, also where a try before was killed.

    Once the deadline has moved again it ends: another job tells that one.
    """
    deadline_at, moved_at = (datetime.fromisoformat(arguments[name]) for name in ("deadline_at", "moved_at"))
    to_tell = _to_tell(int(arguments["cycle"]), moved_at)
    total = session.scalar(select(func.count(Application.id)).where(*to_tell)) or 0
    done = last = 0
    while True:
        cycle = session.get(Cycle, int(arguments["cycle"]), populate_existing=True)
        if cycle is None:
            raise JobRefused("This cycle is not there any more.")
        if cycle.deadline_at != deadline_at:
            raise JobRefused(
                "The deadline has moved again since; whoever was not told of this one is told of that one."
            )
        following = select(Application).where(*to_tell, Application.id > last).order_by(Application.id).limit(AT_ONCE)
        applications = session.scalars(following.options(joinedload(Application.applicant))).all()
        if not applications:
            break
        with mail.together(session):
            for application in applications:
                _tell(session, cycle, application, int(arguments["version"]))
        done, last = done + len(applications), applications[-1].id
        progress.step(done, max(done, total), f"Writing the mails about {cycle.name}")
    text = f"{counted(done, 'applicant is', 'applicants are')} told the new deadline by mail."
    return Outcome(text, f"/admin/cycles/{cycle.slug}", "See the cycle")


def _to_tell(cycle_id: int, moved_at: datetime) -> tuple[ColumnElement[bool], ...]:
    """The conditions on `Application` of who is told. Who began later has seen the new deadline."""
    return (
        Application.cycle_id == cycle_id,
        Application.state.in_(EDITABLE),
        Application.created_at <= moved_at,
    )


def _tell(session: Session, cycle: Cycle, application: Application, version: int) -> None:
    mail.tell(
        session,
        application.applicant,
        "deadline_moved",
        {"cycle": cycle.name, "zone": cycle.zone, "deadline_at": cycle.deadline_at.isoformat()},
        now=datetime.now(UTC),
        path=application_path(application),
        dedupe=f"application:{application.id}:deadline:{version}",
    )
