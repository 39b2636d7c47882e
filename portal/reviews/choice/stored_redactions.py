"""Stored redactions of texts that a lab reads blind, computed in the background and read by the pages.

Computing one takes about 1.5 ms per 1,000 characters. A stored one is valid for the last submission, the account's name
and address, and the rules it was computed with; without a valid one, pages compute it themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, exists, select

from portal.applications.content.match_records import NEWEST_RECORD_ID, match_of
from portal.applications.content.submissions import IS_NEWEST
from portal.applications.states import READ_BY_LABS
from portal.db import columns
from portal.models import Application, Choice, Cycle, LabReviewing, MatchRecord, Redaction, Submission, User
from portal.reviews.blind_review.redaction import Redactor, as_in_a_text, digest_of, other_names, rules_in_use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.reviews.choice.opened import Opened

# SQL conditions on `Redaction` and `User`, and `Submission`, with `rules` as a bound parameter.
IS_OF_ITS_PERSON = and_(
    Redaction.rules == bindparam("rules"), Redaction.name == User.name, Redaction.email == User.email
)
HOLDS = and_(Redaction.choice_id == Choice.id, Redaction.submission_id == Submission.id, IS_OF_ITS_PERSON)

_READ_BLIND = exists().where(LabReviewing.lab_id == Choice.lab_id, LabReviewing.blind_first.is_(True)).correlate(Choice)
_TO_REDACT = (
    select(Choice.id)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .join(Submission, IS_NEWEST)
    .where(
        Choice.listed_in_id.is_not(None),
        Application.state.in_(READ_BY_LABS),
        _READ_BLIND,
        ~exists()
        .where(HOLDS, Redaction.record_id.is_not_distinct_from(NEWEST_RECORD_ID))
        .correlate(Choice, Submission, User),
    )
    .order_by(Choice.id.desc())
    .limit(bindparam("at_most"))
)


def _submitted(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over `choices` with their applicants and last submissions."""
    return (
        select(*columns)
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Application.applicant_id)
        .join(Submission, IS_NEWEST)
        .where(Choice.id.in_(bindparam("choices", expanding=True)))
    )


_TEXTS = _submitted(
    Choice.id,
    User.name,
    User.email,
    Submission.interests,
    Submission.answers,
    Submission.resume_text,
    Submission.resume_hidden_text,
)
_SUBMITTED = (
    _submitted(Choice, User, Submission, MatchRecord, Cycle)
    .join(Cycle, Cycle.id == Application.cycle_id)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
)


def redactor_for(opened_choice: Opened, user: User) -> Redactor:
    """The redactor for the applicant of an opened choice: stored if valid, otherwise computed."""
    stored, submission = opened_choice.redacted, opened_choice.submission
    valid_for = (stored.submission_id, stored.rules, stored.name, stored.email) if stored else None
    if stored and valid_for == (submission.id, rules_in_use(), user.name, user.email):
        return Redactor(user.name, user.email, tuple(stored.other_names), stored.hidden)
    texts = (*_stated(submission.interests, submission.answers), submission.resume_text, submission.resume_hidden_text)
    return Redactor(user.name, user.email, other_names(texts, user.name, user.email))


def redactors_of(session: Session, choices: Sequence[int]) -> dict[int, Redactor]:
    """The redactors for the applicants of these choices, by what they submitted. One statement."""
    redactors = {}
    for row in columns(session, _TEXTS, {"choices": choices}):
        texts = (*_stated(row.interests, row.answers), row.resume_text, row.resume_hidden_text)
        redactors[row.id] = Redactor(row.name, row.email, other_names(texts, row.name, row.email))
    return redactors


def choices_to_redact(session: Session, at_most: int) -> list[int]:
    """Choices that a lab reads blind without a valid stored redaction, newest first."""
    values = {"rules": rules_in_use(), "at_most": at_most}
    return [row[0] for row in columns(session, _TO_REDACT, values)]


def keep_redactions(session: Session, choices: Sequence[int]) -> None:
    """Compute and store the redactions for these choices. The caller commits."""
    # Compute all before writing: on SQLite, the first write blocks all other writers.
    redactions = [_redaction(*row) for row in session.execute(_SUBMITTED, {"choices": choices})]
    for redaction in redactions:
        session.merge(redaction)


def _redaction(
    choice: Choice, user: User, submission: Submission, record: MatchRecord | None, cycle: Cycle
) -> Redaction:
    answers = {key: str(answer) for key, answer in submission.answers.items()}
    stated = _stated(submission.interests, answers)
    resume = (submission.resume_text, submission.resume_hidden_text)
    redactor = Redactor(user.name, user.email, other_names((*stated, *resume), user.name, user.email))
    topics = [topic["text"] for topic in submission.interests.get("topics", ())]
    match = match_of(record) if record else None
    sentences = [item.mine for item in match.evidence] if match else []
    terms = [(term.term, term.via) for term in match.terms] if match else []
    words = [as_in_a_text(word) for term in terms for word in term if word]
    texts = dict.fromkeys(text for text in (*stated, *resume, choice.reason, *topics, *sentences, *words) if text)
    answers_to_questions = (answers.get(str(question["key"]), "") for question in cycle.questions)
    return Redaction(
        choice_id=choice.id,
        submission_id=submission.id,
        record_id=record.id if record else None,
        rules=rules_in_use(),
        name=user.name,
        email=user.email,
        other_names=list(redactor.others),
        hidden={digest_of(text): redactor.hidden(text) for text in texts},
        hidden_terms=[term for term, via in terms if redactor.term_identifies(term, via)],
        searchable=redactor.searchable(
            (submission.interests.get("statement", ""), choice.reason, *answers_to_questions)
        ),
    )


def _stated(interests: Mapping[str, Any], answers: Mapping[str, Any]) -> tuple[str, ...]:
    """The statement and the answers of a submission."""
    return (interests.get("statement", ""), *map(str, answers.values()))
