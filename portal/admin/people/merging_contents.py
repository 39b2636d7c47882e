"""Descriptions of interests, resume and application of an account, for an administrator who chooses which one stays.

They tell sizes and dates only: the content of interests and drafts is private to the applicant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.cycles import application_of
from portal.applications.queries import interests_of, resume_of
from portal.applications.states import APPLICATION_LABELS
from portal.moments import format_in_zone
from portal.web.templating import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Cycle, User


def describe_interests(session: Session, user: User) -> str:
    """A description of somebody's interests; empty if there are none."""
    interests = interests_of(session, user)
    if interests is None:
        return ""
    statement = counted(len(interests.statement), "character", "characters") if interests.statement else "nothing"
    topics = counted(len(interests.topics), "topic", "topics")
    return f"{topics}, {statement} as statement, changed {format_in_zone(interests.changed_at, 'UTC')}"


def describe_resume(session: Session, user: User) -> str:
    """A description of somebody's resume; empty if there is none."""
    resume = resume_of(session, user)
    if resume is None:
        return ""
    name = resume.filename or "a pasted text"
    length = counted(len(resume.text), "character", "characters")
    confirmed = "" if resume.confirmed_at else ", not confirmed yet"
    return f"{name} with {length}, of {format_in_zone(resume.uploaded_at, 'UTC')}{confirmed}"


def describe_application(session: Session, user: User, cycle: Cycle) -> str:
    """A description of somebody's application in a cycle; empty if there is none."""
    application = application_of(session, user, cycle)
    if application is None:
        return ""
    keys = {str(question["key"]) for question in cycle.questions}
    answered = sum(bool(str(text).strip()) for key, text in application.answers.items() if key in keys)
    labs = counted(len(application.choices), "lab", "labs")
    state = APPLICATION_LABELS[application.state].lower()
    since = format_in_zone(application.state_since, cycle.zone)
    return f"{state} since {since}, {labs} chosen, {answered} of {len(keys)} questions answered"
