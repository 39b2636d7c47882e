"""What was submitted, as finished values for receipts and exports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.models import Lab

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Submission

GONE = "A lab that is not in the portal any more"


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
