"""A lab's interviews: the offered times, who picked which, offering more, moving and cancelling."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar
from zoneinfo import ZoneInfo

from flask import current_app, redirect, render_template, request, url_for
from wtforms import DateTimeLocalField, HiddenField, SelectField, StringField, TextAreaField, ValidationError
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange

from portal.accounts.rules import TURNS_DIRECTION, turns_direction
from portal.applications.cycles import USUAL_ZONE, cycle_by_slug, zone_choices
from portal.applications.forms import refuse
from portal.applications.interviews.queries import FEWEST_MINUTES, MOST_MINUTES
from portal.config import settings_of
from portal.db import db
from portal.models import User
from portal.reviews.access import lab_i_read_for
from portal.reviews.blind_review import shown_as
from portal.reviews.interviews.queries import (
    cycle_at_work,
    cycles_for_interviews,
    known_zone,
    lab_interviews,
    people_of,
    slot_of_lab,
)
from portal.reviews.interviews.service import (
    LONGEST_REASON,
    LONGEST_WHERE,
    AlreadyOffered,
    ChangedMeanwhile,
    Place,
    Plan,
    SlotRefused,
    cancel_slot,
    move_slot,
    offer_slots,
    why_not_change_slot,
)
from portal.reviews.interviews.times import TimesRefused, starts_in
from portal.web.access import actor, ensure, or_404
from portal.web.forms import PortalForm, WholeNumberField, whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from wtforms import Field

    from portal.models import Cycle, InterviewSlot, Lab

USUAL_MINUTES = 30
_LENGTH = f"An interview takes {FEWEST_MINUTES} to {MOST_MINUTES} minutes."


def _check_text(_form: object, field: Field, limit: int = LONGEST_REASON) -> None:
    text = field.data or ""
    if len(text) > limit:
        raise ValidationError(f"Keep it to {limit:,} characters; this has {len(text):,}.")
    if "\0" in text:
        raise ValidationError("It contains a character that cannot be stored. Type it again.")


def _check_where(form: object, field: Field) -> None:
    """At most what calendars show, in the direction in which it is read."""
    _check_text(form, field, LONGEST_WHERE)
    refuse(TURNS_DIRECTION if turns_direction(field.data or "") else None)


class OfferForm(PortalForm):
    """Times in plain words or from a calendar. `shown` is what the week below the form was made of."""

    cycle = SelectField("Cycle", coerce=int)
    times = TextAreaField(
        "Times",
        [InputRequired("Give a day and a time, such as Tue 2 Dec 14:00–15:30.")],
        description="Such as Tue 2 Dec 14:00–15:30, Wed 10:00. Or paste the text of a calendar file (.ics).",
    )
    minutes = WholeNumberField(
        "Minutes each",
        [InputRequired(_LENGTH), NumberRange(FEWEST_MINUTES, MOST_MINUTES, _LENGTH)],
        default=USUAL_MINUTES,
    )
    zone = SelectField("Time zone")
    where = StringField("Where", [_check_where], description="Only whoever picks the time sees it.")
    interviewer = SelectField("Who interviews", coerce=int)
    shown = HiddenField()

    def offer(self, cycles: Sequence[Cycle], people: Sequence[User], zones: Sequence[tuple[str, str]]) -> None:
        """Set the choices of the select fields."""
        self.cycle.choices = [SelectChoice(cycle.id, cycle.name) for cycle in cycles]
        self.interviewer.choices = [
            *(SelectChoice(person.id, person.display_name) for person in people),
            SelectChoice(0, "Nobody in particular: all who read for the lab"),
        ]
        self.zone.choices = [SelectChoice(name, label) for name, label in zones]

    @property
    def asked(self) -> str:
        """What makes the times: a week that was shown for something else is shown again."""
        return " ".join(f"{self.minutes.data} {self.zone.data} {self.times.data}".split())

    def plan(self, now: datetime) -> Plan:
        """The plan that was filled in; `TimesRefused` if the times cannot be read."""
        today = now.astimezone(ZoneInfo(self.zone.data)).date()
        starts = starts_in(self.times.data, self.minutes.data, self.zone.data, today)
        return Plan(starts, self.minutes.data, self.zone.data)


def weeks_of(plan: Plan) -> list[list[tuple[date, list[str]]]]:
    """The weeks that have times, each with its seven days from Monday and the times of each, in the plan's zone."""
    local = [start.astimezone(ZoneInfo(plan.zone)) for start in plan.starts]
    mondays = sorted({one.date() - timedelta(days=one.weekday()) for one in local})
    days = [[monday + timedelta(days=at) for at in range(7)] for monday in mondays]
    return [[(day, [f"{one:%H:%M}" for one in local if one.date() == day]) for day in week] for week in days]


class _SlotForm(PortalForm):
    """A form about one time. It carries the sequence number of the slot that its page shows."""

    BESIDE: ClassVar[str]
    seen = HiddenField()

    @property
    def seen_sequence(self) -> int:
        """The sequence number that was sent; without one, that of a time which nobody changed since it was offered."""
        return whole_number(self.seen.data or "") or 0

    def show_slot(self, slot: InterviewSlot) -> None:
        """Carry the slot's present sequence number, unless one was sent whose change was not pointed out yet."""
        if not self.seen.data:
            self.seen.data = str(slot.sequence)

    def add_refusal(self, refusal: SlotRefused) -> None:
        """Say why nothing was changed; after a change that was pointed out, the next form counts."""
        self.show_refusal(refusal, self.BESIDE)
        if isinstance(refusal, ChangedMeanwhile):
            self.seen.data = ""


class MoveForm(_SlotForm):
    """A new start, length or place of one time."""

    BESIDE = "begins"

    begins = DateTimeLocalField("Begins", [InputRequired("Choose a day and a time.")])
    minutes = WholeNumberField("Minutes", [InputRequired(_LENGTH), NumberRange(FEWEST_MINUTES, MOST_MINUTES, _LENGTH)])
    where = StringField("Where", [_check_where])

    def show(self, slot: InterviewSlot, local: datetime) -> None:
        """Fill in the slot's present values."""
        self.begins.data, self.minutes.data, self.where.data = local, slot.minutes, slot.where


class CancelForm(_SlotForm):
    """Why a time is cancelled."""

    BESIDE = "reason"

    reason = TextAreaField(
        "Reason", [_check_text], description="Whoever picked the time reads it, and the lab sees it with the time."
    )


UNPROCESSABLE = 422


def interviews(slug: str) -> ResponseReturnValue:
    """The lab's times in a cycle, by day, and who waits for one."""
    lab = lab_i_read_for(slug)
    cycles = cycles_for_interviews(db.session())
    cycle = _cycle(lab, cycles)
    times = lab_interviews(db.session(), lab, cycle, actor(), datetime.now(UTC)) if cycle else None
    return render_template("reviews/interviews.html", lab=lab, cycles=cycles, cycle=cycle, interviews=times)


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
    now = datetime.now(UTC)
    try:
        plan = form.plan(now)
    except TimesRefused as refusal:
        form.show_refusal(refusal, "times")
        return render_template("reviews/offer_interviews.html", lab=lab, form=form), UNPROCESSABLE
    if form.shown.data != form.asked:
        form.shown.data = form.asked
        return render_template("reviews/offer_interviews.html", lab=lab, form=form, plan=plan, weeks=weeks_of(plan))
    cycle = next(offered for offered in cycles if offered.id == form.cycle.data)
    interviewer = session.get_one(User, form.interviewer.data) if form.interviewer.data else None
    try:
        slots = offer_slots(
            session,
            lab,
            cycle,
            plan,
            Place(interviewer, form.where.data or ""),
            actor=actor(),
            organizer=settings_of(current_app).mail_sender,
            now=now,
        )
    except AlreadyOffered as offered_already:
        flash_message(str(offered_already), "info")
        return redirect(url_for("reviews.interviews", slug=slug, cycle=cycle.slug))
    except SlotRefused as refusal:
        session.rollback()
        form.show_refusal(refusal, "times")
        return render_template("reviews/offer_interviews.html", lab=lab, form=form), UNPROCESSABLE
    flash_message(
        f"{len(slots)} {'time is' if len(slots) == 1 else 'times are'} offered. Whoever you invited can pick now."
    )
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
