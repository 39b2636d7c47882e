"""The administrators' first page: the state of the portal, and what waits for a decision."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import current_app, render_template

from portal.admin.cycles.pages import cycle_rows
from portal.admin.cycles.releases.queries import to_approve
from portal.admin.cycles.replies import late_replies
from portal.admin.labs import queries
from portal.admin.people.queries import acting_admins
from portal.admin.system.queries import outbox_counts
from portal.applications.erasure import announced
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.labs.live_index.live import index_state
from portal.web.access import actor


def overview() -> str:
    """What waits for a decision, and counts."""
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/overview.html",
        counts=queries.counts(session),
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
