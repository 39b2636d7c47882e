"""The first page: how things stand and what waits for a decision; and the audit log."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import current_app, render_template, request

from portal.admin import audit_queries, queries
from portal.admin.searching import search_text
from portal.applications.retention import announced
from portal.db import db
from portal.labs.live_index_status import index_state
from portal.web.paging import page_number


def overview() -> str:
    """Figures, open questions, the last saves, the state of the index and the last acts."""
    session = db.session()
    return render_template(
        "admin/overview.html",
        counts=queries.counts(session),
        revisions=queries.recent_revisions(session),
        newest_save=queries.newest_save(session),
        index=index_state(current_app),
        erased_soon=announced(session, datetime.now(UTC)),
        acts=audit_queries.audit_tail(session),
    )


def audit_log() -> str:
    """Every privileged act, newest first; narrowed by act, by who did it, by what it was done to."""
    session = db.session()
    act, person, about = (search_text(request.args.get(name)) for name in ("act", "person", "about"))
    return render_template(
        "admin/audit_log.html",
        acts=audit_queries.audit_acts(session),
        act=act,
        person=person,
        about=about,
        page=audit_queries.audit_page(
            session, act=act, person=person, about=about, number=page_number(request.args.get("page"))
        ),
    )
