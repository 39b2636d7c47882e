"""A lab's interviews: the offered times, who picked which, offering more, moving and cancelling."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from flask import current_app, redirect, render_template, request, url_for

from portal.applications.cycles import cycle_by_slug
from portal.applications.zones import USUAL_ZONE, zone_choices
from portal.db import db
from portal.models import User
from portal.moments import SECOND_IN_UTC, note_on_repeated
from portal.reviews.blind_review.blinding import shown_as
from portal.reviews.interviews.forms import CancelForm, MoveForm, OfferForm
from portal.reviews.interviews.listing import (
    PageNumbers,
    cycle_at_work,
    cycles_for_interviews,
    known_zone,
    lab_interviews,
    people_of,
    slot_of_lab,
)
from portal.reviews.interviews.rules import why_not_change_slot
from portal.reviews.interviews.service import AlreadyOffered, Place, SlotRefused, cancel_slot, move_slot, offer_slots
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.pages.cycle import labs_cycles, newest_instead
from portal.web.access import actor, ensure, or_404
from portal.web.extensions import settings_of
from portal.web.messages import flash_message
from portal.web.paging import page_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, InterviewSlot, Lab

UNPROCESSABLE = 422


def interviews(slug: str) -> ResponseReturnValue:
    """The lab's times in a cycle, by day, and who waits for one."""
    lab = lab_i_read_for(slug)
    cycles = cycles_for_interviews(db.session())
    cycle = _cycle(lab, cycles)
    page_numbers = PageNumbers(*(page_number(request.args.get(name)) for name in ("page", "past", "waiting")))
    times = lab_interviews(db.session(), lab, cycle, actor(), datetime.now(UTC), page_numbers) if cycle else None
    return render_template(
        "reviews/interviews.html",
        lab=lab,
        cycles=cycles,
        cycle=cycle,
        interviews=times,
        past_is_open="past" in request.args,
        newest=newest_instead(cycle, labs_cycles(lab)),
    )


def offer_interviews(slug: str) -> ResponseReturnValue:
    """Offer one time or a series."""
    lab = lab_i_read_for(slug)
    session = db.session()
    cycles, people = cycles_for_interviews(session), people_of(session, lab)
    shown_cycle = _cycle(lab, cycles)
    zone_in_use = known_zone(session, lab, shown_cycle)
    zone = zone_in_use or USUAL_ZONE
    form = OfferForm(zone=zone, interviewer=actor().id, cycle=shown_cycle.id if shown_cycle else None)
    form.offer(cycles, people, zone_choices(zone))
    if not form.validate_on_submit():
        is_guess = zone_in_use is None and not form.is_submitted()
        page = render_template("reviews/offer_interviews.html", lab=lab, form=form, zone_is_guess=is_guess)
        return (page, UNPROCESSABLE) if form.is_submitted() else page
    cycle = next(offered for offered in cycles if offered.id == form.cycle.data)
    interviewer = session.get_one(User, form.interviewer.data) if form.interviewer.data else None
    try:
        slots = offer_slots(
            session,
            lab,
            cycle,
            form.plan(),
            Place(interviewer, form.where.data or "", form.note.data or ""),
            actor=actor(),
            organizer=settings_of(current_app).mail_sender,
            now=datetime.now(UTC),
        )
    except AlreadyOffered as offered_already:
        flash_message(str(offered_already), "info")
        return redirect(url_for("reviews.interviews", slug=slug, cycle=cycle.slug))
    except SlotRefused as refusal:
        session.rollback()
        form.add_refusal(refusal)
        return render_template("reviews/offer_interviews.html", lab=lab, form=form), UNPROCESSABLE
    flash_message(
        f"{len(slots)} {'time is' if len(slots) == 1 else 'times are'} offered. Whoever you invited can pick now."
    )
    if note := note_on_repeated(map(_local, slots), form.zone.data):
        flash_message(f"{note} {SECOND_IN_UTC}", "info")
    return redirect(url_for("reviews.interviews", slug=slug, cycle=cycle.slug))


def interview_slot(slug: str, slot_id: int) -> ResponseReturnValue:
    """One time: move it."""
    lab, slot = _changeable(slug, slot_id)
    form = MoveForm()
    if not form.is_submitted():
        form.show(slot, _local(slot))
    if not form.validate_on_submit():
        return _slot_page(lab, slot, form, CancelForm(formdata=None)), UNPROCESSABLE if form.is_submitted() else 200
    try:
        changed = move_slot(
            db.session(),
            slot,
            form.begins.data,
            form.minutes.data,
            form.where.data or "",
            actor=actor(),
            now=datetime.now(UTC),
            seen=form.seen_sequence,
        )
    except SlotRefused as refusal:
        db.session.rollback()
        form.add_refusal(refusal)
        return _slot_page(lab, slot, form, CancelForm(formdata=None)), UNPROCESSABLE
    if changed:
        flash_message("The time is changed." + (" Who picked it gets a mail." if slot.choice_id else ""))
    else:
        flash_message("The time is already as you gave it.", "info")
    if note := note_on_repeated([_local(slot)], slot.zone):
        flash_message(f"{note} The second can be offered as a new time, in the time zone UTC.", "info")
    return redirect(url_for("reviews.interviews", slug=slug, cycle=slot.cycle.slug))


def cancel_interview(slug: str, slot_id: int) -> ResponseReturnValue:
    """Cancel a time; if that was already done, as by a double click, say so."""
    lab = lab_i_read_for(slug)
    stored = or_404(slot_of_lab(db.session(), lab, slot_id))
    if stored.cancelled_at is not None:
        flash_message("The time is cancelled already.", "info")
        return redirect(url_for("reviews.interviews", slug=slug, cycle=stored.cycle.slug))
    lab, slot = _changeable(slug, slot_id)
    form, taken = CancelForm(), slot.choice_id is not None
    moving = MoveForm(formdata=None)
    moving.show(slot, _local(slot))
    if not form.validate():
        return _slot_page(lab, slot, moving, form), UNPROCESSABLE
    try:
        now, seen = datetime.now(UTC), form.seen_sequence
        cancel_slot(db.session(), slot, form.reason.data or "", actor=actor(), now=now, seen=seen)
    except SlotRefused as refusal:
        db.session.rollback()
        form.add_refusal(refusal)
        return _slot_page(lab, slot, moving, form), UNPROCESSABLE
    flash_message("The time is cancelled." + (" Both sides get a mail; another time can be picked." if taken else ""))
    return redirect(url_for("reviews.interviews", slug=slug, cycle=slot.cycle.slug))


def _changeable(slug: str, slot_id: int) -> tuple[Lab, InterviewSlot]:
    lab = lab_i_read_for(slug)
    slot = or_404(slot_of_lab(db.session(), lab, slot_id))
    ensure(why_not_change_slot(db.session(), slot, actor(), datetime.now(UTC)))
    return lab, slot


def _slot_page(lab: Lab, slot: InterviewSlot, form: MoveForm, cancelling: CancelForm) -> str:
    for slot_form in (form, cancelling):
        slot_form.show_slot(slot)
    person = ""
    if slot.choice is not None:
        person = shown_as(db.session(), lab, actor(), [slot.choice])[slot.choice.id].label
    return render_template(
        "reviews/interview_slot.html", lab=lab, slot=slot, person=person, form=form, cancelling=cancelling
    )


def _local(slot: InterviewSlot) -> datetime:
    """The slot's start in its own zone."""
    return slot.starts_at.astimezone(ZoneInfo(slot.zone)).replace(tzinfo=None)


def _cycle(lab: Lab, cycles: Sequence[Cycle]) -> Cycle | None:
    """The cycle of `?cycle=…`, 404 for an unknown one; without it the one of the lab's interviews."""
    if slug := request.args.get("cycle", ""):
        return or_404(cycle_by_slug(db.session(), slug))
    return cycle_at_work(db.session(), lab, cycles, datetime.now(UTC))
