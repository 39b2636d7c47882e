"""The administrators' first page: the state of the portal, and what waits for a decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, render_template
from sqlalchemy import func, select

from portal.admin.cycles.pages import cycle_rows
from portal.admin.cycles.releases.queries import to_approve
from portal.admin.cycles.replies import late_replies
from portal.admin.labs.queries import NOBODY_READS, count_proposals
from portal.admin.people.queries import acting_admins
from portal.admin.system.queries import outbox_counts
from portal.applications.erasure import announced
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.labs.live_index.live import index_state
from portal.labs.queries import IS_LISTED
from portal.models import Lab, User, Work
from portal.web.access import actor

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of the overview."""

    labs: int
    unread_labs: int
    works: int
    people: int
    open_proposals: int
    open_work_questions: int


def counts(session: Session) -> Counts:
    """Count labs, works, people and open questions."""

    def number(query: Select[int]) -> int:
        return session.scalar(query) or 0

    return Counts(
        labs=number(select(func.count(Lab.id))),
        unread_labs=number(select(func.count(Lab.id)).where(NOBODY_READS, IS_LISTED)),
        works=number(select(func.count(Work.id))),
        people=number(select(func.count(User.id))),
        open_proposals=count_proposals(session),
        open_work_questions=number(select(func.count(Work.id)).where(Work.question != "")),
    )


def overview() -> str:
    """What waits for a decision, and counts."""
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/overview.html",
        counts=counts(session),
        cycles=cycle_rows(session),
        releases=to_approve(session),
        me=actor().id,
        late=late_replies(session, now),
        undelivered=outbox_counts(session)["dead"],
        index=index_state(current_app),
        clock_runs=is_running(last_begun(session, now), now),
        erased_soon=announced(session, now),
        is_only_admin=acting_admins(session) == 1,
        now=now,
    )
