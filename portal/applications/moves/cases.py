"""What many moves of one person ask for at once, with what their guards need read together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from portal.applications.conflicts_of_interest import applicants_in_conflict
from portal.applications.cycles import IS_STAGED
from portal.applications.moves.letters import readers_of
from portal.applications.moves.rules import Case
from portal.models import Application, Choice, Decision, InterviewSlot

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import User


def cases_of(
    session: Session, choices: Sequence[Choice], actor: User, capacity: Capacity, now: datetime
) -> Mapping[int, Case]:
    """A case of each choice, by its id. Three statements, if the applications of the choices are in memory.

    Each case holds for one move of its choice: it does not notice what a move of that choice changes.
    """
    ids = [choice.id for choice in choices]
    in_conflict = applicants_in_conflict(session, actor)
    staged, slots = _staged_of(session, ids), _slots_of(session, ids)
    return {
        choice.id: Case(
            choice.application,
            choice,
            actor,
            capacity,
            now,
            in_conflict=choice.application.applicant_id in in_conflict,
            staged=staged,
            slots=slots,
        )
        for choice in choices
    }


def cases_of_applications(
    session: Session, application_ids: Collection[int], actor: User | None, capacity: Capacity, now: datetime
) -> Sequence[Case]:
    """A case of each of these applications that exists, by ascending id, with all that its move asks for in memory.

    As many statements for many as for one. Reads the applications and choices again, for a caller that locked them.
    """
    applications = session.scalars(
        select(Application)
        .where(Application.id.in_(application_ids))
        .order_by(Application.id)
        .options(
            joinedload(Application.cycle),
            selectinload(Application.applicant),
            selectinload(Application.choices).joinedload(Choice.lab),
        )
        .execution_options(populate_existing=True)
    ).all()
    readers = readers_of(session, application_ids)
    choice_ids = [choice.id for application in applications for choice in application.choices]
    staged, slots = _staged_of(session, choice_ids), _slots_of(session, choice_ids)
    return [
        Case(application, None, actor, capacity, now, staged=staged, slots=slots, readers=readers)
        for application in applications
    ]


def _staged_of(session: Session, choice_ids: Collection[int]) -> Collection[int | None]:
    """Those of these choices on which a decision waits for its release."""
    return set(session.scalars(select(Decision.choice_id).where(Decision.choice_id.in_(choice_ids), IS_STAGED)))


def _slots_of(session: Session, choice_ids: Collection[int]) -> Mapping[int | None, InterviewSlot]:
    """The interview times of these choices, by choice."""
    slots = session.scalars(select(InterviewSlot).where(InterviewSlot.choice_id.in_(choice_ids)))
    return {slot.choice_id: slot for slot in slots}
