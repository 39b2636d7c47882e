"""What each of two accounts has of which one can stay, as far as an administrator needs to know it to choose.

How much and since when, not what: interests and drafts are their applicants' own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.states import APPLICATION_LABELS
from portal.models import Application, Interests, Resume
from portal.moments import format_in_zone
from portal.web.templating import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Cycle, User


def describe_interests(session: Session, user: User) -> str:
    """Of somebody's interests; empty where there are none."""
    found = session.scalar(select(Interests).where(Interests.user_id == user.id))
    if found is None:
        return ""
    statement = counted(len(found.statement), "character", "characters") if found.statement else "nothing"
    topics = counted(len(found.topics), "topic", "topics")
    return f"{topics}, {statement} as statement, changed {format_in_zone(found.changed_at, 'UTC')}"


def describe_resume(session: Session, user: User) -> str:
    """Of somebody's resume; empty where there is none."""
    found = session.scalar(select(Resume).where(Resume.user_id == user.id))
    if found is None:
        return ""
    name = found.filename or "a pasted text"
    length = counted(len(found.text), "character", "characters")
    confirmed = "" if found.confirmed_at else ", not confirmed yet"
    return f"{name} with {length}, of {format_in_zone(found.uploaded_at, 'UTC')}{confirmed}"


def describe_application(session: Session, user: User, cycle: Cycle) -> str:
    """Of somebody's application in a cycle; empty where there is none."""
    found = session.scalar(
        select(Application).where(Application.applicant_id == user.id, Application.cycle_id == cycle.id)
    )
    if found is None:
        return ""
    keys = {str(question["key"]) for question in cycle.questions}
    answered = sum(bool(str(text).strip()) for key, text in found.answers.items() if key in keys)
    labs = counted(len(found.choices), "lab", "labs")
    state = APPLICATION_LABELS[found.state].lower()
    since = format_in_zone(found.state_since, cycle.zone)
    return f"{state} since {since}, {labs} chosen, {answered} of {len(keys)} questions answered"
