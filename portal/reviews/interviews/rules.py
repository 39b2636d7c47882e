"""Who may offer and change interview times: each rule returns the reason against it, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.models import Choice, Cycle, Lab, LabProfessor
from portal.moments import format_in_zone
from portal.reviews.rules import why_not_open_choice, why_not_read_for

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import InterviewSlot, User


def why_not_offer(session: Session, lab: Lab, cycle: Cycle, interviewer: User | None) -> str | None:
    """Times are offered in a running cycle, by an interviewer who reads for the lab."""
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed; nothing in it can be changed any more."
    if interviewer is not None and (
        not interviewer.active or session.get(LabProfessor, (lab.id, interviewer.id)) is None
    ):
        return f"{interviewer.display_name} does not read for {lab.name}. An administrator can add them."
    return None


def why_not_change_slot(session: Session, slot: InterviewSlot, professor: User, now: datetime) -> str | None:
    """Readers of the lab may change a time before it begins; for a picked one, those without a conflict."""
    lab = slot.lab
    reason = why_not_read_for(session, professor, lab)
    if reason is not None:
        return reason
    choice = session.get(Choice, slot.choice_id) if slot.choice_id else None
    if choice is not None:
        reason = why_not_open_choice(session, professor, lab, choice)
        if reason is not None:
            return reason
    if slot.cycle.closed_at is not None:
        return f"{slot.cycle.name} is closed; nothing in it can be changed any more."
    if slot.cancelled_at is not None:
        return "This time was cancelled. Offer a new one."
    if slot.starts_at <= now:
        return f"This time began on {format_in_zone(slot.starts_at, slot.zone)}; it stays as it was."
    return None
