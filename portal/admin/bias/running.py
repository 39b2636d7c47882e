"""Running the bias audit: made-up resumes always, those of a cycle's applicants where there are enough."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app

from portal.admin.bias.findings import findings, moved
from portal.admin.bias.people import applicants, made_up_people, resumes
from portal.admin.figures.small_counts import LEAST
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.matching.bias.audit import audit
from portal.models import BiasReport, Cycle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.matching import LabIndex

AUDIT = "bias audit"
MOST = 500  # applicants that are tried unless somebody asks for more
PAGE = "/admin/bias"


def run_audit(
    session: Session, index: LabIndex, cycle: Cycle | None, most: int, step: Callable[[int, int, str], None]
) -> dict[str, Any]:
    """Audit the made-up resumes and, from five on, those of a cycle; what may be said of both.

    `step` is told how many resumes are done, of how many, and which come now; it may raise to stop.
    """
    made_up = made_up_people()
    there_are = resumes(session, cycle) if cycle else 0
    people = applicants(session, cycle, most) if cycle and there_are >= LEAST else []
    total = len(made_up) + len(people)
    found: dict[str, Any] = {"applicants": None}
    found["made_up"] = findings(audit(made_up, index, lambda done: step(done, total, "Made-up resumes")), made_up=True)
    if len(people) >= LEAST:
        report = audit(people, index, lambda done: step(len(made_up) + done, total, "Resumes of applicants"))
        found["applicants"] = findings(report, made_up=False, of=there_are)
    return found


@job(AUDIT)
def audit_bias(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Audit the matcher and keep the report; nothing is written before the end, so it may be begun again."""
    cycle = session.get(Cycle, arguments["cycle"]) if arguments.get("cycle") else None
    try:
        index = live_index(current_app).current(session).index
    except IndexPreparing:
        raise JobRefused("Matches are being prepared. Start the audit again in a few minutes.") from None
    name, number = (cycle.name, cycle.id) if cycle else ("", None)
    found = run_audit(session, index, cycle, MOST, progress.step)
    session.add(BiasReport(made_at=datetime.now(UTC), cycle_id=number, made_by_id=arguments.get("by"), findings=found))
    something = any(moved(one) for one in found.values() if one)
    text = "Something moved." if something else "No ranking moved."
    if found["applicants"] is None:
        text += f" Fewer than {LEAST} resumes{' of ' + name if name else ''} are there: only made-up ones were tried."
    return Outcome(text, PAGE, "See the report")
