"""Who may read whom, and what only a lab's leader may do: each rule returns the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, or_

from portal.applications.people import declared_conflict, keeps_out
from portal.applications.states import READ_BY_LABS
from portal.labs.queries import leads
from portal.models import Application, LabProfessor

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import Choice, Lab, User


def why_not_read_for(session: Session, professor: User, lab: Lab) -> str | None:
    """Only its leader and its reviewers read a lab's applicants."""
    if session.get(LabProfessor, (lab.id, professor.id)) is None:
        return f"You do not read for {lab.name}. An administrator can add you as its leader or reviewer."
    return None


def why_not_find(lab: Lab) -> str | None:
    """A lab that is archived or a draft is in no ranking: it finds nobody, and invites nobody."""
    if lab.is_listed:
        return None
    return f"{lab.name} is {'a draft' if lab.is_draft else 'archived'}, so that it is ranked for nobody."


def why_not_open_choice(
    session: Session, professor: User, lab: Lab, choice: Choice, *, in_conflict: bool | None = None
) -> str | None:
    """The readers of a choice's lab open it while labs may read it, except in a conflict (`in_conflict`, if known)."""
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


def why_not_lead(session: Session, professor: User, lab: Lab) -> str | None:
    """Seats, the order of preference and the review settings are the leader's."""
    if leads(session, professor, lab):
        return None
    return f"Only the leader of {lab.name} decides this. You read for the lab as a reviewer."


def capacity_in(session: Session, lab_id: int, professor: User) -> Capacity:
    """Whether somebody acts for a lab as its leader or as a reviewer."""
    seat = session.get(LabProfessor, (lab_id, professor.id))
    return "leader" if seat is not None and seat.position == "leader" else "reviewer"


def in_conflict_with(reviewer: User) -> ColumnElement[bool]:
    """An SQL condition on `Application`: the reviewer declared a conflict with, or is, the applicant."""
    return keeps_out(reviewer.id, Application.applicant_id)


# The same with the reviewer as a bound parameter, so that it is built once.
IN_CONFLICT = keeps_out(bindparam("reviewer"), Application.applicant_id)
# Whether labs may read an `Application`. Written out, since a list of values is put into the text of a statement anew
# each time.
READABLE = or_(*(Application.state == state for state in READ_BY_LABS))
