"""What many moves of one person ask for at once, with what their guards need read together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.conflicts_of_interest import applicants_in_conflict
from portal.applications.cycles import IS_STAGED
from portal.applications.move_rules import Case
from portal.models import Decision, InterviewSlot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import Choice, User


def cases_of(
    session: Session, choices: Sequence[Choice], actor: User, capacity: Capacity, now: datetime
) -> Mapping[int, Case]:
    """A case of each choice, by its id. Three statements, if the applications of the choices are in memory.

    Each case holds for one move of its choice: it does not notice what a move of that choice changes.
    """
    ids = [choice.id for choice in choices]
    in_conflict = applicants_in_conflict(session, actor)
    staged = set(session.scalars(select(Decision.choice_id).where(Decision.choice_id.in_(ids), IS_STAGED)))
    slots = {
        slot.choice_id: slot for slot in session.scalars(select(InterviewSlot).where(InterviewSlot.choice_id.in_(ids)))
    }
    return {
        choice.id: Case(
            choice.application,
            choice,
            actor,
            capacity,
            now,
            in_conflict=choice.application.applicant_id in in_conflict,
            has_staged=choice.id in staged,
            slots=slots,
        )
        for choice in choices
    }
