"""Operations: index, jobs, mail, clock, storage, database, versions, settings without secrets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, url_for

from portal.admin.operations import index_work, outbox_queries, service
from portal.admin.operations import queries as operations_queries
from portal.admin.operations.settings import shown_settings
from portal.admin.queries import newest_save
from portal.applications.files import file_store
from portal.db import db
from portal.jobs.starting import open_job
from portal.labs.live_index.status import index_state, saved_state
from portal.web.access import actor
from portal.web.extensions import settings_of
from portal.web.job_pages import STATES
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def operations() -> str:
    """The state of all parts of the portal."""
    session, now = db.session(), datetime.now(UTC)
    settings = settings_of(current_app)
    return render_template(
        "admin/operations.html",
        now=now,
        index=index_state(current_app),
        newest_save=newest_save(session),
        saved=saved_state(current_app, session),
        rebuilding=open_job(session, index_work.REBUILD),
        clock=operations_queries.clock(session, now),
        jobs=operations_queries.job_counts(session),
        job_states=STATES,
        mails=outbox_queries.outbox_counts(session),
        overdue=outbox_queries.overdue_mail(session, now),
        database=operations_queries.database(session, current_app.extensions["migrate"].migrate.get_config()),
        storage=operations_queries.storage(session, file_store(current_app), settings.instance, now=now),
        versions=operations_queries.versions(),
        settings=shown_settings(settings),
    )


def rebuild_index() -> ResponseReturnValue:
    """Start a job that rebuilds the index, and redirect to it; or to the one that is under way."""
    job, is_new = service.rebuild_index(db.session(), actor=actor(), now=datetime.now(UTC))
    if not is_new:
        flash_message("The index is being built already; this is its page.", "info")
    return redirect(url_for("jobs.job", job_id=job.id))
