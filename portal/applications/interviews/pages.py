"""/me/application/<cycle>/interview: pick a time, or change it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from flask import abort, redirect, render_template, request, url_for

from portal.applications.cycles import own_application
from portal.applications.interviews.queries import free_slots, last_cancelled, slot_of
from portal.applications.interviews.service import pick_slot, why_not_choose_time
from portal.applications.locks import Refusal
from portal.db import db
from portal.moments import readers_zone, told
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, InterviewSlot


SHOWN_AFTER = ("interview", "interviewed")


def picked_time(sent: str) -> tuple[int, int | None] | None:
    """The number of the time that a form sent, and its sequence number as the page had it, if it says one."""
    number, slash, said = sent.partition("/")
    slot_id, sequence = whole_number(number), whole_number(said)
    return (slot_id, sequence) if slot_id and (sequence is not None or not slash) else None


def interview_page(session: Session, choice: Choice, now: datetime) -> dict[str, Any]:
    """What the page of one choice shows: the time that is fixed or that the lab cancelled, and the free times by
    day, or the reason against picking one. Times are in the reader's zone, or else the lab's.
    """
    mine, against = slot_of(session, choice), why_not_choose_time(choice)
    passed = mine is not None and mine.starts_at <= now
    free = [] if against or passed else list(free_slots(session, choice, now))
    reference = mine or next(iter(free), None)
    zone = readers_zone(reference.zone if reference else choice.application.cycle.zone)
    times = [(slot.starts_at.astimezone(ZoneInfo(zone)), slot) for slot in free]
    return {
        "choice": choice,
        "mine": mine,
        "weekday": f"{mine.starts_at.astimezone(ZoneInfo(zone)):%A}" if mine else "",
        "cancelled": last_cancelled(session, choice) if mine is None else None,
        "passed": passed,
        "against": against,
        "days": [
            (day, [_free_time(slot, local) for local, slot in of_day])
            for day, of_day in groupby(times, key=lambda row: row[0].date())
        ],
        "zone": zone,
    }


def _free_time(slot: InterviewSlot, local: datetime) -> dict[str, Any]:
    """A free time, and what the form sends for it: its number, and the sequence number that grows when it is moved."""
    return {
        "slot": slot,
        "clock": f"{local:%H:%M}",
        "value": f"{slot.id}/{slot.sequence}",
    }


def interview(cycle: str) -> ResponseReturnValue:
    """The free times of the lab that the address names, or of the only one; else the labs that invite."""
    application = or_404(own_application(db.session(), actor(), cycle))
    chosen = application.choices
    choices = [choice for choice in chosen if choice.shown_state in SHOWN_AFTER or slot_of(db.session(), choice)]
    lab_slug = request.values.get("lab", "")
    if not lab_slug and len(choices) != 1:
        return render_template("applications/interviews.html", application=application, choices=choices)
    choice = next((candidate for candidate in choices if lab_slug in {"", candidate.lab.slug}), None)
    if choice is None:
        return _no_interview(application, lab_slug)
    if request.method == "POST":
        return _picked(choice)
    return _page(choice)


def _no_interview(application: Application, lab_slug: str) -> ResponseReturnValue:
    """Where a mail about an interview leads once there is none any more, as after a withdrawal: to the application."""
    choice = next((candidate for candidate in application.choices if candidate.lab.slug == lab_slug), None)
    if choice is None or request.method == "POST":
        abort(404)
    flash_message(f"There is no interview with {choice.lab.name} now.", "info")
    return redirect(url_for("applications.application", cycle=application.cycle.slug))


def _picked(choice: Choice) -> ResponseReturnValue:
    picked = picked_time(request.form.get("slot", ""))
    if picked is None:
        return _page(choice, unpicked=True), 422
    slot_id, shown = picked
    try:
        slot = pick_slot(db.session(), choice, slot_id, shown=shown, actor=actor(), now=datetime.now(UTC))
    except Refusal as refusal:
        db.session.rollback()
        return _page(choice, str(refusal)), 409
    starts = told(slot.starts_at, slot.zone)
    flash_message(f"Your interview is on {starts}. A mail with a file for your calendar follows.")
    return redirect(url_for("applications.interview", cycle=choice.application.cycle.slug, lab=choice.lab.slug))


def _page(choice: Choice, refusal: str = "", *, unpicked: bool = False) -> str:
    page = interview_page(db.session(), choice, datetime.now(UTC))
    return render_template(
        "applications/interview.html",
        page=page,
        application=choice.application,
        refusal=refusal,
        unpicked=unpicked,
    )
