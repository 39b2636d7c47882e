"""Why a lab may not be archived: a sentence, or None if it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.states import OPEN_APPLICATION, OPEN_CHOICE
from portal.applications.submissions import IS_NEWEST
from portal.models import Application, Choice, Cycle, Lab, Submission
from portal.web.templating import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

SUBMITTED = OPEN_APPLICATION - {"draft"}


def why_not_archive(session: Session, lab: Lab) -> str | None:
    """Nobody waits for a lab that is archived: whoever has submitted gets a decision first. That includes those who are
    editing what they submitted, for it counts until they submit again.
    """
    waiting = session.scalar(
        select(func.count(Choice.id))
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(
            Choice.lab_id == lab.id,
            Choice.state.in_(OPEN_CHOICE),
            Application.state.in_(SUBMITTED),
            Cycle.closed_at.is_(None),
        )
    )
    waiting = (waiting or 0) + _reopened(session, lab)
    if not waiting:
        return None
    return (
        f"{counted(waiting, 'applicant waits', 'applicants wait')} for {lab.name}. Archive it when each has a released "
        "decision. Until then, its leader can stop taking applications under “How we review”."
    )


def _reopened(session: Session, lab: Lab) -> int:
    """How many applications are open for changes that chose the lab when they were submitted last."""
    submitted = session.scalars(
        select(Submission.choices)
        .join(Application, IS_NEWEST)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Application.state == "draft", Cycle.closed_at.is_(None))
    )
    return sum(any(choice["lab_id"] == lab.id for choice in choices) for choices in submitted)
