"""Running the bias audit: always on made-up resumes, and on those of a cycle's applicants if they are enough."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app
from sqlalchemy import select

from portal.admin.bias.findings import findings, moved
from portal.admin.bias.people import applicants, made_up_people, resumes
from portal.admin.figures.small_counts import LEAST
from portal.applications.cycles import current_cycle
from portal.audit import record
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.starting import start_once
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.matching.bias.audit import audit
from portal.models import BiasReport, Cycle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.matching import LabIndex
    from portal.models import Job, User

AUDIT = "bias audit"
MOST = 500  # applicants that are tried unless somebody asks for more
PAGE = "/admin/bias"


def run_audit(
    session: Session, index: LabIndex, cycle: Cycle | None, most: int, step: Callable[[int, int, str], None]
) -> dict[str, Any]:
    """Audit the made-up resumes and, from five on, those of a cycle; returns the publishable findings of both.

    `step` is called with how many resumes are done, how many there are, and which come next; it may raise to stop.
    """
    made_up = made_up_people()
    resume_count = resumes(session, cycle) if cycle else 0
    people = applicants(session, cycle, most) if cycle and resume_count >= LEAST else []
    total = len(made_up) + len(people)
    results: dict[str, Any] = {"applicants": None}
    results["made_up"] = findings(
        audit(made_up, index, lambda done: step(done, total, "Made-up resumes")), made_up=True
    )
    if len(people) >= LEAST:
        report = audit(people, index, lambda done: step(len(made_up) + done, total, "Resumes of applicants"))
        results["applicants"] = findings(report, made_up=False, of=resume_count)
    return results


def last_report(session: Session) -> BiasReport | None:
    """The newest report, or None."""
    return session.scalar(select(BiasReport).order_by(BiasReport.id.desc()).limit(1))


def start_audit(session: Session, *, actor: User, now: datetime) -> tuple[Job, bool]:
    """Start an audit of the newest cycle; or find the one that waits or runs. The second value is whether it is new.

    Side effect: a new one is in the audit log.
    """
    cycle = current_cycle(session, now)
    title = f"Audit the matcher for bias, with resumes of {cycle.name}" if cycle else "Audit the matcher for bias"
    arguments = {"cycle": cycle.id if cycle else None, "by": actor.id}
    started, is_new = start_once(
        session, AUDIT, title, arguments, by=actor, now=now, about=PAGE, apart_from=("cycle", "by")
    )
    if is_new:
        record(
            session,
            actor=actor,
            act="bias.audit",
            object_type="cycle",
            object_key=cycle.slug if cycle else "",
            now=now,
            after={"job": started.id},
        )
    return started, is_new


@job(AUDIT)
def audit_bias(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Audit the matcher and store the report. Nothing is written before the end, so the job can be restarted."""
    cycle = session.get(Cycle, arguments["cycle"]) if arguments.get("cycle") else None
    try:
        index = live_index(current_app).current(session).index
    except IndexPreparing:
        raise JobRefused("Matches are being prepared. Start the audit again in a few minutes.") from None
    name, cycle_id = (cycle.name, cycle.id) if cycle else ("", None)
    results = run_audit(session, index, cycle, MOST, progress.step)
    session.add(
        BiasReport(made_at=datetime.now(UTC), cycle_id=cycle_id, made_by_id=arguments.get("by"), findings=results)
    )
    has_moved = any(moved(finding) for finding in results.values() if finding)
    text = "Something moved." if has_moved else "No ranking moved."
    if results["applicants"] is None:
        text += f" Fewer than {LEAST} resumes{' of ' + name if name else ''} are there: only made-up ones were tried."
    return Outcome(text, PAGE, "See the report")
