"""When the applications of a cycle are erased, and which these are."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import render_template, request

from portal.admin.cycles.applications.queries import applications_page, labs_by_name
from portal.applications import erasure as keeping
from portal.applications.cycles import cycle_by_slug
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS
from portal.db import db
from portal.web.access import or_404
from portal.web.paging import page_number


def retention(slug: str) -> str:
    """The applications to be erased, and when: a dry run, which changes nothing."""
    session, cycle = db.session(), or_404(cycle_by_slug(db.session(), slug))
    return render_template(
        "admin/retention.html",
        cycle=cycle,
        due=keeping.due_at(cycle),
        is_due=keeping.is_due(cycle, datetime.now(UTC)),
        page=applications_page(session, cycle, {}, number=page_number(request.args.get("page"))),
        labels=APPLICATION_LABELS,
        labs_by_name=labs_by_name,
        choice_labels=CHOICE_LABELS,
    )
