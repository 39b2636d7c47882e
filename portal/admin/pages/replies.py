"""Which labs owe replies, and how long they take."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import render_template, request

from portal.admin.pages.loading import cycle_or_404
from portal.admin.replies_queries import SORTS, lab_replies
from portal.admin.searching import rows_at_once
from portal.applications.clock import REMIND_BEFORE
from portal.applications.cycles import cycles
from portal.db import db
from portal.labs.reply_times import ENOUGH_REPLIES
from portal.web.paging import page_number, page_of


def replies() -> str:
    """Labs with their waiting and late replies, in one cycle or in all that are not closed."""
    session = db.session()
    cycle_slug = request.args.get("cycle", "")
    cycle = cycle_or_404(cycle_slug) if cycle_slug else None
    requested_sort = request.args.get("sort", "")
    sort = requested_sort if requested_sort in SORTS else SORTS[0]
    rows = lab_replies(session, datetime.now(UTC), cycle=cycle, sort=sort)
    return render_template(
        "admin/replies.html",
        page=page_of(rows, page_number(request.args.get("page")), rows_at_once(request.args.get("show"))),
        cycle=cycle,
        cycles=cycles(session),
        sort=sort,
        late=sum(row.late for row in rows),
        waiting=sum(row.waiting for row in rows),
        soon_days=REMIND_BEFORE.days,
        enough=ENOUGH_REPLIES,
    )
