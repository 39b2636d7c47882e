"""The form of interests; two tabs that change it are merged part by part."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wtforms import (
    BooleanField,
    Field,
    FieldList,
    FloatField,
    FormField,
    SelectMultipleField,
    StringField,
    TextAreaField,
    ValidationError,
)
from wtforms.validators import Length
from wtforms.widgets import CheckboxInput, ListWidget, NumberInput

from portal.applications.forms import (
    Difference,
    JoinedForm,
    Merged,
    NumberedRows,
    fingerprint,
    merge_parts,
    one_line,
    refuse,
    running_text,
)
from portal.applications.interests import service as rules
from portal.applications.interests.service import FACETS, Stated, value_in_words
from portal.matching import Topic
from portal.web.forms import FormRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


FOUND_BY_OTHERS = "Other labs may find me, too"
LABELS = {
    "topics": "Topics",
    "statement": "Statement",
    "education": "Education",
    "facets": "What the lab should have",
    "discoverable": "Whether other labs may find you",
}
USUAL_WEIGHT = 1.0
MOST_ROWS = 40  # rows of topics that are read from a request, filled or not


def parts_of(stated: Stated) -> dict[str, str]:
    """The parts of interests that two tabs may change, each as a text that people compare."""
    return {
        "topics": "\n".join(f"{topic.text} (weight {topic.weight:g})" for topic in stated.topics),
        "statement": stated.statement,
        "education": stated.education,
        "facets": "\n".join(
            f"{facet.capitalize()}: {', '.join(value_in_words(facet, value) for value in values)}"
            for facet, values in sorted(stated.facets.items())
        ),
        "discoverable": FOUND_BY_OTHERS if stated.discoverable else "",
    }


def merge(mine: Stated, theirs: Stated, opened_with: str) -> Merged[Stated]:
    """Join what a form says with what is saved by now, see `merge_parts`. The weight of the resume is the saved one."""
    merged = merge_parts(parts_of(mine), parts_of(theirs), opened_with)
    changed = {part: getattr(theirs, part) for part in merged.from_elsewhere}
    stated = replace(mine, resume_weight=theirs.resume_weight, **changed)
    return Merged(stated, merged.from_elsewhere, merged.conflicting)


def differences(theirs: Stated, parts: Sequence[str]) -> list[Difference]:
    """What is saved of these parts, as text."""
    nothing = {"discoverable": "Only labs I share with or apply to can see me"}
    saved = parts_of(theirs)
    return [Difference(LABELS[part], saved[part] or nothing.get(part, "Nothing")) for part in parts]


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
        value = rules.weight_in(typed) if typed else USUAL_WEIGHT
        self.data = None if math.isnan(value) else value
        if self.data is None:
            raise ValueError(rules.why_not_weight(value))


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


class WantedFacet(FormRow):
    """What is wanted of one facet: a box for each value that labs state."""

    values = SelectMultipleField(
        widget=ListWidget(prefix_label=False), option_widget=CheckboxInput(), validate_choice=False
    )

    def offer(self, facet: str, counts: Mapping[str, int], wanted: Sequence[str]) -> None:
        """Offer the values that labs state and those that are wanted already, even if no lab states them now."""
        self.values.choices = [
            (value, _offered(value_in_words(facet, value), counts.get(value, 0)))
            for value in dict.fromkeys((*wanted, *counts))
        ]

    def validate_values(self, field: Field) -> None:
        """Refuse values that no lab states."""
        known = {value for value, _ in field.choices}
        unknown = next((value for value in field.data or () if value not in known), None)
        if unknown is not None:
            raise ValidationError(f"No lab states “{unknown[:100]}”. Choose among the values that labs state.")
        refuse(rules.why_not_facet(self.wanted()))

    def wanted(self) -> tuple[str, ...]:
        """All wanted values."""
        return tuple(dict.fromkeys(self.values.data or ()))


class InterestsForm(JoinedForm):
    """Everything that an applicant states."""

    topics = NumberedRows(FormField(TopicRow), max_entries=MOST_ROWS)
    statement = TextAreaField(
        "What you would like to find out, what you have done so far, what you can do well",
        filters=[lambda text: running_text(text or "")],
    )
    education = StringField(
        "Education and current institution",
        [Length(max=300, message="Keep it to 300 characters.")],
        filters=[lambda text: " ".join(running_text(text or "").split())],
        description="Labs read it below your name. Left empty, they read what your resume says.",
    )
    degree = FormField(WantedFacet, "Degree")
    hardware = FormField(WantedFacet, "Hardware")
    place = FormField(WantedFacet, "Place")
    start = FormField(WantedFacet, "Start")
    funding = FormField(WantedFacet, "Funding")
    discoverable = BooleanField(FOUND_BY_OTHERS)

    def offer(self, values: Mapping[str, Mapping[str, int]], wanted: Mapping[str, Sequence[str]]) -> None:
        """Set what can be chosen of each facet."""
        for name in FACETS:
            self[name].form.offer(name, values[name], wanted.get(name, ()))

    def facets(self) -> list[FormField]:
        """The fields of the facets for which there is something to choose."""
        return [self[name] for name in FACETS if self[name].form.values.choices]

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
            education=self.education.data,
            facets={name: wanted for name in FACETS if (wanted := self[name].form.wanted())},
            discoverable=self.discoverable.data,
        )

    def fields_with_errors(self) -> list[Field]:
        """The statement, each topic with its weight, and the facets."""
        topics = [field for row in self.topics for field in (row.form.text, row.form.weight)]
        return [self.statement, self.education, *topics, *(self[name].form["values"] for name in FACETS)]


def form_data(stated: Stated, version: int) -> dict[str, Any]:
    """What the interests form shows for stored interests, with one empty row for another topic."""
    rows = [{"text": topic.text, "weight": topic.weight} for topic in stated.topics]
    if len(rows) < rules.MOST_TOPICS:
        rows.append({"text": "", "weight": USUAL_WEIGHT})
    return {
        "version": str(version),
        "opened_with": fingerprint(parts_of(stated)),
        "topics": rows,
        "statement": stated.statement,
        "education": stated.education,
        "discoverable": stated.discoverable,
        **{name: {"values": list(stated.facets.get(name, ()))} for name in FACETS},
    }


def _offered(value: str, labs: int) -> str:
    if labs == 0:
        return f"{value} (no lab states this now)"
    return f"{value} ({labs:,} {'lab' if labs == 1 else 'labs'})"
