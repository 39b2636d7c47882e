"""The form of an application: labs in one's own order with a reason each, and the cycle's questions.

Two tabs that change the same draft are joined part by part: the order of the labs, the reason for each lab, and the
answer to each question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import MultiDict
from wtforms import Field, FormField, HiddenField, StringField, TextAreaField
from wtforms.validators import Length

from portal.applications.forms import (
    Difference,
    JoinedForm,
    Merged,
    NumberedRows,
    digests_in,
    fingerprint,
    merge_parts,
    one_line,
    refuse,
    running_text,
)
from portal.applications.submissions import (
    LONGEST_OF_REFEREE,
    ChosenLab,
    Draft,
    NamedReferee,
    most_characters,
    why_not_answer,
    why_not_reason,
)
from portal.web.forms import FormRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.models import Cycle, Lab


MOST_ROWS = 60  # rows that are read from a request; a cycle allows 50 labs
GONE = "This lab is not in the portal any more. Remove it."
_ROW = re.compile(r"(choices|answers)-(\d{1,4})-", re.ASCII)
ORDER, REFEREES = "order", "referees"


class ChoiceRow(FormRow):
    """One lab: its slug, and why."""

    lab = HiddenField()
    reason = TextAreaField("Why this lab", filters=[lambda text: running_text(text or "")])

    def validate_reason(self, field: Field) -> None:
        """Limit its length."""
        refuse(why_not_reason(field.data))


class AnswerRow(FormRow):
    """The answer to the question with this key."""

    key = HiddenField()
    text = TextAreaField("Answer", filters=[lambda text: running_text(text or "")])


class RefereeRow(FormRow):
    """A referee who is not asked yet."""

    name = StringField("Name", [Length(max=LONGEST_OF_REFEREE)], filters=[lambda text: one_line(text or "")])
    email = StringField("E-mail address", [Length(max=LONGEST_OF_REFEREE)], filters=[lambda text: one_line(text or "")])
    relation = StringField(
        "How they know you",
        [Length(max=LONGEST_OF_REFEREE)],
        filters=[lambda text: one_line(text or "")],
        description="For example: supervised my thesis. The labs read it beside the letter.",
    )


class ApplicationForm(JoinedForm):
    """The whole form."""

    choices = NumberedRows(FormField(ChoiceRow), "Labs", max_entries=MOST_ROWS)
    answers = NumberedRows(FormField(AnswerRow), "Questions", max_entries=MOST_ROWS)
    referees = NumberedRows(FormField(RefereeRow), "Referees", max_entries=MOST_ROWS)

    def check(self, cycle: Cycle, labs: Mapping[str, Lab]) -> bool:
        """Whether everything in it can be stored as a draft; errors stand beside their fields."""
        valid = bool(self.validate())
        for row in self.choices:
            if row.form.lab.data not in labs:
                row.form.reason.errors = [*row.form.reason.errors, GONE]
                valid = False
        for row in self.answers:
            reason = why_not_answer(cycle, row.form.key.data, row.form.text.data)
            if reason is not None:
                row.form.text.errors = [*row.form.text.errors, reason]
                valid = False
        return valid

    def draft(self, labs: Mapping[str, Lab]) -> Draft:
        """What the form says, without labs that are no longer in the portal."""
        chosen = tuple(
            ChosenLab(labs[row.form.lab.data].id, row.form.reason.data)
            for row in self.choices
            if row.form.lab.data in labs
        )
        answers = {row.form.key.data: row.form.text.data for row in self.answers if row.form.text.data}
        rows = [row.form for row in self.referees]
        named = [NamedReferee(row["name"].data, row.email.data, row.relation.data) for row in rows]
        return Draft(chosen, answers, tuple(referee for referee in named if any(referee)))

    def fields_with_errors(self) -> list[Field]:
        """The reasons and the answers."""
        rows = [*(row.form.reason for row in self.choices), *(row.form.text for row in self.answers)]
        return rows + [field for row in self.referees for field in row.form]


def opened_form(cycle: Cycle, draft: Draft, labs: Mapping[int, Lab], version: int) -> ApplicationForm:
    """The form for what is saved."""
    data = {
        "version": str(version),
        "opened_with": fingerprint(parts_of(draft)),
        "choices": [{"lab": labs[chosen.lab_id].slug, "reason": chosen.reason} for chosen in draft.labs],
        "answers": [
            {"key": question["key"], "text": draft.answers.get(question["key"], "")} for question in cycle.questions
        ],
        "referees": [referee._asdict() for referee in draft.referees],
    }
    return ApplicationForm(formdata=None, data=data)


def name_fields(form: ApplicationForm, labs: Mapping[str, Lab], cycle: Cycle) -> None:
    """Label every field with what it is about, for the list of errors."""
    for row in form.choices:
        lab = labs.get(row.form.lab.data)
        row.form.reason.label.text = f"Why {lab.name if lab else 'this lab'}"
    questions = {question["key"]: question["text"] for question in cycle.questions}
    for row in form.answers:
        row.form.text.label.text = questions.get(row.form.key.data, row.form.text.label.text)


def answer_rows(form: ApplicationForm, cycle: Cycle) -> list[tuple[Any, dict[str, Any], int]]:
    """The rows of the answers, each with its question and the most characters of an answer."""
    asked = zip(form.answers, cycle.questions, strict=False)
    return [(row, question, most_characters(question)) for row, question in asked]


def sent_form(sent: MultiDict[str, str], cycle: Cycle) -> ApplicationForm:
    """The form as it was sent, after applying the buttons that move, add or remove labs."""
    typed_form = ApplicationForm(formdata=sent)
    reasons = {row.form.lab.data or "": row.form.reason.data for row in reversed(list(typed_form.choices))}
    answers = {row.form.key.data: row.form.text.data for row in typed_form.answers}
    changed = MultiDict({name: value for name, value in sent.items() if not _ROW.match(name)})
    for number, slug in enumerate(arranged([row.form.lab.data or "" for row in typed_form.choices], sent)):
        changed[f"choices-{number}-lab"] = slug
        changed[f"choices-{number}-reason"] = reasons.get(slug, "")
    for number, question in enumerate(cycle.questions):
        changed[f"answers-{number}-key"] = question["key"]
        changed[f"answers-{number}-text"] = answers.get(question["key"]) or ""
    return ApplicationForm(formdata=changed)


def arranged(slugs: Sequence[str], sent: Mapping[str, Any]) -> list[str]:
    """The labs in the requested order, each once."""
    order = list(dict.fromkeys(slugs))
    for button, step in (("up", -1), ("down", 1)):
        slug = str(sent.get(button, ""))
        if slug in order:
            index = order.index(slug)
            order.insert(max(0, index + step), order.pop(index))
    if (removed := sent.get("remove")) in order:
        order.remove(str(removed))
    if (added := sent.get("add")) and added not in order:
        order.append(str(added))
    return order


def parts_of(draft: Draft) -> dict[str, str]:
    """The parts of a draft that two tabs may change: the order of the labs, each reason, each answer."""
    parts = {ORDER: ",".join(str(chosen.lab_id) for chosen in draft.labs)}
    parts |= {f"reason:{chosen.lab_id}": chosen.reason for chosen in draft.labs}
    if draft.referees:
        parts[REFEREES] = "\n".join(", ".join(filter(None, referee)) for referee in draft.referees)
    return parts | {f"answer:{key}": text for key, text in draft.answers.items() if text}


def merge(mine: Draft, theirs: Draft, opened_with: str) -> Merged[Draft]:
    """Join what a form says with what is saved by now, see `merge_parts`. A reason written here for a lab that was
    removed elsewhere keeps the lab and is in conflict, too.
    """
    merged = merge_parts(parts_of(mine), parts_of(theirs), opened_with)
    parts = merged.value
    order = [int(lab_id) for lab_id in parts[ORDER].split(",") if lab_id]
    opened = digests_in(opened_with) or {}
    now = digests_in(fingerprint(parts_of(mine))) or {}
    kept = [
        lab.lab_id
        for lab in mine.labs
        if lab.lab_id not in order and lab.reason and opened.get(part := f"reason:{lab.lab_id}") != now.get(part)
    ]
    answers = {part.partition(":")[2]: text for part, text in parts.items() if part.startswith("answer:") and text}
    labs = tuple(ChosenLab(lab_id, parts.get(f"reason:{lab_id}", "")) for lab_id in (*order, *kept))
    draft = Draft(labs, answers, (theirs if REFEREES in merged.from_elsewhere else mine).referees)
    conflicting = dict.fromkeys((*merged.conflicting, *(f"reason:{lab_id}" for lab_id in kept)))
    return Merged(draft, merged.from_elsewhere, tuple(conflicting))


def differences(theirs: Draft, parts: Sequence[str], cycle: Cycle, labs: Mapping[int, Lab]) -> list[Difference]:
    """What is saved of these parts, as text."""
    return [Difference(label_of(part, cycle, labs), _text(theirs, part, labs)) for part in parts]


def label_of(part: str, cycle: Cycle, labs: Mapping[int, Lab]) -> str:
    """What a part of a draft is about."""
    kind, _, key = part.partition(":")
    if kind in {ORDER, REFEREES}:
        return "Labs and their order" if kind == ORDER else "Referees"
    if kind == "reason":
        lab = labs.get(int(key))
        return f"Reason for {lab.name if lab else 'a lab that is gone'}"
    return next((str(question["text"]) for question in cycle.questions if question["key"] == key), key)


def _text(draft: Draft, part: str, labs: Mapping[int, Lab]) -> str:
    if part == ORDER:
        names = (labs[chosen.lab_id].name if chosen.lab_id in labs else "?" for chosen in draft.labs)
        text = "\n".join(f"{place}. {name}" for place, name in enumerate(names, start=1))
    else:
        text = parts_of(draft).get(part, "")
    return text or "Nothing"
