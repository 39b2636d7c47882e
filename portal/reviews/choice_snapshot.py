"""A choice as one reviewer opens it, read in one statement: the submission, its match record, whether the applicant is
hidden, and what the reviewer and the lab have on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import aliased

from portal.applications.cycles import IS_STAGED
from portal.applications.match_records import NEWEST_RECORD_ID
from portal.applications.submissions import IS_NEWEST
from portal.models import (
    Application,
    AssignedReviewer,
    Choice,
    ChoiceNote,
    ChoiceTag,
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
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User


_other_card = aliased(Scorecard)
_OTHERS_LOCKED = (
    exists()
    .where(
        _other_card.choice_id == Choice.id,
        _other_card.reviewer_id != bindparam("reviewer"),
        _other_card.locked_at.is_not(None),
    )
    .correlate(Choice)
)
_HAS_LETTERS = (
    exists().where(Referee.application_id == Application.id, Referee.received_at.is_not(None)).correlate(Application)
)
_HAS_NOTES = or_(
    *(
        exists().where(table.choice_id == Choice.id).correlate(Choice)
        for table in (AssignedReviewer, ChoiceNote, ChoiceTag)
    )
)
_LAST_MOVE = select(func.max(MoveRecord.id)).where(MoveRecord.choice_id == Choice.id).correlate(Choice)
_STAGED = and_(Decision.choice_id == Choice.id, IS_STAGED)


_SNAPSHOT = (
    select(
        Submission,
        MatchRecord,
        Scorecard,
        Conflict,
        Redaction,
        HIDDEN.label("hidden"),
        Decision.kind.label("staged"),
        LabIntake.seats,
        QueueVisit.before_at.label("since"),
        _LAST_MOVE.scalar_subquery().label("last_move"),
        _OTHERS_LOCKED.label("others_locked"),
        _HAS_LETTERS.label("has_letters"),
        _HAS_NOTES.label("has_notes"),
    )
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(Submission, IS_NEWEST)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
    .outerjoin(Scorecard, and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == bindparam("reviewer")))
    .outerjoin(
        Conflict, and_(Conflict.applicant_id == Application.applicant_id, Conflict.reviewer_id == bindparam("reviewer"))
    )
    .outerjoin(Redaction, and_(Redaction.choice_id == Choice.id, HIDDEN))
    .outerjoin(Decision, _STAGED)
    .outerjoin(LabIntake, and_(LabIntake.lab_id == Choice.lab_id, LabIntake.cycle_id == Application.cycle_id))
    .outerjoin(QueueVisit, and_(QueueVisit.lab_id == Choice.lab_id, QueueVisit.reviewer_id == bindparam("reviewer")))
    .where(Choice.id == bindparam("choice"))
    .execution_options(populate_existing=True)
)


class ChoiceSnapshot(NamedTuple):
    """A choice as one reviewer opens it, as stored now. Texts are unredacted: they identify the applicant.

    `card` and `conflict` are the reviewer's own, `redacted` is the stored redaction if `hidden` from them, `staged` the
    kind of the decision that waits for release, `since` the end of their previous visit, `last_move` the last move's
    record. `has_notes`: somebody is assigned, or there are tags or notes. What the flags deny is not read.
    """

    submission: Submission
    record: MatchRecord | None
    card: Scorecard | None
    conflict: Conflict | None
    redacted: Redaction | None
    hidden: bool
    staged: str
    seats: int | None
    since: datetime | None
    last_move: int | None
    others_locked: bool
    has_letters: bool
    has_notes: bool

    @property
    def in_conflict(self) -> bool:
        """Whether the reviewer declared a conflict with the applicant."""
        return self.conflict is not None and self.conflict.state == "declared"


def snapshot_of(session: Session, lab: Lab, choice: Choice, reviewer: User) -> ChoiceSnapshot:
    """A choice that the reviewer may open; `LookupError` if it was never submitted. One statement."""
    values = {"choice": choice.id, "lab": lab.id, "reviewer": reviewer.id}
    found = session.execute(_SNAPSHOT, values).one_or_none()
    if found is None:
        raise LookupError(f"application {choice.application_id} was never submitted")
    submission, record, card, conflict, redacted, hidden, staged, seats, since, last, *flags = found
    return ChoiceSnapshot(
        submission, record, card, conflict, redacted, bool(hidden), staged or "", seats, since, last, *map(bool, flags)
    )


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
