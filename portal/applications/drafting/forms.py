"""The form of an application: labs in one's own order with a reason each, and the cycle's questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import MultiDict
from wtforms import Field, FormField, HiddenField, StringField, TextAreaField
from wtforms.widgets import NumberInput

from portal.applications.content.choosing import ChosenLab, Draft
from portal.applications.content.rules import LONGEST_ANSWER, why_not_answer, why_not_reason
from portal.applications.drafting.conflicts import fingerprint
from portal.applications.forms import NumberedRows, refuse
from portal.applications.stated import one_line, running_text
from portal.web.forms import FormRow, PortalForm
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.models import Cycle, Lab

LAST_PLACE = 999  # that can be typed
MOST_ROWS = 60  # rows that are read from a request; a cycle allows 50 labs
GONE = "This lab is not in the portal any more. Remove it."
_ROW = re.compile(r"(choices|answers)-(\d{1,4})-", re.ASCII)


class ChoiceRow(FormRow):
    """One lab: its slug, the place its applicant gives it, and why."""

    lab = HiddenField()
    position = StringField("Place", widget=NumberInput(min=1, step=1), filters=[lambda text: one_line(text or "")])
    reason = TextAreaField("Why this lab", filters=[lambda text: running_text(text or "")])

    def validate_reason(self, field: Field) -> None:
        """Limit its length."""
        refuse(why_not_reason(field.data))


class AnswerRow(FormRow):
    """The answer to the question with this key. `asked` is the question's text, in case it is removed from the form
    meanwhile.
    """

    key = HiddenField()
    asked = HiddenField()
    text = TextAreaField("Answer", filters=[lambda text: running_text(text or "")])


class ApplicationForm(PortalForm):
    """The whole form. `version` and `opened_with` say what it was opened with."""

    version = HiddenField(default="0")
    opened_with = HiddenField(default="")
    choices = NumberedRows(FormField(ChoiceRow), "Labs", max_entries=MOST_ROWS)
    answers = NumberedRows(FormField(AnswerRow), "Questions", max_entries=MOST_ROWS)

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
        return Draft(chosen, {row.form.key.data: row.form.text.data for row in self.answers if row.form.text.data})

    def base(self) -> int:
        """The version that the form was opened with; 0, which no saved draft has, if the field is no number."""
        return whole_number(self.version.data or "") or 0

    def errors_by_field(self) -> dict[str, list[str]]:
        """Every error by the name of the field it stands beside."""
        fields: list[Field] = [row.form.reason for row in self.choices]
        fields += [row.form.text for row in self.answers]
        return {field.name: [str(error) for error in field.errors] for field in fields if field.errors}

    def first_error(self) -> str:
        """The reason, where there is room for only one."""
        errors = [error for errors in self.errors_by_field().values() for error in errors]
        errors += [error for error in self.choices.errors if isinstance(error, str)]
        return errors[0] if errors else "Something needs to be corrected."


def opened_form(cycle: Cycle, draft: Draft, labs: Mapping[int, Lab], version: int) -> ApplicationForm:
    """The form for what is saved."""
    data = {
        "version": str(version),
        "opened_with": fingerprint(draft),
        "choices": [
            {"lab": labs[chosen.lab_id].slug, "position": str(place), "reason": chosen.reason}
            for place, chosen in enumerate(draft.labs, start=1)
        ],
        "answers": [
            {"key": question["key"], "asked": question["text"], "text": draft.answers.get(question["key"], "")}
            for question in cycle.questions
        ],
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
    """The form as it was sent, after applying the buttons and numbers that move, add or remove labs."""
    typed_form = ApplicationForm(formdata=sent)
    rows = [(row.form.lab.data or "", row.form.reason.data, row.form.position.data) for row in typed_form.choices]
    order = arranged([slug for slug, _reason, _place in rows], [place for _slug, _reason, place in rows], sent)
    reasons = {slug: reason for slug, reason, _place in reversed(rows)}
    answers = {row.form.key.data: row.form.text.data for row in typed_form.answers}
    changed = MultiDict({name: value for name, value in sent.items() if not _ROW.match(name)})
    for number, slug in enumerate(order):
        changed[f"choices-{number}-lab"] = slug
        changed[f"choices-{number}-position"] = str(number + 1)
        changed[f"choices-{number}-reason"] = reasons.get(slug, "")
    for number, question in enumerate(cycle.questions):
        changed[f"answers-{number}-key"] = question["key"]
        changed[f"answers-{number}-asked"] = question["text"]
        changed[f"answers-{number}-text"] = answers.get(question["key"]) or ""
    return ApplicationForm(formdata=changed)


def arranged(slugs: Sequence[str], places: Sequence[str], sent: Mapping[str, Any]) -> list[str]:
    """The labs in the requested order, each once: first those whose number was changed, then the button."""
    unmoved = [
        slug for slug, place in zip(slugs, places, strict=True) if _place(place) in {None, slugs.index(slug) + 1}
    ]
    moved = [(_place(place), slug) for slug, place in zip(slugs, places, strict=True) if slug not in unmoved]
    order = list(dict.fromkeys(unmoved))
    for place, slug in sorted(moved, key=lambda pair: pair[0] or 0):
        if slug not in order:
            order.insert((place or 1) - 1, slug)
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


def most_characters(question: Mapping[str, Any]) -> int:
    """How long an answer may be."""
    return int(question.get("most") or LONGEST_ANSWER)


def _place(typed: str) -> int | None:
    """The position that was typed; None if it is not a valid one."""
    return number if (number := whole_number(typed)) and number <= LAST_PLACE else None
