"""The state of the portal, the outbox and the jobs. The text of mails is not shown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.searching import search_text
from portal.admin.system import queries, service
from portal.applications.files import file_store
from portal.config import settings_of
from portal.db import db
from portal.jobs.registry import open_job
from portal.labs.live_index.live import index_state, saved_state
from portal.mail.delivery import MOST_TRIES
from portal.mail.kinds import KINDS
from portal.models import OutboxMail
from portal.models.mail import OUTBOX_STATES
from portal.web.access import actor, or_404
from portal.web.job_pages import STATES
from portal.web.messages import flash_message
from portal.web.paging import list_state, page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

PLACE = ("state", "q", "page")
"""Query parameters of the list."""


def operations() -> str:
    """The state of all parts of the portal."""
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/operations.html",
        now=now,
        failure=(state := index_state(current_app)) and state.failure,
        saved=saved_state(current_app, session),
        rebuilding=open_job(session, service.REBUILD),
        clock=queries.clock(session, now),
        jobs=queries.job_counts(session),
        job_states=STATES,
        mails=queries.outbox_counts(session),
        overdue=queries.overdue_mail(session, now),
        database=queries.database(session, current_app.extensions["migrate"].migrate.get_config()),
        storage=queries.storage(file_store(current_app), settings_of(current_app).instance),
    )


def rebuild_index() -> ResponseReturnValue:
    """Start a job that rebuilds the index, and redirect to it; or to the one that is under way."""
    job, is_new = service.rebuild_index(db.session(), actor=actor(), now=datetime.now(UTC))
    if not is_new:
        flash_message("The index is being built already; this is its page.", "info")
    return redirect(url_for("jobs.job", job_id=job.id))


def outbox() -> str:
    """All mail by state, with errors."""
    session = db.session()
    state = request.args.get("state", "")
    state = state if state in OUTBOX_STATES else ""
    search = search_text(request.args.get("q"))
    number = page_number(request.args.get("page"))
    page = queries.outbox_page(session, state=state, search=search, number=number)
    return render_template(
        "admin/outbox.html",
        page=page,
        kinds=KINDS,
        counts=queries.outbox_counts(session, search),
        search=search,
        place=list_state(request.args, *PLACE),
        overdue=queries.overdue_mail(session, datetime.now(UTC)),
        state=state,
        most_tries=MOST_TRIES,
    )


def retry_mail(mail_id: int) -> ResponseReturnValue:
    """Try a dead mail again."""
    return _retry([or_404(db.session().get(OutboxMail, mail_id))])


def retry_all_mail() -> ResponseReturnValue:
    """Try all dead mails again."""
    return _retry(queries.dead_mails(db.session()))


def _retry(mails: Sequence[OutboxMail]) -> ResponseReturnValue:
    retried = service.retry_mails(db.session(), mails, actor=actor(), now=datetime.now(UTC))
    if retried:
        flash_message(f"{counted(retried, 'mail is', 'mails are')} tried again now.")
    else:
        flash_message("Nothing to try again: no such mail is dead any more.", "info")
    return _back_to_list()


def drop_mail(mail_id: int) -> ResponseReturnValue:
    """Give up a mail that waits or is dead."""
    mail = or_404(db.session().get(OutboxMail, mail_id))
    if service.drop_mail(db.session(), mail, actor=actor(), now=datetime.now(UTC)):
        flash_message("The mail is cancelled and will not be sent.")
    else:
        flash_message("The mail was sent or cancelled meanwhile.", "info")
    return _back_to_list()


def _back_to_list() -> ResponseReturnValue:
    """Redirect to the part of the list from which the form was sent."""
    place: dict[str, Any] = {**list_state(request.form, *PLACE)}
    return redirect(url_for("admin.outbox", **place))


def jobs() -> str:
    """All jobs, the newest first."""
    page = queries.jobs_page(db.session(), page_number(request.args.get("page")))
    return render_template("admin/jobs.html", page=page, said=STATES)
