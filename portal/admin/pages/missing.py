"""What submitted applications of a cycle lack, and reminding their applicants in one go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.rules import why_not_remind
from portal.applications.cycles import cycle_by_slug
from portal.applications.lacking import lacking, remind_of_lacking
from portal.applications.states import APPLICATION_LABELS
from portal.db import db
from portal.web.access import actor, ensure, found
from portal.web.messages import say
from portal.web.templating import counted
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def missing_items(slug: str) -> str:
    """Submitted applications that lack something."""
    session, cycle = db.session(), found(cycle_by_slug(db.session(), slug))
    return render_template("admin/missing.html", cycle=cycle, rows=lacking(session, cycle), labels=APPLICATION_LABELS)


def remind_of_missing(slug: str) -> ResponseReturnValue:
    """Show who would get which reminder; send them once that was confirmed."""
    session, cycle = db.session(), found(cycle_by_slug(db.session(), slug))
    ensure(why_not_remind(cycle))
    ticked = set(whole_numbers(request.form.getlist("application")))
    if "confirmed" in request.form:
        reminded = remind_of_lacking(session, cycle, ticked, actor=actor(), now=datetime.now(UTC))
        say(f"{counted(len(reminded), 'applicant is', 'applicants are')} reminded; nobody twice on one day.")
        return redirect(url_for("admin.missing_items", slug=slug))
    chosen = [one for one in lacking(session, cycle) if one.application_id in ticked]
    if not chosen:
        say("Nobody who still lacks something was ticked. Tick whom to remind.", "info")
        return redirect(url_for("admin.missing_items", slug=slug))
    return render_template("admin/missing_preview.html", cycle=cycle, rows=chosen)
