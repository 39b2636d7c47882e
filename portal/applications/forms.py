"""The applicant's forms."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from flask_wtf.file import FileField
from wtforms import (
    BooleanField,
    Field,
    FieldList,
    FloatField,
    FormField,
    HiddenField,
    SelectMultipleField,
    StringField,
    TextAreaField,
    ValidationError,
)
from wtforms.widgets import CheckboxInput, ListWidget, NumberInput

from portal.applications import rules
from portal.applications.conflicts import FOUND_BY_OTHERS, fingerprint
from portal.applications.facet_names import value_in_words
from portal.applications.queries import FACETS, FacetValue
from portal.applications.stated import Stated, one_line, running_text
from portal.matching import Topic
from portal.web.forms import FormRow, PortalForm
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

USUAL_WEIGHT = 1.0
MOST_ROWS = 40  # rows of topics that are read from a request, filled or not
MOST_SHOWN = 20  # values of a facet that are offered as boxes; further ones are typed
LAST_ROW = 9_999  # as rows are numbered in names of fields


class WeightField(FloatField):  # type: ignore[misc]  # the library has no types
    """A number of 0 or more. A decimal comma is accepted; an empty field means the usual weight."""

    widget = NumberInput(min=0, max=rules.HEAVIEST_TOPIC, step=0.1)
    data: float | None

    def _value(self) -> str:
        """The text in the field: what was typed, otherwise the number without trailing zeros."""
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else f"{self.data:g}"

    def process_formdata(self, valuelist: list[str]) -> None:
        """Parse what was typed; text that is not a number stays in the field, with an error beside it."""
        typed = valuelist[0].strip() if valuelist else ""
        if not typed:
            self.data = USUAL_WEIGHT
            return
        try:
            self.data = round(float(typed.replace(",", ".")), 2)
        except ValueError:
            self.data = None
            raise ValueError(rules.why_not_weight(float("nan"))) from None


class TopicRow(FormRow):
    """One topic with its weight."""

    text = StringField("Topic", filters=[lambda text: one_line(text or "")])
    weight = WeightField("Weight", default=USUAL_WEIGHT)

    def validate_weight(self, field: Field) -> None:
        """Check the weight; in a row without a topic it is ignored."""
        if not self.text.data:
            field.errors = []
        elif field.data is not None:
            refuse(rules.why_not_weight(field.data))

    def usable_weight(self) -> float:
        """The weight, or the usual one where what was typed cannot be used."""
        weight: float | None = self.weight.data
        return USUAL_WEIGHT if weight is None or rules.why_not_weight(weight) else weight


class NumberedRows(FieldList):  # type: ignore[misc]  # the library has no types
    """Rows of a list; field names that none of our forms has are ignored."""

    def _extract_indices(self, prefix: str, formdata: Mapping[str, Any]) -> Iterator[int]:
        for name in formdata:
            list_name, _, remainder = name.partition("-")
            number = whole_number(remainder.partition("-")[0])
            if list_name == prefix and number is not None and number <= LAST_ROW:
                yield number


class WantedFacet(FormRow):
    """What is wanted of one facet: boxes for the values that labs state, and a line for a rarer one."""

    values = SelectMultipleField(
        widget=ListWidget(prefix_label=False), option_widget=CheckboxInput(), validate_choice=False
    )
    other = StringField("Another value", filters=[lambda text: one_line(text or "")])
    known: Mapping[str, str] = {}

    def offer(self, facet: str, values: Sequence[FacetValue], wanted: Sequence[str]) -> None:
        """Offer the most frequent values and those that are wanted already, even if no lab states them now."""
        counts = {value.value: value.labs for value in values}
        self.known = {value.casefold(): value for value in (*wanted, *counts)}
        shown = dict.fromkeys((*wanted, *list(counts)[:MOST_SHOWN]))
        self.values.choices = [(value, _offered(value_in_words(facet, value), counts.get(value, 0))) for value in shown]
        self.rarer = [value for value in counts if value not in shown]

    def validate_values(self, field: Field) -> None:
        """Refuse values that no lab states."""
        for value in field.data or ():
            if value not in self.known.values():
                raise ValidationError(self._unknown(value))
        refuse(rules.why_not_facet(self.wanted()))

    def validate_other(self, field: Field) -> None:
        """Refuse a typed value that no lab states; case does not matter."""
        if field.data and field.data.casefold() not in self.known:
            raise ValidationError(self._unknown(field.data))

    def wanted(self) -> tuple[str, ...]:
        """All wanted values, the typed one last."""
        typed = self.known.get(self.other.data.casefold()) if self.other.data else None
        return tuple(dict.fromkeys((*(self.values.data or ()), *([typed] if typed else ()))))

    def _unknown(self, value: str) -> str:
        suggestions = difflib.get_close_matches(value.casefold(), self.known, n=3) or list(self.known)[:5]
        names = ", ".join(self.known[key] for key in suggestions)
        return f"No lab states “{value[:100]}”. " + (f"Labs state: {names}." if names else "Leave this empty.")


class InterestsForm(PortalForm):
    """Everything that an applicant states."""

    version = HiddenField(default="0")
    opened_with = HiddenField(default="")
    topics = NumberedRows(FormField(TopicRow), max_entries=MOST_ROWS)
    statement = TextAreaField(
        "What you would like to find out, what you have done so far, what you can do well",
        filters=[lambda text: running_text(text or "")],
    )
    degree = FormField(WantedFacet, "Degree")
    hardware = FormField(WantedFacet, "Hardware")
    place = FormField(WantedFacet, "Place")
    start = FormField(WantedFacet, "Start")
    funding = FormField(WantedFacet, "Funding")
    discoverable = BooleanField(FOUND_BY_OTHERS)

    def offer(self, values: Mapping[str, Sequence[FacetValue]], wanted: Mapping[str, Sequence[str]]) -> None:
        """Set what can be chosen of each facet."""
        for name in FACETS:
            self[name].form.offer(name, values[name], wanted.get(name, ()))

    def facets(self) -> list[FormField]:
        """The fields of the facets for which there is something to choose."""
        return [self[name] for name in FACETS if self[name].form.known]

    def validate_topics(self, field: FieldList) -> None:
        """Check each topic against those before it; the error is put on the row of the topic."""
        before: list[str] = []
        for row in field:
            text = row.form.text
            if not text.data:
                continue
            reason = rules.why_not_topic(text.data, before=before)
            if reason is not None:
                text.errors = [*text.errors, reason]
            before.append(text.data)
        if any(row.form.text.errors for row in field):
            raise ValidationError("Some topics cannot be saved as they are.")

    def validate_statement(self, field: Field) -> None:
        """Limit its length."""
        refuse(rules.why_not_statement(field.data))

    def stated(self) -> Stated:
        """The content of the form. Save it only if `validate` passed: an unusable weight is read as the usual one."""
        return Stated(
            topics=tuple(
                Topic(row.form.text.data, row.form.usable_weight()) for row in self.topics if row.form.text.data
            ),
            statement=self.statement.data,
            facets={name: wanted for name in FACETS if (wanted := self[name].form.wanted())},
            discoverable=self.discoverable.data,
        )

    def base(self) -> int:
        """The version that the form was opened with; 0, which is never saved, if the field is no number."""
        return whole_number(self.version.data or "") or 0

    def errors_by_field(self) -> dict[str, list[str]]:
        """Every error by the name of the field it stands beside."""
        fields: list[Field] = [self.statement]
        for row in self.topics:
            fields.extend((row.form.text, row.form.weight))
        for name in FACETS:
            fields.extend((self[name].form["values"], self[name].form.other))
        return {field.name: [str(error) for error in field.errors] for field in fields if field.errors}


class ResumeForm(PortalForm):
    """A file or pasted text; the button that was pressed says which of the two is meant."""

    resume = FileField("Resume file")
    text = TextAreaField("Text of your resume", filters=[lambda text: running_text(text or "")])


def form_data(stated: Stated, version: int) -> dict[str, Any]:
    """What the interests form shows for stored interests, with one empty row for another topic."""
    rows = [{"text": topic.text, "weight": topic.weight} for topic in stated.topics]
    if len(rows) < rules.MOST_TOPICS:
        rows.append({"text": "", "weight": USUAL_WEIGHT})
    return {
        "version": str(version),
        "opened_with": fingerprint(stated),
        "topics": rows,
        "statement": stated.statement,
        "discoverable": stated.discoverable,
        **{name: {"values": list(stated.facets.get(name, ()))} for name in FACETS},
    }


def _offered(value: str, labs: int) -> str:
    if labs == 0:
        return f"{value} (no lab states this now)"
    return f"{value} ({labs:,} {'lab' if labs == 1 else 'labs'})"


def refuse(reason: str | None) -> None:
    """Raise `ValidationError` if a rule gave a reason."""
    if reason is not None:
        raise ValidationError(reason)
