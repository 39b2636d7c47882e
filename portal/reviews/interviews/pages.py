"""A lab's interviews: the offered times, who picked which, offering more, moving and cancelling."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from zoneinfo import ZoneInfo

from flask import current_app, redirect, render_template, url_for
from sqlalchemy import select
from wtforms import DateTimeLocalField, HiddenField, SelectField, StringField, TextAreaField, ValidationError
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange

from portal.accounts.rules import TURNS_DIRECTION, turns_direction
from portal.applications.cycles import USUAL_ZONE, cycles, zone_choices
from portal.applications.forms import refuse
from portal.applications.interviews.queries import FEWEST_MINUTES, MOST_MINUTES, slots_of_lab, waiting_for_a_time
from portal.applications.locks import Refusal
from portal.applications.people import applicants_in_conflict
from portal.config import settings_of
from portal.db import db
from portal.models import InterviewSlot, User
from portal.moments import ANYWHERE_ON_EARTH, readers_zone, zone_label
from portal.reviews.access import chosen_cycle, lab_i_read_for
from portal.reviews.assigning import readers_of
from portal.reviews.blind_review import shown_as
from portal.reviews.interviews.service import (
    LONGEST_REASON,
    LONGEST_WHERE,
    AlreadyOffered,
    ChangedMeanwhile,
    Place,
    Plan,
    cancel_slot,
    move_slot,
    offer_slots,
    why_not_change_slot,
)
from portal.reviews.interviews.times import starts_in
from portal.reviews.rules import why_not_open_choice
from portal.web.access import actor, ensure, or_404
from portal.web.forms import PortalForm, WholeNumberField, whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session
    from wtforms import Field

    from portal.models import Choice, Cycle, Lab
    from portal.reviews.blind_review import Shown

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

    times = TextAreaField(
        "Times",
        [InputRequired("Give a day and a time, such as Tue 14:00–15:30.")],
        description="Such as Tue 14:00–15:30, Wed 10:00, 2 Dec 9:00. Or paste the text of a calendar file (.ics).",
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

    def offer(self, people: Mapping[int, str], zones: Sequence[tuple[str, str]]) -> None:
        """Set the choices of the select fields."""
        self.interviewer.choices = [
            *(SelectChoice(number, name) for number, name in people.items()),
            SelectChoice(0, "Nobody in particular: all who read for the lab"),
        ]
        self.zone.choices = [SelectChoice(name, label) for name, label in zones]

    @property
    def asked(self) -> str:
        """What makes the times: a week that was shown for something else is shown again."""
        return " ".join(f"{self.minutes.data} {self.zone.data} {self.times.data}".split())

    def plan(self, now: datetime) -> Plan:
        """The plan that was filled in; `Refusal` if the times cannot be read."""
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

    def add_refusal(self, refusal: Refusal) -> None:
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


UNNAMED = "Somebody you have a conflict of interest with"


class SlotRow(NamedTuple):
    """A line: the slot, its clock and zone, state, who picked it, and whether the reader may open or change it.

    `state` is "free", "taken", "cancelled" or "passed" (nobody picked it in time). `reason` is why it was
    cancelled, if the reader may know who had picked it.
    """

    slot: InterviewSlot
    clock: str
    zone: str
    state: str
    person: str
    reason: str
    choice_id: int | None
    changeable: bool


class LabInterviews(NamedTuple):
    """A lab's times in a cycle by day, ahead and before (newest first); who waits; how many are free."""

    ahead: Sequence[tuple[date, Sequence[SlotRow]]]
    before: Sequence[tuple[date, Sequence[SlotRow]]]
    waiting: Sequence[tuple[Choice, str]]
    free: int


def lab_interviews(session: Session, lab: Lab, cycle: Cycle, reader: User, now: datetime) -> LabInterviews:
    """The interviews of a lab for one of its readers."""
    slots = sorted(slots_of_lab(session, lab, cycle.id), key=_day_and_time)
    waiting = waiting_for_a_time(session, lab, cycle.id)
    picked = [choice for slot in slots for choice in (slot.choice, slot.cancelled_choice) if choice is not None]
    shown = dict(shown_as(session, lab, reader, [*picked, *waiting]))
    excluded = applicants_in_conflict(session, reader)
    for choice in (*picked, *waiting):
        in_conflict = choice.application.applicant_id in excluded
        if why_not_open_choice(session, reader, lab, choice, in_conflict=in_conflict) is not None:
            shown.pop(choice.id, None)
    named = [(choice, shown[choice.id].label) for choice in waiting if choice.id in shown]
    return LabInterviews(
        ahead=_by_day([_row(slot, shown, now) for slot in slots if slot.starts_at > now]),
        before=_by_day([_row(slot, shown, now) for slot in slots if slot.starts_at <= now])[::-1],
        waiting=named,
        free=sum(_state(slot, now) == "free" for slot in slots),
    )


def slot_of_lab(session: Session, lab: Lab, slot_id: int) -> InterviewSlot | None:
    """One of the lab's times."""
    return session.scalar(select(InterviewSlot).where(InterviewSlot.id == slot_id, InterviewSlot.lab_id == lab.id))


def _row(slot: InterviewSlot, shown: dict[int, Shown], now: datetime) -> SlotRow:
    person = ""
    if slot.choice_id is not None:
        person = shown[slot.choice_id].label if slot.choice_id in shown else UNNAMED
    cancelled_person = shown.get(slot.cancelled_choice_id or 0)
    may_read = slot.cancelled_choice_id is None or (cancelled_person is not None and not cancelled_person.hidden)
    reason = f"Cancelled: {slot.cancel_reason}" if slot.cancel_reason and may_read else ""
    return SlotRow(
        slot=slot,
        clock=f"{slot.starts_at.astimezone(ZoneInfo(readers_zone(slot.zone))):%H:%M}",
        zone=zone_label(readers_zone(slot.zone), slot.starts_at),
        state=_state(slot, now),
        person=person,
        reason=reason,
        choice_id=slot.choice_id if slot.choice_id in shown else None,
        # As `why_not_change_slot`, without a query for each slot.
        changeable=slot.cycle.closed_at is None
        and slot.cancelled_at is None
        and slot.starts_at > now
        and (slot.choice_id is None or slot.choice_id in shown),
    )


def _state(slot: InterviewSlot, now: datetime) -> str:
    if slot.cancelled_at is not None:
        return "cancelled"
    if slot.choice_id is not None:
        return "taken"
    return "free" if slot.starts_at > now else "passed"


def _by_day(rows: Sequence[SlotRow]) -> list[tuple[date, Sequence[SlotRow]]]:
    return [(day, list(of_day)) for day, of_day in groupby(rows, key=lambda row: _day_and_time(row.slot)[0])]


def _day_and_time(slot: InterviewSlot) -> tuple[date, datetime]:
    """The day in the reader's zone, or else that of the offer, and the moment."""
    return slot.starts_at.astimezone(ZoneInfo(readers_zone(slot.zone))).date(), slot.starts_at


def interviews(slug: str) -> ResponseReturnValue:
    """The lab's times in a cycle, by day, and who waits for one."""
    lab = lab_i_read_for(slug)
    cycle = _cycle(lab)
    others = [other for other in cycles(db.session()) if other.closed_at is None and other is not cycle]
    times = lab_interviews(db.session(), lab, cycle, actor(), datetime.now(UTC)) if cycle else None
    return render_template("reviews/interviews.html", lab=lab, others=others, cycle=cycle, interviews=times)


def offer_interviews(slug: str) -> ResponseReturnValue:
    """Offer one time or a series."""
    lab = lab_i_read_for(slug)
    session, cycle = db.session(), or_404(_cycle(lab))
    zone = readers_zone(USUAL_ZONE if cycle.zone == ANYWHERE_ON_EARTH else cycle.zone)
    form = OfferForm(zone=zone, interviewer=actor().id)
    form.offer(readers_of(session, lab), zone_choices(zone))
    show = partial(render_template, "reviews/offer_interviews.html", lab=lab, cycle=cycle, form=form)
    if not form.validate_on_submit():
        page = show()
        return (page, 422) if form.is_submitted() else page
    now = datetime.now(UTC)
    interviewer = session.get_one(User, form.interviewer.data) if form.interviewer.data else None
    try:
        plan = form.plan(now)
        if form.shown.data != form.asked:
            form.shown.data = form.asked
            return show(plan=plan, weeks=weeks_of(plan))
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
    except Refusal as refusal:
        session.rollback()
        form.show_refusal(refusal, "times")
        return show(), 422
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
        return _slot_page(lab, slot, form, CancelForm(formdata=None)), 422 if form.is_submitted() else 200
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
    except Refusal as refusal:
        db.session.rollback()
        form.add_refusal(refusal)
        return _slot_page(lab, slot, form, CancelForm(formdata=None)), 422
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
        return _slot_page(lab, slot, moving, form), 422
    try:
        now, seen = datetime.now(UTC), form.seen_sequence
        cancel_slot(db.session(), slot, form.reason.data or "", actor=actor(), now=now, seen=seen)
    except Refusal as refusal:
        db.session.rollback()
        form.add_refusal(refusal)
        return _slot_page(lab, slot, moving, form), 422
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
        "reviews/interview_slot.html",
        lab=lab,
        slot=slot,
        zone=readers_zone(slot.zone),
        person=person,
        form=form,
        cancelling=cancelling,
    )


def _local(slot: InterviewSlot) -> datetime:
    """The slot's start on the reader's clock, or else in its own zone."""
    return slot.starts_at.astimezone(ZoneInfo(readers_zone(slot.zone))).replace(tzinfo=None)


def _cycle(lab: Lab) -> Cycle | None:
    """The cycle of the lab's other pages or, where nobody has chosen the lab yet, the newest that is running."""
    return chosen_cycle(lab) or next((cycle for cycle in cycles(db.session()) if cycle.closed_at is None), None)
