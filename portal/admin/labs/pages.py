"""The table of labs; archiving a lab that is no more, and listing it again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy import and_, func, select

from portal.admin.labs import queries
from portal.admin.labs.forms import ReasonForm
from portal.admin.labs.saving import INVALID, lab_or_404
from portal.admin.searching import search_text
from portal.applications.states import OPEN_APPLICATION, OPEN_CHOICE
from portal.applications.submissions import IS_NEWEST
from portal.config import settings_of
from portal.db import db
from portal.labs.freshness import is_stale
from portal.labs.queries import IS_LISTED
from portal.labs.service import archive, hold, list_again
from portal.models import Application, Choice, Cycle, Lab, Submission
from portal.web.access import actor
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


SUBMITTED = OPEN_APPLICATION - {"draft"}


def why_not_archive(session: Session, lab: Lab) -> str | None:
    """Nobody waits for a lab that is archived: whoever has submitted gets a decision first. That includes those who are
    editing what they submitted, for it counts until they submit again.
    """
    waiting = session.scalar(
        select(func.count(Choice.id))
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(
            Choice.lab_id == lab.id,
            Choice.state.in_(OPEN_CHOICE),
            Application.state.in_(SUBMITTED),
            Cycle.closed_at.is_(None),
        )
    )
    waiting = (waiting or 0) + _reopened(session, lab)
    if not waiting:
        return None
    return (
        f"{counted(waiting, 'applicant waits', 'applicants wait')} for {lab.name}. Archive it when each has a released "
        "decision. Until then, its leader can stop taking applications under “How we review”."
    )


def _reopened(session: Session, lab: Lab) -> int:
    """How many applications are open for changes that chose the lab when they were submitted last."""
    submitted = session.scalars(
        select(Submission.choices)
        .join(Application, IS_NEWEST)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Application.state == "draft", Cycle.closed_at.is_(None))
    )
    return sum(any(choice["lab_id"] == lab.id for choice in choices) for choices in submitted)


SORTS = ("name", "leader", "works", "questions", "readers", "changed", "confirmed")
_ONLY = "no"  # in the address, for those without a confirmation or without readers, or that are not listed


def labs() -> str:
    """All labs: searched, sorted, in pages."""
    search = search_text(request.args.get("q"))
    sort = request.args.get("sort", "name")
    sort = sort if sort in SORTS else "name"
    direction = "descending" if request.args.get("order") == "descending" else "ascending"
    only = _only()
    page = queries.lab_page(
        db.session(),
        search=search,
        sort=sort,
        descending=direction == "descending",
        number=page_number(request.args.get("page")),
        stale=_stale(),
        only=only.values(),
    )
    return render_template(
        "admin/labs.html",
        page=page,
        search=search,
        sort=sort,
        direction=direction,
        only=dict.fromkeys(only, _ONLY),
    )


def _stale() -> ColumnElement[bool]:
    return is_stale(settings_of(current_app).confirm_days, datetime.now(UTC).date())


def _only() -> dict[str, ColumnElement[bool]]:
    """The conditions that the address asks for, by their names there."""
    conditions = {
        "confirmed": and_(_stale(), IS_LISTED),
        "readers": and_(queries.NOBODY_READS, IS_LISTED),
        "listed": ~IS_LISTED,
    }
    return {name: condition for name, condition in conditions.items() if request.args.get(name) == _ONLY}


def archive_lab(slug: str) -> ResponseReturnValue:
    """Say what archiving a lab means, or why it cannot be; archive it with a reason."""
    session, lab, form = db.session(), lab_or_404(slug), ReasonForm()
    if lab.archived_at is not None:
        flash_message(f"{lab.name} is archived.", "info")
        return redirect(url_for("admin.lab", slug=slug))
    if form.is_submitted():
        hold(session, lab)
    reason = why_not_archive(session, lab)
    if reason is None and form.validate_on_submit():
        if archive(session, lab, reason=form.reason.data, author=actor(), now=datetime.now(UTC)):
            text = f"{lab.name} is archived: it is on no public page and in no ranking any more."
            flash_with_undo(text, url_for("admin.list_lab_again", slug=slug))
        return redirect(url_for("admin.lab", slug=slug))
    page = render_template("admin/archive_lab.html", lab=lab, form=form, reason=reason)
    return page, INVALID if form.is_submitted() else 200


def list_lab_again(slug: str) -> ResponseReturnValue:
    """Put an archived lab back on the public pages and into rankings."""
    lab = lab_or_404(slug)
    if list_again(db.session(), lab, author=actor(), now=datetime.now(UTC)):
        flash_message(f"{lab.name} is listed and ranked again.")
    return redirect(url_for("admin.lab", slug=slug))
