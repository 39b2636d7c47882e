"""The form of interests; two tabs that change it are merged part by part."""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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

from portal.applications.forms import Difference, NumberedRows, one_line, refuse, running_text
from portal.applications.interests import rules
from portal.applications.interests.rules import PARTS, Part, Stated, differing_parts, value_in_words
from portal.applications.interests.service import FACETS, FacetValue
from portal.matching import Topic
from portal.web.forms import FormRow, PortalForm, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.applications.forms import Side


FOUND_BY_OTHERS = "Other labs may find me, too"
LABELS: dict[Part, str] = {
    "topics": "Topics",
    "statement": "Statement",
    "facets": "What the lab should have",
    "discoverable": "Whether other labs may find you",
}
USUAL_WEIGHT = 1.0
MOST_ROWS = 40  # rows of topics that are read from a request, filled or not
MOST_SHOWN = 20  # values of a facet that are offered as boxes; further ones are typed


@dataclass(frozen=True, slots=True)
class Merged:
    """What to save, the parts that were changed elsewhere and stay changed, and the parts that both sides changed."""

    stated: Stated
    from_elsewhere: tuple[Part, ...] = ()
    conflicting: tuple[Part, ...] = ()


def fingerprint(stated: Stated) -> str:
    """What a form remembers of the interests that it was opened with: a digest of each part, in their order."""
    return ".".join(_digest(stated, part) for part in PARTS)


def merge(mine: Stated, theirs: Stated, opened_with: str, chosen: Mapping[Part, Side]) -> Merged:
    """Join what a form says with what is saved by now.

    A part that only one side changed since the form was opened is taken from that side. A part that both changed
    is in conflict, and stays mine, unless it is in `chosen`. Where `opened_with` is no `fingerprint`, every part
    counts as changed by both.
    """
    opened_digests = opened_with.split(".")
    merged = replace(mine, resume_weight=theirs.resume_weight)
    from_elsewhere: list[Part] = []
    conflicting: list[Part] = []
    for part in differing_parts(merged, theirs):
        opened_digest = opened_digests[PARTS.index(part)] if len(opened_digests) == len(PARTS) else ""
        side = chosen.get(part) or _only_changed_by(opened_digest, _digest(mine, part), _digest(theirs, part))
        if side == "theirs":
            merged = merged.with_part_of(theirs, part)
            from_elsewhere.append(part)
        elif side is None:
            conflicting.append(part)
    return Merged(merged, tuple(from_elsewhere), tuple(conflicting))


def differences(mine: Stated, theirs: Stated, parts: tuple[Part, ...]) -> list[Difference]:
    """Both versions of `parts` as text."""
    return [Difference(part, LABELS[part], _as_text(mine, part), _as_text(theirs, part)) for part in parts]


def choices_in(sent: Mapping[str, str]) -> dict[Part, Side]:
    """The side that a person chose for each part of which they saw both versions."""
    chosen: dict[Part, Side] = {}
    for part in PARTS:
        match sent.get(f"take-{part}"):
            case "mine":
                chosen[part] = "mine"
            case "theirs":
                chosen[part] = "theirs"
            case _:
                pass
    return chosen


def in_words(parts: tuple[Part, ...]) -> str:
    """The parts as a list in a sentence."""
    return ", ".join(LABELS[part][0].lower() + LABELS[part][1:] for part in parts)


def _only_changed_by(before: str, mine: str, theirs: str) -> Side | None:
    if mine == before:
        return "theirs"
    return "mine" if theirs == before else None


def _digest(stated: Stated, part: Part) -> str:
    match part:
        case "topics":
            value: object = [(topic.text, topic.weight) for topic in stated.topics]
        case "statement":
            value = stated.statement
        case "facets":
            value = sorted((name, list(values)) for name, values in stated.facets.items())
        case "discoverable":
            value = stated.discoverable
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _as_text(stated: Stated, part: Part) -> str:
    match part:
        case "topics":
            text = "\n".join(f"{topic.text} (weight {topic.weight:g})" for topic in stated.topics)
        case "statement":
            text = stated.statement
        case "facets":
            text = "\n".join(
                f"{facet.capitalize()}: {', '.join(value_in_words(facet, value) for value in values)}"
                for facet, values in stated.facets.items()
            )
        case "discoverable":
            text = FOUND_BY_OTHERS if stated.discoverable else "Only labs I share with or apply to can see me"
    return text or "Nothing"


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
