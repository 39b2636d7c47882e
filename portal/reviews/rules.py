"""Who may read whom: each rule returns the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.conflicts_of_interest import declared_conflict
from portal.applications.states import READ_BY_LABS
from portal.models import LabProfessor

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Choice, Lab, User


def why_not_read_for(session: Session, professor: User, lab: Lab) -> str | None:
    """Only its leader and its reviewers read a lab's applicants."""
    if session.get(LabProfessor, (lab.id, professor.id)) is None:
        return f"You do not read for {lab.name}. An administrator can add you as its leader or reviewer."
    return None


def why_not_find(lab: Lab) -> str | None:
    """An archived lab is in no ranking: it finds nobody, and invites nobody."""
    return None if lab.archived_at is None else f"{lab.name} is archived, so that it is ranked for nobody."


def why_not_open_choice(
    session: Session, professor: User, lab: Lab, choice: Choice, *, in_conflict: bool | None = None
) -> str | None:
    """The readers of a choice's lab open it while labs may read the application, except in a conflict.

    `in_conflict` says whether the professor declared one, if the caller knows.
    """
    reason = why_not_read_for(session, professor, lab)
    if reason is not None:
        return reason
    if choice.lab_id != lab.id or choice.application.state not in READ_BY_LABS:
        return f"There is no such application that {lab.name} may read."
    if choice.application.applicant_id == professor.id:
        return "This is your own application, so the lab’s other reviewers read it."
    if in_conflict is None:
        in_conflict = declared_conflict(session, professor, choice.application.applicant_id)
    if in_conflict:
        return "You have a conflict of interest with this applicant, so the lab’s other reviewers read the application."
    return None
