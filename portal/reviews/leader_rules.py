"""What only a lab's leader may do: each rule returns the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.labs.profile_rules import leads

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User


def why_not_lead(session: Session, professor: User, lab: Lab) -> str | None:
    """Seats, the order of preference and the review settings are the leader's."""
    if leads(session, professor, lab):
        return None
    return f"Only the leader of {lab.name} decides this. You read for the lab as a reviewer."


def why_not_change(cycle: Cycle) -> str | None:
    """A closed cycle cannot be changed."""
    return None if cycle.closed_at is None else f"{cycle.name} is closed; nothing in it can be changed any more."
