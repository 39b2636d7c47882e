"""The form of a cycle and its values. Dates are typed and shown in the cycle's own zone, questions one per line."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from wtforms import BooleanField, DateTimeLocalField, FormField, HiddenField, StringField, TextAreaField
from wtforms.validators import InputRequired, Length, NumberRange, ValidationError

from portal.accounts.rules import TURNS_DIRECTION, shows_nothing, turns_direction
from portal.applications.forms import one_line, running_text
from portal.models.review import CRITERIA
from portal.moments import ANYWHERE_ON_EARTH, is_zone, point_of, why_not_year, why_skipped
from portal.reviews.scorecards.rules import LONGEST_ANCHOR, POINTS, QUESTIONS, USUAL, own_anchors
from portal.web.forms import FormRow, PortalForm, WholeNumberField, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Cycle
    from portal.reviews.scorecards.rules import Anchors


REQUIRED = "*"
USUAL_CHOICES = 5
USUAL_REFEREES = 2
USUAL_RETENTION = 730  # days
LONGEST_ABOUT = 10_000  # characters
DATES, LISTS = ("opens_at", "deadline_at", "reply_by_at"), ("questions", "documents")  # fields of `CycleValues`
_NAME = "Give the cycle a name."
_MINUTES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]
RUBRIC_FIELDS = {key: tuple(f"{key}_{points}" for points in POINTS) for key in CRITERIA}


@dataclass(frozen=True, slots=True)
class CycleValues:
    """The values of a cycle that an administrator sets. Moments are aware; `questions` and `documents` are those of
    `Cycle`.

    `rubric` holds the criteria for which the cycle has its own texts, five each; an empty one means the usual text.
    """

    name: str
    zone: str
    opens_at: datetime
    deadline_at: datetime
    reply_by_at: datetime
    most_choices: int
    referees: int
    retention_days: int
    about: str
    questions: tuple[dict[str, Any], ...]
    documents: tuple[dict[str, Any], ...]
    rubric: Anchors


def values_of(cycle: Cycle) -> CycleValues:
    """The current values of a cycle."""
    stored = {each.name: getattr(cycle, each.name) for each in fields(CycleValues)}
    lists = {"questions": tuple(cycle.questions), "documents": tuple(cycle.documents or ())}
    return CycleValues(**stored | lists | {"rubric": set_anchors_only(own_anchors(cycle.rubric))})


def next_values(last: Cycle | None, now: datetime) -> CycleValues:
    """Initial values of a new cycle: those of the last one a year later, or usual ones. The name is empty.

    The usual ones begin tomorrow, and their days end at 23:59: a deadline at 0:00 is taken for the midnight after it.
    """
    if last is None:
        day = now.astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
        return CycleValues(
            name="",
            zone=ANYWHERE_ON_EARTH,
            opens_at=day + timedelta(days=1),
            deadline_at=day + timedelta(days=61, minutes=-1),
            reply_by_at=day + timedelta(days=151, minutes=-1),
            most_choices=USUAL_CHOICES,
            referees=USUAL_REFEREES,
            retention_days=USUAL_RETENTION,
            about="",
            questions=(),
            documents=(),
            rubric={},
        )
    values = values_of(last)
    dates: dict[str, Any] = {name: _year_later(getattr(values, name), values.zone) for name in DATES}
    return replace(values, name="", **dates)


def set_anchors_only(anchors: Anchors) -> Anchors:
    """The criteria that have at least one text."""
    return {key: texts for key, texts in anchors.items() if any(texts)}


def in_zone(local: datetime, zone: str) -> datetime:
    """The moment at which clocks in `zone` show `local`, in UTC."""
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local_time(moment: datetime, zone: str) -> datetime:
    """The local time in `zone` at that moment, without the zone."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def questions_as_text(questions: Sequence[dict[str, Any]]) -> str:
    """One question per line; a star at the end says that it must be answered."""
    return "\n".join(
        f"{question['text']}{' ' + REQUIRED if question.get('required') else ''}" for question in questions
    )


def questions_from_text(
    text: str, before: Sequence[dict[str, Any]] = (), *, are_reworded: bool = False
) -> tuple[dict[str, Any], ...]:
    """The questions in a text. One whose words are among those of `before` keeps its key, and so its answers.

    If `are_reworded`, those with new words are those of `before` that are missing, in the same order, and keep their
    keys, too: as many as there are.
    """
    lines: dict[str, bool] = {}
    for line in text.splitlines():
        question_text = " ".join(line.split())
        required = question_text.endswith(REQUIRED)
        question_text = question_text.rstrip(REQUIRED).strip()
        if question_text:
            lines.setdefault(question_text, required)
    keys = {question["text"]: question["key"] for question in before}
    new = [question_text for question_text in lines if question_text not in keys]
    missing = [question_text for question_text in keys if question_text not in lines]
    if are_reworded and len(new) == len(missing):
        keys |= dict(zip(new, [keys[question_text] for question_text in missing], strict=True))
    taken = {question["key"] for question in before}
    return tuple(
        {"key": keys.get(question_text) or _new_key(question_text, taken), "text": question_text, "required": required}
        for question_text, required in lines.items()
    )


def _new_key(question_text: str, taken: set[str]) -> str:
    """A key made from the words, other than those taken: a question that had these words may have others now."""
    candidates = (question_text + "*" * times for times in itertools.count())
    digests = ("q" + hashlib.sha256(candidate.encode()).hexdigest()[:10] for candidate in candidates)
    return next(digest for digest in digests if digest not in taken)


def _year_later(moment: datetime, zone: str) -> datetime:
    local = local_time(moment, zone)
    try:
        later = local.replace(year=local.year + 1)
    except ValueError:  # 29 February
        later = local.replace(year=local.year + 1, day=28)
    return in_zone(later, zone)


def _possible(form: Any, field: Any) -> None:  # noqa: ANN401  (WTForms is published without types)
    """A year that somebody may mean, and a time that the clocks of the zone show."""
    if field.data is None:
        return
    reason, zone = why_not_year(field.data), form.zone.data
    if reason is None and is_zone(zone) and point_of(field.data, ZoneInfo(zone)) is None:
        reason = why_skipped(zone)
    if reason is not None:
        raise ValidationError(reason)


def _moment(label: str) -> Any:  # noqa: ANN401  (as above)
    needed = InputRequired("Give a day and a time, such as 2026-12-15 23:59.")
    return DateTimeLocalField(label, format=_MINUTES, validators=[needed, _possible])


def _number(label: str, least: int, most: int, description: str) -> Any:  # noqa: ANN401  (as above)
    message = f"Give a whole number from {least} to {most:,}."
    return WholeNumberField(
        label, description=description, validators=[InputRequired(message), NumberRange(least, most, message)]
    )


def _tidied(text: str | None) -> str:
    return " ".join((text or "").split())


def _anchor(key: str, points: int) -> Any:  # noqa: ANN401  (as above)
    return StringField(
        f"{QUESTIONS[key][0]}: {points}",
        description=f"Usually: {USUAL[key][points - 1]}",
        filters=[lambda text: one_line(text or "")],
        validators=[Length(max=LONGEST_ANCHOR, message=f"Keep it to {LONGEST_ANCHOR} characters.")],
    )


# One field for each point of each criterion.
_RubricForm: Any = type(
    "_RubricForm",
    (FormRow,),
    {f"{key}_{points}": _anchor(key, points) for key in CRITERIA for points in POINTS},
)


class CycleForm(PortalForm):
    """Everything an administrator sets of a cycle."""

    name = StringField(
        "Name",
        description="Such as “Fall 2027”.",
        filters=[lambda text: one_line(text or "")],
        validators=[InputRequired(_NAME), Length(max=200, message="Keep it to 200 characters.")],
    )
    zone = StringField(
        "Time zone of its dates",
        description="Such as Europe/Berlin. Etc/GMT+12 is Anywhere on Earth.",
        filters=[_tidied],
        validators=[InputRequired("Give a zone, such as Etc/GMT+12.")],
    )
    opens_at = _moment("Opens")
    deadline_at = _moment("Deadline")
    reply_by_at = _moment("Replies are due")
    most_choices = _number("Labs per applicant", 1, 50, "")
    referees = _number("Letters of reference", 0, 5, "")
    about = TextAreaField(
        "What applicants should know",
        description="Public. A blank line begins a paragraph; addresses become links.",
        filters=[lambda text: running_text(text or "")],
        validators=[Length(max=LONGEST_ABOUT, message=f"Keep it to {LONGEST_ABOUT:,} characters.")],
    )
    questions = TextAreaField(
        "Questions of the form",
        description="One per line; a * at its end makes it required.",
        filters=[lambda text: running_text(text or "")],
        validators=[Length(max=10_000, message="Keep the questions to 10,000 characters.")],
    )
    documents = TextAreaField(
        "Documents it asks for",
        description="Besides the resume, such as a transcript. One per line; a * at its end makes it required.",
        filters=[lambda text: running_text(text or "")],
        validators=[Length(max=1_000, message="Keep the documents to 1,000 characters.")],
    )
    are_reworded = BooleanField("Only the wording changed: keep the answers")
    rubric = FormField(_RubricForm, "What the points of the scorecard mean")
    retention_days = _number("Days kept after closing", 1, 7300, "Then applications are erased.")
    version = HiddenField()

    @classmethod
    def showing(cls, values: CycleValues, version: int) -> CycleForm:
        """The form with these values in it."""
        shown = {each.name: getattr(values, each.name) for each in fields(CycleValues)}
        shown |= {name: local_time(shown[name], values.zone) for name in DATES}
        shown |= {name: questions_as_text(shown[name]) for name in LISTS}
        shown["rubric"] = {
            name: text
            for key, texts in own_anchors(values.rubric).items()
            for name, text in zip(RUBRIC_FIELDS[key], texts, strict=True)
        }
        return cls(**shown, version=str(version))

    def validate_name(self, field: Any) -> None:  # noqa: ANN401  (as above)
        """A name of blanks or invisible characters is none, and it must not turn the words around it."""
        if shows_nothing(field.data):
            raise ValidationError(_NAME)
        if turns_direction(field.data):
            raise ValidationError(TURNS_DIRECTION)

    def validate_zone(self, field: Any) -> None:  # noqa: ANN401  (as above)
        """Only a zone that the time zone database knows."""
        if not is_zone(field.data):
            raise ValidationError("There is no such zone. Use a name such as Europe/Berlin, or Etc/GMT+12.")

    def values(self, before: Sequence[dict[str, Any]] = ()) -> CycleValues:
        """The values in the form, which must be valid. `before` are the cycle's questions so far, whose keys stay."""
        zone, reworded = str(self.zone.data), bool(self.are_reworded.data)
        typed: dict[str, Any] = {each.name: self[each.name].data for each in fields(CycleValues)}
        typed |= {name: in_zone(typed[name], zone) for name in DATES}
        typed["about"] = str(self.about.data or "")
        typed["questions"] = questions_from_text(str(self.questions.data or ""), before, are_reworded=reworded)
        typed["documents"] = questions_from_text(str(self.documents.data or ""))
        typed["rubric"] = set_anchors_only(
            {key: [self.rubric[name].data for name in names] for key, names in RUBRIC_FIELDS.items()}
        )
        return CycleValues(**typed)

    @property
    def anchors(self) -> list[tuple[str, list[Any]]]:
        """The fields of the scorecard's anchor texts, by the question of their criterion."""
        return [(QUESTIONS[key][0], [self.rubric[name] for name in names]) for key, names in RUBRIC_FIELDS.items()]

    @property
    def base(self) -> int:
        """The version that the form was opened with; 0 if the form does not hold it."""
        is_left_out = self.version.raw_data == []
        return 0 if is_left_out else whole_number(self.version.data or "") or 0
