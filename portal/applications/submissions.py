"""What an application contains: as one value, as rows, and as it was submitted."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, select

from portal.applications.cycles import last_submission
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.models import Application, Choice, Cycle, Lab, Submission

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Resume, User


ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no characters that look like another
RECEIPT_GROUPS, GROUP_LENGTH = 3, 4  # of a receipt, with a hyphen between them; characters of a group
IS_NEWEST = and_(Submission.application_id == Application.id, Submission.number == Application.submissions)
"""Joins an `Application` with what was submitted last, which is what counts."""
GONE = "A lab that is not in the portal any more"


@dataclass(frozen=True, slots=True)
class ChosenLab:
    """A lab that an applicant chooses, with the reason."""

    lab_id: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form of an application holds: labs in the applicant's order, and answers by the key of the question."""

    labs: tuple[ChosenLab, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def draft_of(application: Application) -> Draft:
    """What is saved of an application, as the form holds it."""
    return Draft(
        tuple(ChosenLab(choice.lab_id, choice.reason) for choice in application.choices),
        {key: str(value) for key, value in application.answers.items()},
    )


def write_choices(session: Session, application: Application, labs: Sequence[ChosenLab], *, now: datetime) -> None:
    """Make these the choices, in this order; a lab that stays keeps its row.

    New rows get ids in the order of the labs: somebody who reads for two of them sees the ids, which must not tell the
    applicant's order.
    """
    existing = {choice.lab_id: choice for choice in application.choices}
    chosen_ids = {chosen.lab_id for chosen in labs}
    for choice in list(application.choices):
        if choice.lab_id not in chosen_ids:
            application.choices.remove(choice)
    session.flush()
    positions = {chosen.lab_id: position for position, chosen in enumerate(labs, start=1)}
    for chosen in sorted(labs, key=lambda lab: lab.lab_id):
        choice = existing.get(chosen.lab_id) or Choice(
            lab_id=chosen.lab_id,
            state="pending",
            state_since=now,
            shown_state="pending",
            shown_since=now,
            created_at=now,
        )
        if choice.lab_id not in existing:
            application.choices.append(choice)
        choice.position, choice.reason = positions[chosen.lab_id], chosen.reason
    session.flush()
    session.expire(application, ["choices"])


def by_lab(choices: Iterable[Choice]) -> list[Choice]:
    """Choices in the order for acting on all of them: the news, mails and ids of moves that labs see must not tell
    the applicant's order.
    """
    return sorted(choices, key=lambda choice: choice.lab_id)


def bring_back(session: Session, application: Application, *, now: datetime) -> None:
    """Restore the last submission into the draft, without labs that are no longer in the portal."""
    submission = last_submission(session, application)
    if submission is None:
        raise LookupError(f"application {application.id} was never submitted")
    existing_ids = set(session.scalars(select(Lab.id)))
    ordered = sorted(submission.choices, key=lambda choice: int(choice["position"]))
    labs = [ChosenLab(choice["lab_id"], choice["reason"]) for choice in ordered if choice["lab_id"] in existing_ids]
    application.answers = dict(submission.answers)
    application.version += 1
    write_choices(session, application, labs, now=now)


def count_submission(application: Application, now: datetime) -> None:
    """Count one more submission; the first one gets the receipt."""
    application.submissions += 1
    application.submitted_at = now
    if application.receipt is None:
        groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(RECEIPT_GROUPS))
        application.receipt = "-".join(groups)


def keep_submission(session: Session, application: Application, now: datetime) -> Submission:
    """Store the present content of the application, with the interests and the confirmed resume as they are now."""
    interests, resume = _stated_now(session, application.applicant)
    submission = Submission(
        application_id=application.id,
        number=application.submissions,
        submitted_at=now,
        answers=dict(application.answers),
        choices=[
            {"lab_id": choice.lab_id, "position": choice.position, "reason": choice.reason}
            for choice in application.choices
        ],
        interests=interests,
    )
    if resume is not None:
        submission.resume_kind = resume.kind
        submission.resume_filename = resume.filename
        submission.resume_size = resume.size
        submission.resume_text = resume.text
        submission.resume_hidden_text = resume.hidden_text
        submission.resume_warnings = list(resume.warnings)
        submission.storage_key = resume.storage_key
    session.add(submission)
    session.flush()
    return submission


def stated_digest(session: Session, user: User) -> str:
    """What a page remembers of the interests and of the confirmed resume that a submission would hold now: a digest of
    both. A resume that is read or confirmed anew is another one only if its text or file is.
    """
    interests, resume = _stated_now(session, user)
    of_resume = None if resume is None else (resume.kind, resume.filename, resume.sha256, resume.text)
    return hashlib.sha256(json.dumps([interests, of_resume]).encode()).hexdigest()[:16]


def _stated_now(session: Session, user: User) -> tuple[dict[str, Any], Resume | None]:
    """The interests as a submission stores them, and the resume if it is confirmed."""
    stated = stated_in(interests_of(session, user))
    resume = resume_of(session, user)
    interests = {
        "topics": [{"text": topic.text, "weight": topic.weight} for topic in stated.topics],
        "statement": stated.statement,
        "facets": {name: list(values) for name, values in stated.facets.items()},
        "resume_weight": stated.resume_weight,
    }
    return interests, resume if resume is not None and resume.confirmed_at is not None else None


def cycles_with_resume(session: Session, user: User) -> Sequence[str]:
    """The names of the cycles in which somebody's last submission holds a resume, the latest deadline first."""
    return session.scalars(
        select(Cycle.name)
        .join(Application, Application.cycle_id == Cycle.id)
        .join(Submission, IS_NEWEST)
        .where(Application.applicant_id == user.id, Submission.resume_text != "")
        .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
    ).all()


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """One submission: the labs as (name, reason) in order, the answers as (question, text), the rest as it was."""

    number: int
    submitted_at: datetime
    labs: Sequence[tuple[str, str]]
    answers: Sequence[tuple[str, str]]
    topics: Sequence[tuple[str, float]]
    statement: str
    resume: str
    resume_characters: int


def submission_view(session: Session, submission: Submission, cycle: Cycle) -> SubmissionView:
    """A submission in words."""
    names = _names(session, submission)
    questions = {question["key"]: question["text"] for question in cycle.questions}
    pasted = "pasted text" if submission.resume_text else ""
    return SubmissionView(
        number=submission.number,
        submitted_at=submission.submitted_at,
        labs=[(names.get(choice["lab_id"], GONE), choice["reason"]) for choice in _in_order(submission)],
        answers=[(questions.get(key, key), text) for key, text in submission.answers.items()],
        topics=[(topic["text"], topic["weight"]) for topic in submission.interests.get("topics", ())],
        statement=submission.interests.get("statement", ""),
        resume=submission.resume_filename or pasted,
        resume_characters=len(submission.resume_text),
    )


def _in_order(submission: Submission) -> list[dict[str, Any]]:
    return sorted(submission.choices, key=lambda choice: int(choice["position"]))


def _names(session: Session, submission: Submission) -> dict[object, str]:
    lab_ids = [choice["lab_id"] for choice in submission.choices]
    return {lab.id: lab.name for lab in session.scalars(select(Lab).where(Lab.id.in_(lab_ids)))}
