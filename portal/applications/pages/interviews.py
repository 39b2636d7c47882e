"""/me/application/<cycle>/interview: pick a time, change it, give it back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, redirect, render_template, request, url_for

from portal.applications.interviews.page import choices_with_interview, interview_page, picked_time
from portal.applications.interviews.service import give_back, pick_slot
from portal.applications.moves.service import MoveRefused
from portal.applications.pages.application_acts import own
from portal.db import db
from portal.moments import format_in_zone, is_zone
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Application, Choice

CONFLICT = 409
UNPROCESSABLE = 422


def interview(cycle: str) -> ResponseReturnValue:
    """The free times of the lab that the address names, or of the only one; else the labs that invite."""
    application = own(cycle)
    choices = choices_with_interview(db.session(), application)
    lab_slug = request.values.get("lab", "")
    if not lab_slug and len(choices) != 1:
        return render_template("applications/interviews.html", application=application, choices=choices)
    choice = next((candidate for candidate in choices if lab_slug in {"", candidate.lab.slug}), None)
    if choice is None:
        return _no_interview(application, lab_slug)
    if request.method == "POST":
        return _picked(choice)
    return _page(choice)


def give_back_interview(cycle: str) -> ResponseReturnValue:
    """Give the picked time back."""
    lab_slug = request.form.get("lab", "")
    choices = choices_with_interview(db.session(), own(cycle))
    choice = or_404(next((candidate for candidate in choices if candidate.lab.slug == lab_slug), None))
    try:
        if give_back(db.session(), choice, actor=actor(), now=datetime.now(UTC)):
            flash_message("You gave the time back. The lab is told; pick another one when you can.")
    except MoveRefused as refusal:
        return _page(choice, str(refusal)), CONFLICT
    return _back(choice)


def _no_interview(application: Application, lab_slug: str) -> ResponseReturnValue:
    """Where a mail about an interview leads once there is none any more, as after a withdrawal: to the application."""
    choice = next((candidate for candidate in application.choices if candidate.lab.slug == lab_slug), None)
    if choice is None or request.method == "POST":
        abort(404)
    flash_message(f"There is no interview with {choice.lab.name} now. This is where your application stands.", "info")
    return redirect(url_for("applications.application", cycle=application.cycle.slug))


def _picked(choice: Choice) -> ResponseReturnValue:
    picked = picked_time(request.form.get("slot", ""))
    if picked is None:
        return _page(choice, unpicked=True), UNPROCESSABLE
    slot_id, shown = picked
    try:
        slot = pick_slot(db.session(), choice, slot_id, shown=shown, actor=actor(), now=datetime.now(UTC))
    except MoveRefused as refusal:
        db.session.rollback()
        return _page(choice, str(refusal)), CONFLICT
    zone = request.form.get("zone", "")
    flash_message(
        f"Your interview is on {format_in_zone(slot.starts_at, zone if is_zone(zone) else slot.zone)}. "
        "A mail with a file for your calendar follows."
    )
    return _back(choice)


def _back(choice: Choice) -> ResponseReturnValue:
    return redirect(
        url_for(
            "applications.interview",
            cycle=choice.application.cycle.slug,
            lab=choice.lab.slug,
            zone=request.form.get("zone") or None,
        )
    )


def _page(choice: Choice, refusal: str = "", *, unpicked: bool = False) -> str:
    page = interview_page(db.session(), choice, request.values.get("zone", ""), datetime.now(UTC))
    return render_template(
        "applications/interview.html",
        page=page,
        application=choice.application,
        refusal=refusal,
        unpicked=unpicked,
    )
