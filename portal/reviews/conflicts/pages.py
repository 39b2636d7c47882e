"""A reviewer's conflict of interest with an applicant: declare, withdraw."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.applications.forms import running_text
from portal.db import db
from portal.reviews.access import choice_despite_conflict, lab_i_read_for
from portal.reviews.blind_review import shown_as
from portal.reviews.conflicts.service import ConflictRefused, conflict_between, declare, own_conflicts, take_back
from portal.web.access import actor
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Choice, Lab

UNPROCESSABLE = 422


def my_conflicts(slug: str) -> str:
    """The reader's conflicts of interest in this lab."""
    lab = lab_i_read_for(slug)
    return render_template("reviews/conflicts.html", lab=lab, mine=own_conflicts(db.session(), lab, actor()))


def conflict(slug: str, choice_id: int) -> str:
    """The only page on a choice that a reviewer in conflict can open."""
    return _page(*choice_despite_conflict(slug, choice_id))


def declare_conflict(slug: str, choice_id: int) -> ResponseReturnValue:
    """Declare a conflict of interest."""
    lab, choice = choice_despite_conflict(slug, choice_id)
    reason = running_text(request.form.get("reason", ""))
    try:
        new = declare(db.session(), choice.application.applicant, actor(), reason=reason, now=datetime.now(UTC))
    except ConflictRefused as refused:
        return _page(lab, choice, reason, str(refused)), UNPROCESSABLE
    flash_message(
        "Your conflict is declared. The application is closed to you." if new else "This was declared already."
    )
    return redirect(url_for("reviews.conflict", slug=slug, choice_id=choice_id))


def take_back_conflict(slug: str, choice_id: int) -> ResponseReturnValue:
    """Withdraw a declared conflict."""
    lab, choice = choice_despite_conflict(slug, choice_id)
    reason = running_text(request.form.get("reason", ""))
    try:
        changed = take_back(db.session(), choice.application.applicant, actor(), reason=reason, now=datetime.now(UTC))
    except ConflictRefused as refused:
        return _page(lab, choice, reason, str(refused)), UNPROCESSABLE
    if changed:
        flash_message("The conflict is taken back. The application is open to you again.")
    return redirect(url_for("reviews.conflict", slug=slug, choice_id=choice_id))


def _page(lab: Lab, choice: Choice, reason: str = "", error: str = "") -> str:
    session = db.session()
    return render_template(
        "reviews/conflict.html",
        lab=lab,
        shown=shown_as(session, lab, actor(), [choice])[choice.id],
        conflict=conflict_between(session, choice.application.applicant, actor()),
        choice_id=choice.id,
        reason=reason,
        error=error,
    )
