"""The job that reminds applicants of what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal import audit
from portal.admin.cycles.mailing import Mailing
from portal.applications.checklist import lacking, remind_of_lacking
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.starting import start
from portal.models import AuditEntry, Cycle
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import User

REMIND = "remind of what is missing"
ACT = "cycle.remind_of_missing"
AT_ONCE = 100  # applicants between two steps


def begin_reminding(
    session: Session, cycle: Cycle, application_ids: Collection[int], *, by: User, now: datetime
) -> Mailing | None:
    """Start the job for those of these applications that lack something; None if none does. The caller commits.

    Side effect: an audit entry with their numbers, which is where the job reads them: they may be too many for it.
    """
    chosen = [entry.application_id for entry in lacking(session, cycle) if entry.application_id in application_ids]
    if not chosen:
        return None
    entry = audit.record(
        session,
        actor=by,
        act=ACT,
        object_type="cycle",
        object_key=cycle.slug,
        now=now,
        after={"applications": chosen},
    )
    session.flush()
    title = f"Remind {counted(len(chosen), 'applicant', 'applicants')} of what is missing in {cycle.name}"
    arguments = {"cycle": cycle.id, "entry": entry.id}
    started = start(session, REMIND, title, arguments, by=by, now=now, about=f"/admin/cycles/{cycle.slug}/missing")
    return Mailing(len(chosen), started.id)


@job(REMIND)
def remind_of_missing(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Remind those who still lack something, each once, also where a try before was killed."""
    cycle, entry = session.get(Cycle, int(arguments["cycle"])), session.get(AuditEntry, int(arguments["entry"]))
    if cycle is None or entry is None:
        raise JobRefused("This cycle is not there any more.")
    chosen = frozenset(entry.after["applications"])
    reminded = [one for one in lacking(session, cycle) if one.application_id in chosen]
    for first in range(0, len(reminded), AT_ONCE):
        remind_of_lacking(session, cycle, reminded[first : first + AT_ONCE], asked_at=entry.at)
        done = min(first + AT_ONCE, len(reminded))
        progress.step(done, len(reminded), f"Writing the reminders about {cycle.name}")
    text = f"{counted(len(reminded), 'applicant is', 'applicants are')} reminded; nobody twice on one day."
    return Outcome(text, f"/admin/cycles/{cycle.slug}/missing", "See what is missing")
