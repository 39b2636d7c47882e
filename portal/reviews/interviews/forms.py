"""The forms for a lab's interview times."""

from __future__ import annotations

import re
from datetime import datetime, time
from typing import TYPE_CHECKING, ClassVar

from wtforms import (
    DateField,
    DateTimeLocalField,
    HiddenField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
    ValidationError,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange, Optional
from wtforms.widgets import CheckboxInput, ListWidget

from portal.accounts.rules import TURNS_DIRECTION, turns_direction
from portal.applications.forms import refuse
from portal.applications.interviews.plan import FEWEST_MINUTES, MOST_MINUTES, Plan, why_not_days
from portal.moments import why_not_year
from portal.reviews.interviews.service import LONGEST_NOTE, LONGEST_WHERE, ChangedMeanwhile, ReasonMissing
from portal.web.forms import PortalForm
from portal.web.whole_numbers import WholeNumberField, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wtforms import Field

    from portal.models import Cycle, InterviewSlot, User
    from portal.reviews.interviews.service import About, SlotRefused

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
USUAL_MINUTES = 30
MOST_TIMES = 48
_CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})")
_LENGTH = f"An interview takes {FEWEST_MINUTES} to {MOST_MINUTES} minutes."


def _keep_to(field: Field, limit: int) -> None:
    length = len(field.data or "")
    if length > limit:
        raise ValidationError(f"Keep it to {limit:,} characters; this has {length:,}.")
    if "\0" in (field.data or ""):
        raise ValidationError("It contains a character that cannot be stored. Type it again.")


def _check_where(_form: object, field: Field) -> None:
    """At most what calendars show, in the direction in which it is read."""
    _keep_to(field, LONGEST_WHERE)
    refuse(TURNS_DIRECTION if turns_direction(field.data or "") else None)


def _check_note(_form: object, field: Field) -> None:
    _keep_to(field, LONGEST_NOTE)


class _TimesForm(PortalForm):
    """A form whose refusals stand beside the field that they are about; `FIELDS` names it."""

    FIELDS: ClassVar[dict[About, str]] = {}

    def add_refusal(self, refusal: SlotRefused) -> None:
        """Say why nothing was offered or changed."""
        self.show_refusal(refusal, self.FIELDS.get(refusal.about))


class OfferForm(_TimesForm):
    """One time or a series."""

    FIELDS: ClassVar[dict[About, str]] = {"day": "first", "times": "times"}

    cycle = SelectField("Cycle", coerce=int)
    first = DateField("First day", [InputRequired("Choose a day.")], description="Or the only one.")
    last = DateField("Last day", [Optional()], description="Leave it empty for one day.")
    weekdays = SelectMultipleField(
        "Days of the week",
        choices=[SelectChoice(str(number), name) for number, name in enumerate(WEEKDAYS)],
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
        description="None means every day.",
    )
    times = StringField(
        "Times of day", [InputRequired("Give a time, such as 14:00.")], description="For example 10:00, 10:30, 14:00."
    )
    minutes = WholeNumberField(
        "Minutes",
        [InputRequired(_LENGTH), NumberRange(FEWEST_MINUTES, MOST_MINUTES, _LENGTH)],
        default=USUAL_MINUTES,
        description="How long each interview takes.",
    )
    zone = SelectField("Time zone", description="The times of day stay the same when summer time begins or ends.")
    where = StringField(
        "Where", [_check_where], description="A room, or the link of a call. Only whoever picks the time sees it."
    )
    interviewer = SelectField("Who interviews", coerce=int, description="They get the mails and calendar entries.")
    note = TextAreaField("Note for the lab", [_check_note])

    def offer(self, cycles: Sequence[Cycle], people: Sequence[User], zones: Sequence[tuple[str, str]]) -> None:
        """Set the choices of the select fields."""
        self.cycle.choices = [SelectChoice(cycle.id, cycle.name) for cycle in cycles]
        self.interviewer.choices = [
            *(SelectChoice(person.id, person.display_name) for person in people),
            SelectChoice(0, "Nobody in particular: all who read for the lab"),
        ]
        self.zone.choices = [SelectChoice(name, label) for name, label in zones]

    def validate_first(self, field: Field) -> None:
        """A day of these years."""
        refuse(why_not_year(field.data) if field.data else None)

    def validate_last(self, field: Field) -> None:
        """Not before the first day, and at most a year after it."""
        if field.data and self.first.data:
            refuse(why_not_year(field.data) or why_not_days(self.first.data, field.data))

    def validate_times(self, field: Field) -> None:
        """Times of day, separated by commas or spaces."""
        times_in(field.data or "")

    def plan(self) -> Plan:
        """The plan that was filled in."""
        return Plan(
            first=self.first.data,
            last=self.last.data or self.first.data,
            weekdays=frozenset(map(int, self.weekdays.data or ())) if self.last.data else frozenset(),
            times=times_in(self.times.data),
            minutes=self.minutes.data,
            zone=self.zone.data,
        )


class _SlotForm(_TimesForm):
    """A form about one time. It carries the sequence number of the slot that its page shows."""

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
        super().add_refusal(refusal)
        if isinstance(refusal, ChangedMeanwhile):
            self.seen.data = ""


class MoveForm(_SlotForm):
    """A new start, length or place of one time."""

    FIELDS: ClassVar[dict[About, str]] = {"day": "begins", "times": "begins"}

    begins = DateTimeLocalField("Begins", [InputRequired("Choose a day and a time.")])
    minutes = WholeNumberField("Minutes", [InputRequired(_LENGTH), NumberRange(FEWEST_MINUTES, MOST_MINUTES, _LENGTH)])
    where = StringField("Where", [_check_where])

    def show(self, slot: InterviewSlot, local: datetime) -> None:
        """Fill in the slot's present values."""
        self.begins.data, self.minutes.data, self.where.data = local, slot.minutes, slot.where


class CancelForm(_SlotForm):
    """Why a time is cancelled."""

    reason = TextAreaField(
        "Reason", [_check_note], description="Whoever picked the time reads it, and the lab sees it with the time."
    )

    def add_refusal(self, refusal: SlotRefused) -> None:
        """Say why nothing was changed; beside the field if that is empty."""
        if isinstance(refusal, ReasonMissing):
            self.show_refusal(refusal, "reason")
        else:
            super().add_refusal(refusal)


def times_in(text: str) -> tuple[time, ...]:
    """The times of day in a text such as "10:00, 14.30".

    Raises:
        ValidationError: A word is not a time; the message quotes it.
    """
    words = [word for word in re.split(r"[\s,;]+", text) if word]
    if len(words) > MOST_TIMES:
        raise ValidationError(f"Give at most {MOST_TIMES} times of day.")
    return tuple(sorted({_time_in(word) for word in words}))


def _time_in(word: str) -> time:
    match = _CLOCK.fullmatch(word) if word.isascii() else None
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:  # noqa: PLR2004  (hours and minutes)
        raise ValidationError(f"“{word[:20]}” is not a time of day. Write it like 14:00.")
    return time(int(match[1]), int(match[2]))
