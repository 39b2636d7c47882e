"""Who may edit which profile: the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.models import LabProfessor
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Lab, User


def why_not_edit(session: Session, person: User, lab: Lab) -> str | None:
    """Why a person may not edit a profile: only administrators and the lab's leaders may."""
    if person.has_role(ADMIN) or leads(session, person, lab):
        return None
    return f"Only the leader of {lab.name} and administrators can edit its profile."


def to_be_approved(person: User, groups: frozenset[str]) -> frozenset[str]:
    """The `groups` of a profile in which an administrator must approve the person's edits."""
    return frozenset() if person.has_role(ADMIN) else groups


def leads(session: Session, person: User, lab: Lab) -> bool:
    """Whether a person is a leader of the lab."""
    seat = session.get(LabProfessor, (lab.id, person.id))
    return seat is not None and seat.position == "leader"
