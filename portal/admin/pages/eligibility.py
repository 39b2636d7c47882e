"""The applications of a cycle as administrators check them: the list, and marking many of them at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from portal.accounts.rules import shows_nothing
from portal.admin.cycles.applications import (
    ApplicationList,
    applications_csv,
    applications_page,
    chosen_in,
    every_application,
)
from portal.admin.cycles.marking import mark_all
from portal.admin.cycles.one_application import applications_in
from portal.admin.lab_choice import shown_text
from portal.admin.pages.loading import cycle_or_404
from portal.admin.searching import rows_at_once, search_text
from portal.applications.forms import running_text
from portal.applications.moves.service import LONGEST_MESSAGE
from portal.applications.states import APPLICATION_LABELS, move_named
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.web.access import actor
from portal.web.downloads import CSV, download
from portal.web.messages import flash_message
from portal.web.paging import page_number
from portal.web.recorded_downloads import record_download, what_was_asked
from portal.web.templating import counted
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.admin.cycles.marking import Marked
    from portal.applications.states import Move

MOST_AT_ONCE = 500
MOST_NAMED = 10  # of those that could not be marked
NARROWED = ("state", "lab", "q", "sort", "order")  # query parameters of the list, besides its page
BULK = ("mark_eligible", "mark_ineligible", "ask_for_more")  # a form without a move means the first


def applications(slug: str) -> str:
    """The applications of a cycle, by default in the order of submission."""
    session, cycle = db.session(), cycle_or_404(slug)
    filters = ApplicationList.read(request.args, search_text(request.args.get("q")))
    number, per_page = page_number(request.args.get("page")), rows_at_once(request.args.get("show"))
    page = applications_page(session, cycle, filters, number=number, per_page=per_page)
    return render_template(
        "admin/applications.html",
        cycle=cycle,
        page=page,
        asked=filters,
        direction="descending" if filters.descending else "ascending",
        labs=chosen_in(session, cycle),
        typed_lab=shown_text(session, filters.lab),
        narrowed={name: value for name in NARROWED if (value := request.args.get(name))},
        labels=APPLICATION_LABELS,
    )


def applications_file(slug: str) -> Response:
    """All pages of the list as a file for spreadsheets. Side effect: an audit entry."""
    session, cycle = db.session(), cycle_or_404(slug)
    filters = ApplicationList.read(request.args, search_text(request.args.get("q")))
    rows = every_application(session, cycle, filters)
    typed = {"q"} if lab_by_slug(session, filters.lab) else {"q", "lab"}
    recorded_values = what_was_asked(filters.query(), typed=typed)
    record_download(
        act="application.download", object_type="cycle", object_key=cycle.slug, rows=len(rows), asked=recorded_values
    )
    return download(applications_csv(rows), f"applications-{cycle.slug}.csv", CSV)


def mark_many(slug: str) -> ResponseReturnValue:
    """Make one move of the ticked applications; each by itself, so that one that is refused does not stop the others.

    If the move tells the applicants a reason, a page asks for confirmation first; it shows them and the message.
    """
    session, cycle, name = db.session(), cycle_or_404(slug), request.form.get("move", BULK[0])
    if name not in BULK:
        flash_message("Choose what to do with the ticked applications.", "info")
        return redirect(url_for("admin.applications", slug=slug))
    ticked = applications_in(session, cycle, whole_numbers(request.form.getlist("application"))[:MOST_AT_ONCE])
    message, move = running_text(request.form.get("message", "")).strip(), move_named("application", name)
    if move.message and ticked:
        refusal = why_not_message(message) if "confirmed" in request.form else ""
        if "confirmed" not in request.form or refusal is not None:
            page = render_template(
                "admin/mark_many.html",
                cycle=cycle,
                move=move,
                rows=ticked,
                message=message,
                refusal=refusal,
                longest=LONGEST_MESSAGE,
                looked_at=_list_position(),
            )
            return page, 422 if refusal else 200
    ids = [application.id for application in ticked]
    _flash_outcome(move, mark_all(session, move, ids, actor=actor(), now=datetime.now(UTC), message=message))
    return redirect(url_for("admin.applications", slug=slug, **_list_position()))


def _list_position() -> dict[str, Any]:
    """The query parameters of the list from which the form was sent. In a list of one state they lead to its first
    page, since the marked applications are no longer in it.
    """
    names = (*NARROWED, "show") if request.form.get("state") else (*NARROWED, "show", "page")
    return {name: value for name in names if (value := request.form.get(name))}


def why_not_message(message: str) -> str | None:
    """A reason that applicants read is required, and limited in length."""
    if shows_nothing(message):
        return "Write why: the applicants read it."
    long = len(message) > LONGEST_MESSAGE
    return f"Keep it to {LONGEST_MESSAGE:,} characters; this has {len(message):,}." if long else None


def _flash_outcome(move: Move, marked: Marked) -> None:
    """Show how many were marked, how many already were, as after a second click, how many were erased meanwhile, and
    which could not be marked and why.
    """
    if not (marked.moved or marked.already or marked.erased or marked.refused):
        flash_message("Nothing was ticked. Tick the applications to mark.", "info")
    state = APPLICATION_LABELS[move.target or ""]
    marked_as = "marked as eligible" if move.name == "mark_eligible" else f"now “{state.lower()}”"
    if marked.moved:
        flash_message(f"{counted(marked.moved, 'application is', 'applications are')} {marked_as}.")
    if marked.already:
        already = counted(marked.already, "application was", "applications were")
        flash_message(f"{already} “{state.lower()}” already.", "info")
    if marked.erased:
        erased = counted(marked.erased, "application was", "applications were")
        flash_message(f"{erased} erased in the meantime.", "warn")
    for application, reason in marked.refused[:MOST_NAMED]:
        flash_message(f"{application.applicant.display_name}: {reason}", "warn")
    if len(marked.refused) > MOST_NAMED:
        flash_message(f"And {len(marked.refused) - MOST_NAMED} more were not marked.", "warn")
