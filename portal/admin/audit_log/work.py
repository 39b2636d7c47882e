"""The job that verifies the chain of the audit log, and the result of the last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.admin.audit_log.queries import count_entries
from portal.audit import verify
from portal.jobs.progress import Outcome
from portal.jobs.registry import job
from portal.models import Job

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress

VERIFY = "verify the audit log"
BROKEN = "Broken"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of the last finished check of the chain, and its time."""

    at: datetime
    text: str

    @property
    def holds(self) -> bool:
        """Whether the chain was unbroken."""
        return not self.text.startswith(BROKEN)


@job(VERIFY)
def verify_audit_log(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001  (as all jobs)
    """Recompute every seal; the outcome says up to which entry the chain holds, or where it is broken."""
    total = count_entries(session)
    progress.step(0, max(total, 1), "Computing every seal anew")
    verdict = verify(session, lambda position: progress.step(min(position, total), max(total, 1)))
    if verdict.holds:
        text = f"Verified up to entry {verdict.entries:,}. Last seal: {verdict.seal or 'none'}."
    else:
        text = f"{BROKEN} after entry {verdict.entries:,}: {verdict.wrong} The entries before it hold."
    return Outcome(text, "/admin/audit", "Back to the audit log", tone="good" if verdict.holds else "bad")


def last_proof(session: Session) -> Proof | None:
    """The last check that ended; None if there is none, or its job has been purged."""
    row = session.execute(
        select(Job.finished_at, Job.outcome)
        .where(Job.kind == VERIFY, Job.state == "done")
        .order_by(Job.finished_at.desc(), Job.id.desc())
        .limit(1)
    ).one_or_none()
    return Proof(row[0], str(row[1].get("text", ""))) if row else None
