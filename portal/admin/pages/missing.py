"""What submitted applications of a cycle lack, and reminding their applicants in one go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.reminder_work import begin_reminding
from portal.admin.cycles.rules import why_not_remind
from portal.admin.pages.loading import cycle_or_404
from portal.admin.searching import rows_at_once
from portal.applications.checklist import lacking
from portal.applications.states import APPLICATION_LABELS
from portal.db import db
from portal.web.access import actor, ensure
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import page_number, page_of
from portal.web.templating import counted
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

MOST_NAMED = 100  # applicants in a preview; the list names all of them


def missing_items(slug: str) -> str:
    """One page of the submitted applications that lack something."""
    session, cycle = db.session(), cycle_or_404(slug)
    rows, per_page = lacking(session, cycle), rows_at_once(request.args.get("show"))
    return render_template(
        "admin/missing.html",
        cycle=cycle,
        page=page_of(rows, page_number(request.args.get("page")), per_page),
        labels=APPLICATION_LABELS,
    )


def remind_of_missing(slug: str) -> ResponseReturnValue:
    """Show the reminders for the ticked applications, or for all; send them once that is confirmed."""
    session, cycle = db.session(), cycle_or_404(slug)
    ensure(why_not_remind(cycle))
    list_position: dict[str, Any] = {name: value for name in ("show", "page") if (value := request.form.get(name))}
    ticked = set(whole_numbers(request.form.getlist("application")))
    if "confirmed" in request.form:
        reminding = begin_reminding(session, cycle, ticked, by=actor(), now=datetime.now(UTC))
        if reminding is None:
            flash_message("Nobody is reminded: none of them lacks anything any more.", "info")
        else:
            text = (
                f"{counted(reminding.applicants, 'applicant is', 'applicants are')} reminded; nobody twice on one day."
            )
            flash_with_link(text, url_for("jobs.job", job_id=reminding.job_id), "See how far the mails are")
        return redirect(url_for("admin.missing_items", slug=slug, **list_position))
    everyone = request.form.get("whom") == "all"
    chosen = [row for row in lacking(session, cycle) if everyone or row.application_id in ticked]
    if not chosen:
        flash_message("Nobody who still lacks something was ticked. Tick the people to remind.", "info")
        return redirect(url_for("admin.missing_items", slug=slug, **list_position))
    return render_template(
        "admin/missing_preview.html", cycle=cycle, rows=chosen, named=chosen[:MOST_NAMED], place=list_position
    )
