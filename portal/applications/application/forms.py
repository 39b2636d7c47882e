"""The form of an application: labs in one's own order with a reason each, and the cycle's questions.

Two tabs that change the same draft are joined part by part: the order of the labs, the reason for each lab, and the
answer to each question.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import MultiDict
from wtforms import Field, FormField, HiddenField, StringField, TextAreaField
from wtforms.widgets import NumberInput

from portal.applications.checklist import LONGEST_ANSWER, why_not_answer, why_not_reason
from portal.applications.forms import Difference, NumberedRows, one_line, refuse, running_text
from portal.applications.locks import locked_application
from portal.applications.submissions import ChosenLab, Draft
from portal.web.forms import FormRow, PortalForm, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.applications.forms import Side
    from portal.models import Application, Cycle, Lab


LAST_PLACE = 999  # that can be typed
MOST_ROWS = 60  # rows that are read from a request; a cycle allows 50 labs
GONE = "This lab is not in the portal any more. Remove it."
_ROW = re.compile(r"(choices|answers)-(\d{1,4})-", re.ASCII)
ORDER = "order"
TAKE = "take-"
LONGEST_FINGERPRINT = 20_000  # characters; none of our forms writes more
MOST_KEPT = 40  # questions of one application
LONGEST_KEY = 100  # characters
LONGEST_QUESTION = 500
LONGEST_KEPT = 20_000


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


@dataclass(frozen=True, slots=True)
class Merged:
    """What to save, the parts that were changed elsewhere and stay changed, and the parts that both sides changed."""

    draft: Draft
    from_elsewhere: tuple[str, ...] = ()
    conflicting: tuple[str, ...] = ()


def fingerprint(draft: Draft) -> str:
    """What a form remembers of the draft that it was opened with: a digest of each part that is not empty."""
    return json.dumps({part: _digest(value) for part, value in _parts(draft).items() if value}, ensure_ascii=False)


def merge(mine: Draft, theirs: Draft, opened_with: str, chosen: Mapping[str, Side]) -> Merged:
    """Join what a form says with what is saved by now.

    A part that only one side changed since the form was opened is taken from that side. A part that both changed
    is in conflict, and stays mine, unless it is in `chosen`. Where `opened_with` is no `fingerprint`, every part counts
    as changed by both. A reason written here for a lab that was removed elsewhere is in conflict, too; keeping the
    reason keeps the lab.
    """
    opened_digests = _read(opened_with)
    my_parts, their_parts = _parts(mine), _parts(theirs)
    joined: dict[str, str] = {}
    from_elsewhere: list[str] = []
    conflicting: list[str] = []
    for part in dict.fromkeys((*my_parts, *their_parts)):
        my_value, their_value = my_parts.get(part, ""), their_parts.get(part, "")
        joined[part] = my_value
        if my_value == their_value:
            continue
        side = chosen.get(part) or _only_changed_by(opened_digests, part, my_value, their_value)
        if side == "theirs":
            joined[part] = their_value
            from_elsewhere.append(part)
        elif side is None:
            conflicting.append(part)
    conflicting += _reasons_of_removed_labs(joined, mine, opened_digests or {}, (*chosen, *conflicting))
    return Merged(_draft(joined, mine, chosen), tuple(from_elsewhere), tuple(conflicting))


def differences(
    mine: Draft, theirs: Draft, parts: Sequence[str], cycle: Cycle, labs: Mapping[int, Lab]
) -> list[Difference]:
    """Both versions of `parts` as text."""
    return [
        Difference(part, _label(part, cycle, labs), _text(mine, part, labs), _text(theirs, part, labs))
        for part in parts
    ]


def chosen_in(sent: Mapping[str, str]) -> dict[str, Side]:
    """The side that a person chose for each part, if they saw both versions of it."""
    chosen: dict[str, Side] = {}
    for name, value in sent.items():
        if name.startswith(TAKE) and value in {"mine", "theirs"}:
            chosen[name.removeprefix(TAKE)] = "mine" if value == "mine" else "theirs"
    return chosen


def in_words(parts: Sequence[str], cycle: Cycle, labs: Mapping[int, Lab]) -> str:
    """The parts as a list within a sentence."""
    labels = (_label(part, cycle, labs) for part in parts)
    return "; ".join(label[0].lower() + label[1:] for label in labels)


def _parts(draft: Draft) -> dict[str, str]:
    parts = {ORDER: ",".join(str(chosen.lab_id) for chosen in draft.labs)}
    parts |= {f"reason:{chosen.lab_id}": chosen.reason for chosen in draft.labs}
    return parts | {f"answer:{key}": text for key, text in draft.answers.items() if text}


def _draft(parts: Mapping[str, str], mine: Draft, chosen: Mapping[str, Side]) -> Draft:
    order = [int(lab_id) for lab_id in parts[ORDER].split(",") if lab_id]
    kept_lab_ids = [lab.lab_id for lab in mine.labs if chosen.get(f"reason:{lab.lab_id}") == "mine"]
    order = list(dict.fromkeys((*order, *kept_lab_ids)))
    answers = {part.partition(":")[2]: text for part, text in parts.items() if part.startswith("answer:") and text}
    return Draft(tuple(ChosenLab(lab_id, parts.get(f"reason:{lab_id}", "")) for lab_id in order), answers)


def _reasons_of_removed_labs(
    joined: Mapping[str, str], mine: Draft, opened_digests: Mapping[str, str], decided: Sequence[str]
) -> list[str]:
    """The reasons that were written here for labs that have since been removed."""
    ordered_ids = joined[ORDER].split(",")
    reasons = {
        f"reason:{lab.lab_id}": lab.reason for lab in mine.labs if lab.reason and str(lab.lab_id) not in ordered_ids
    }
    return [part for part, text in reasons.items() if part not in decided and opened_digests.get(part) != _digest(text)]


def _only_changed_by(before: Mapping[str, str] | None, part: str, mine: str, theirs: str) -> Side | None:
    if before is None:
        return None
    opened_digest = before.get(part, "")
    if opened_digest == (_digest(mine) if mine else ""):
        return "theirs"
    return "mine" if opened_digest == (_digest(theirs) if theirs else "") else None


def _read(opened_with: str) -> dict[str, str] | None:
    if len(opened_with) > LONGEST_FINGERPRINT:
        return None
    try:
        digests = json.loads(opened_with)
    except (ValueError, RecursionError):
        return None
    if not isinstance(digests, dict):
        return None
    return {part: digest for part, digest in digests.items() if isinstance(digest, str)}


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:12]


def _label(part: str, cycle: Cycle, labs: Mapping[int, Lab]) -> str:
    kind, _, key = part.partition(":")
    if kind == ORDER:
        return "Labs and their order"
    if kind == "reason":
        lab = labs.get(int(key))
        return f"Reason for {lab.name if lab else 'a lab that is gone'}"
    return next((str(question["text"]) for question in cycle.questions if question["key"] == key), key)


def _text(draft: Draft, part: str, labs: Mapping[int, Lab]) -> str:
    if part == ORDER:
        names = (labs[chosen.lab_id].name if chosen.lab_id in labs else "?" for chosen in draft.labs)
        text = "\n".join(f"{place}. {name}" for place, name in enumerate(names, start=1))
    else:
        text = _parts(draft).get(part, "")
    return text or "Nothing"


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A question that the form does not ask any more, and the answer somebody typed. `stored` once that is saved."""

    key: str
    question: str
    answer: str
    stored: bool


def answers_to_removed(sent: MultiDict[str, str], cycle: Cycle) -> Sequence[AskedBefore]:
    """The answers of a sent form to questions that the cycle does not ask any more."""
    current_keys = {str(question["key"]) for question in cycle.questions}
    return [
        AskedBefore(key, row.form.asked.data or "A question", row.form.text.data, stored=False)
        for row in ApplicationForm(formdata=sent).answers
        if row.form.text.data and (key := row.form.key.data or "") and key not in current_keys
    ]


def asked_before(application: Application, typed: Iterable[AskedBefore] = ()) -> Sequence[AskedBefore]:
    """The stored answers of an application to removed questions, and typed ones that are not stored yet."""
    stored = {
        key: AskedBefore(key, entry["question"], entry["answer"], stored=True)
        for key, entry in (application.asked_before or {}).items()
    }
    new = {entry.key: entry for entry in typed if entry.key not in stored or stored[entry.key].answer != entry.answer}
    return tuple((stored | new).values())


def keep_asked_before(session: Session, application: Application, typed: Sequence[AskedBefore]) -> bool:
    """Store typed answers with the application; False if nothing changed. The caller commits.

    Side effects: takes the lock of the application. Its version stays, so that no other tab becomes out of date.
    """
    if not typed:
        return False
    application = locked_application(session, application)
    stored = dict(application.asked_before or {})
    for entry in typed:
        if entry.key in stored or len(stored) < MOST_KEPT:
            stored[entry.key[:LONGEST_KEY]] = {
                "question": entry.question[:LONGEST_QUESTION],
                "answer": entry.answer[:LONGEST_KEPT],
            }
    if stored == application.asked_before:
        return False
    application.asked_before = stored
    session.flush()
    return True
