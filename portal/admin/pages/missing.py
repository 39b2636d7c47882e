"""What submitted applications of a cycle lack, and reminding their applicants in one go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.rules import why_not_remind
from portal.admin.searching import SHOWN, page_within, rows_at_once
from portal.applications.cycles import cycle_by_slug
from portal.applications.missing_parts import lacking, remind_of_lacking
from portal.applications.states import APPLICATION_LABELS
from portal.db import db
from portal.web.access import actor, ensure, found
from portal.web.messages import say
from portal.web.paging import PER_PAGE, Page, page_number
from portal.web.templating import counted
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

MOST_NAMED = 100  # of those whom a preview is about; the list names them all


def missing_items(slug: str) -> str:
    """Submitted applications that lack something, a page of them at a time."""
    session, cycle = db.session(), found(cycle_by_slug(db.session(), slug))
    rows, per_page = lacking(session, cycle), rows_at_once(request.args.get("show"))
    number = page_within(page_number(request.args.get("page")), len(rows), per_page)
    shown = rows[(number - 1) * per_page : number * per_page]
    return render_template(
        "admin/missing.html",
        cycle=cycle,
        page=Page(shown, number, len(rows), per_page),
        labels=APPLICATION_LABELS,
        shown=[(number, str(number)) for number in SHOWN],
        least=PER_PAGE,
    )


def remind_of_missing(slug: str) -> ResponseReturnValue:
    """Show who would get which reminder, of the ticked or of all pages; send them once that was confirmed."""
    session, cycle = db.session(), found(cycle_by_slug(db.session(), slug))
    ensure(why_not_remind(cycle))
    place: dict[str, Any] = {name: value for name in ("show", "page") if (value := request.form.get(name))}
    ticked = set(whole_numbers(request.form.getlist("application")))
    if "confirmed" in request.form:
        reminded = remind_of_lacking(session, cycle, ticked, actor=actor(), now=datetime.now(UTC))
        say(f"{counted(len(reminded), 'applicant is', 'applicants are')} reminded; nobody twice on one day.")
        return redirect(url_for("admin.missing_items", slug=slug, **place))
    everyone = request.form.get("whom") == "all"
    chosen = [one for one in lacking(session, cycle) if everyone or one.application_id in ticked]
    if not chosen:
        say("Nobody who still lacks something was ticked. Tick the people to remind.", "info")
        return redirect(url_for("admin.missing_items", slug=slug, **place))
    return render_template(
        "admin/missing_preview.html", cycle=cycle, rows=chosen, named=chosen[:MOST_NAMED], place=place
    )
