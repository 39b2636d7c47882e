"""The administrators' first page: the state of the portal, and what waits for a decision."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, render_template
from sqlalchemy import func, select

from portal.admin.cycles.pages import cycle_rows
from portal.admin.cycles.releases.queries import to_approve
from portal.admin.labs.queries import NOBODY_READS, count_proposals
from portal.admin.people.queries import acting_admins
from portal.admin.system.queries import outbox_counts
from portal.applications.erasure import announced
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.labs.live_index.live import index_state
from portal.labs.queries import IS_LISTED
from portal.models import Lab, Work
from portal.web.access import actor

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement


def _count(of: ColumnElement[int], *where: ColumnElement[bool]) -> int:
    return db.session().scalar(select(func.count(of)).where(*where)) or 0


def overview() -> str:
    """What waits for a decision, and counts."""
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/overview.html",
        labs=_count(Lab.id.expression),
        unread_labs=_count(Lab.id.expression, NOBODY_READS, IS_LISTED),
        questions=count_proposals(session) + _count(Work.id.expression, Work.question != ""),
        cycles=cycle_rows(session, now),
        releases=to_approve(session),
        me=actor().id,
        undelivered=outbox_counts(session)["dead"],
        index=index_state(current_app),
        clock_runs=is_running(last_begun(session, now), now),
        erased_soon=announced(session, now),
        is_only_admin=acting_admins(session) == 1,
        now=now,
    )
