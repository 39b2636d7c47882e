"""Submissions: stored when an application is submitted, and restored when a reopened draft is discarded."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, exists, select

from portal.applications.queries import interests_of, resume_of, stated_in
from portal.models import Application, Cycle, Submission

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Resume, User

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no characters that look like another
RECEIPT_GROUPS, GROUP_LENGTH = 3, 4  # of a receipt, with a hyphen between them; characters of a group
IS_NEWEST = and_(Submission.application_id == Application.id, Submission.number == Application.submissions)
"""Joins an `Application` with what was submitted last, which is what counts."""


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


def is_submitted_file(session: Session, key: str) -> bool:
    """Whether a submission refers to the file: it is kept when the resume is replaced."""
    return bool(key) and bool(session.scalar(select(exists().where(Submission.storage_key == key))))


def cycles_with_resume(session: Session, user: User) -> Sequence[str]:
    """The names of the cycles in which somebody's last submission holds a resume, the latest deadline first."""
    return session.scalars(
        select(Cycle.name)
        .join(Application, Application.cycle_id == Cycle.id)
        .join(Submission, IS_NEWEST)
        .where(Application.applicant_id == user.id, Submission.resume_text != "")
        .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
    ).all()
