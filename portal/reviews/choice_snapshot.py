"""A choice as one reviewer opens it, read in one statement: the submission, its match record, whether the applicant is
hidden, and what the reviewer and the lab have on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import and_, bindparam, exists, select
from sqlalchemy.orm import aliased

from portal.applications.cycles import IS_STAGED
from portal.applications.match_records import NEWEST_RECORD_ID, Recorded
from portal.applications.submissions import IS_NEWEST
from portal.db import columns
from portal.models import (
    Application,
    Choice,
    Conflict,
    Decision,
    LabIntake,
    MatchRecord,
    MoveRecord,
    QueueVisit,
    Redaction,
    Referee,
    Scorecard,
    Submission,
)
from portal.reviews.blind_review import HIDDEN, Redactor, other_names, rules_in_use, stated_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, RowMapping
    from sqlalchemy.orm import Session

    from portal.db import Base
    from portal.models import Lab, User


class Submitted(NamedTuple):
    """The last submission, as labs read it; names as in `Submission`."""

    id: int
    submitted_at: datetime
    answers: Mapping[str, Any]
    interests: Mapping[str, Any]
    resume_kind: str
    resume_size: int
    resume_text: str
    resume_hidden_text: str
    resume_warnings: Sequence[str]
    storage_key: str


class OwnCard(NamedTuple):
    """The reviewer's own scorecard; names as in `Scorecard`."""

    version: int
    changed_at: datetime
    locked_at: datetime | None
    fit: int | None
    potential: int | None
    preparation: int | None
    writing: int | None
    confidence: int | None
    comment: str
    abstained: bool
    abstain_reason: str


class OwnConflict(NamedTuple):
    """The reviewer's conflict with the applicant, in any state; names as in `Conflict`."""

    state: str
    reason: str
    changed_at: datetime
    by_administrator: bool


class Redacted(NamedTuple):
    """The stored redaction of the applicant's texts and its validity; names as in `Redaction`."""

    choice_id: int
    submission_id: int
    rules: str
    name: str
    email: str
    other_names: Sequence[str]
    hidden: Mapping[str, Any]


V = TypeVar("V", Recorded, OwnCard, OwnConflict, Redacted)

_other_card, _other_conflict = aliased(Scorecard), aliased(Conflict)
_OTHERS_LOCKED = (
    exists()
    .where(
        _other_card.choice_id == Choice.id,
        _other_card.reviewer_id != bindparam("reviewer"),
        _other_card.locked_at.is_not(None),
    )
    .correlate(Choice)
)
_SOMEBODY_KEEPS_OUT = (
    exists()
    .where(_other_conflict.applicant_id == Application.applicant_id, _other_conflict.state == "declared")
    .correlate(Application)
)
_HAS_LETTERS = (
    exists().where(Referee.application_id == Application.id, Referee.received_at.is_not(None)).correlate(Application)
)
_WAS_MOVED = exists().where(MoveRecord.choice_id == Choice.id).correlate(Choice)
_STAGED = and_(Decision.choice_id == Choice.id, IS_STAGED)


def _columns(value: type[Any], table: type[Base]) -> list[ColumnElement[Any]]:
    """The columns of a value's fields, named as `_value` reads them."""
    return [getattr(table, name).label(f"{value.__name__}.{name}") for name in value._fields]


_SNAPSHOT = (
    select(
        *_columns(Submitted, Submission),
        *_columns(Recorded, MatchRecord),
        *_columns(OwnCard, Scorecard),
        *_columns(OwnConflict, Conflict),
        *_columns(Redacted, Redaction),
        HIDDEN.label("hidden"),
        Decision.kind.label("staged"),
        LabIntake.seats,
        QueueVisit.before_at.label("since"),
        _OTHERS_LOCKED.label("others_locked"),
        _SOMEBODY_KEEPS_OUT.label("kept_out"),
        _HAS_LETTERS.label("has_letters"),
        _WAS_MOVED.label("was_moved"),
    )
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(Submission, IS_NEWEST)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
    .outerjoin(Scorecard, and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == bindparam("reviewer")))
    .outerjoin(
        Conflict,
        and_(Conflict.applicant_id == Application.applicant_id, Conflict.reviewer_id == bindparam("reviewer")),
    )
    .outerjoin(Redaction, and_(Redaction.choice_id == Choice.id, HIDDEN))
    .outerjoin(Decision, _STAGED)
    .outerjoin(LabIntake, and_(LabIntake.lab_id == Choice.lab_id, LabIntake.cycle_id == Application.cycle_id))
    .outerjoin(QueueVisit, and_(QueueVisit.lab_id == Choice.lab_id, QueueVisit.reviewer_id == bindparam("reviewer")))
    .where(Choice.id == bindparam("choice"))
)


@dataclass(frozen=True, slots=True)
class ChoiceSnapshot:
    """A choice as one reviewer opens it, as stored now. Texts are unredacted: they identify the applicant.

    `card` and `conflict` are the reviewer's own, `redacted` is the stored redaction if `hidden` from them, `staged` the
    kind of the decision that waits for release, `since` the end of their previous visit. `kept_out`: anybody declared a
    conflict. What the flags deny is not read.
    """

    submission: Submitted
    record: Recorded | None
    card: OwnCard | None
    conflict: OwnConflict | None
    redacted: Redacted | None
    hidden: bool
    staged: str
    seats: int | None
    since: datetime | None
    others_locked: bool
    kept_out: bool
    has_letters: bool
    was_moved: bool

    @property
    def in_conflict(self) -> bool:
        """Whether the reviewer declared a conflict with the applicant."""
        return self.conflict is not None and self.conflict.state == "declared"


def snapshot_of(session: Session, lab: Lab, choice: Choice, reviewer: User) -> ChoiceSnapshot:
    """A choice that the reviewer may open; `LookupError` if it was never submitted. One statement."""
    values = {"choice": choice.id, "lab": lab.id, "reviewer": reviewer.id}
    found = columns(session, _SNAPSHOT, values).mappings().one_or_none()
    if found is None:
        raise LookupError(f"application {choice.application_id} was never submitted")
    return ChoiceSnapshot(
        submission=Submitted._make(found[f"Submitted.{name}"] for name in Submitted._fields),
        record=_value(Recorded, found),
        card=_value(OwnCard, found),
        conflict=_value(OwnConflict, found),
        redacted=_value(Redacted, found),
        hidden=bool(found["hidden"]),
        staged=found["staged"] or "",
        seats=found["seats"],
        since=found["since"],
        others_locked=bool(found["others_locked"]),
        kept_out=bool(found["kept_out"]),
        has_letters=bool(found["has_letters"]),
        was_moved=bool(found["was_moved"]),
    )


def _value(value: type[V], row: RowMapping) -> V | None:
    """The value of a row's columns; None if its table had no row, whose first column is never null."""
    values = [row[f"{value.__name__}.{name}"] for name in value._fields]
    return value._make(values) if values[0] is not None else None


def redactor_for(snapshot: ChoiceSnapshot, user: User) -> Redactor:
    """The redactor for the applicant of an opened choice: stored if valid, otherwise computed."""
    stored, submission = snapshot.redacted, snapshot.submission
    valid_for = (stored.submission_id, stored.rules, stored.name, stored.email) if stored else None
    if stored and valid_for == (submission.id, rules_in_use(), user.name, user.email):
        return Redactor(user.name, user.email, tuple(stored.other_names), stored.hidden)
    texts = (
        *stated_texts(submission.interests, submission.answers),
        submission.resume_text,
        submission.resume_hidden_text,
    )
    return Redactor(user.name, user.email, other_names(texts, user.name))
