"""Who may read whom: each rule gives the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import LabProfessor

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Lab, User


def why_not_read_for(session: Session, professor: User, lab: Lab) -> str | None:
    """A lab's applicants are read by its leader and its reviewers only."""
    seat = session.scalar(
        select(LabProfessor.position).where(LabProfessor.lab_id == lab.id, LabProfessor.user_id == professor.id)
    )
    if seat is None:
        return f"You do not read for {lab.name}. An administrator can add you as its leader or reviewer."
    return None
