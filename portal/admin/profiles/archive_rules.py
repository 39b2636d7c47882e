"""Why a lab may not be archived: a sentence, or None if it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.states import OPEN_APPLICATION, OPEN_CHOICE
from portal.models import Application, Choice, Cycle, Lab
from portal.web.templating import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

SUBMITTED = OPEN_APPLICATION - {"draft"}


def why_not_archive(session: Session, lab: Lab) -> str | None:
    """Nobody waits for a lab that is archived: whoever has submitted gets a decision first."""
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
    if not waiting:
        return None
    return (
        f"{counted(waiting, 'applicant waits', 'applicants wait')} for {lab.name}. Archive it when each has a released "
        "decision. Until then, its leader can stop taking applications under “How we review”."
    )
