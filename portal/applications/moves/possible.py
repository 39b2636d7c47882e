"""Whether a move is possible, and to which state it leads. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.moves.before import state_before
from portal.applications.moves.rules import GUARDS, Case, why_not_act_as
from portal.applications.states import LABELS, Capacity, Move, moves_from
from portal.models import MoveRecord

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def why_not(session: Session, move: Move, case: Case) -> str | None:
    """The first reason against a move (the actor, the state, the guards), or None if it is possible."""
    reason = why_not_act_as(session, case)
    if reason is not None:
        return reason
    if case.capacity not in move.actors:
        return f"“{move.label}” is done by {_listed(move.actors)}."
    state = state_for(case)
    if state not in move.sources:
        explanation = f"“{move.label}” is not possible now: the {move.subject} is “{LABELS[move.subject][state]}”."
        first = _what_comes_first(session, move, case, state)
        return f"{explanation} “{first.label}” comes first." if first else explanation
    if move.undoes and leads_to(session, move, case) is None:
        return "The history does not say where this was before, so it cannot go back there."
    return next((refusal for refusal in (GUARDS[name](session, case) for name in move.guards) if refusal), None)


def _what_comes_first(session: Session, move: Move, case: Case, state: str) -> Move | None:
    """A move that has to be made first: it is possible now and leads to a state from which `move` starts."""
    steps = moves_from(move.subject, state, case.capacity)
    leading = (step for step in steps if step.targets & move.sources and leads_to(session, step, case) in move.sources)
    return next((step for step in leading if why_not(session, step, case) is None), None)


def leads_to(session: Session, move: Move, case: Case) -> str | None:
    """The state to which a move leads; None if it stays, or if the history does not say what to restore."""
    if not move.undoes:
        return move.target
    return state_before(session, case.of_choice.id, move.undoes)


def is_done(session: Session, move: Move, case: Case) -> bool:
    """Whether a move's target is already reached; for an undo, only if the last move was that undo."""
    if move.undoes:
        return state_for(case) in move.targets and last_move(session, move, case) is not None
    return move.target is not None and state_for(case) == move.target


def state_for(case: Case) -> str:
    """The state as far as the actor may know it: applicants see no decision before its release."""
    if case.choice is None:
        return case.application.state
    return case.choice.shown_state if case.capacity == "applicant" else case.choice.state


def last_move(session: Session, move: Move, case: Case) -> MoveRecord | None:
    """The newest record of the case's subject, if it is of this move."""
    of_subject = MoveRecord.choice_id.is_(None) if case.choice is None else MoveRecord.choice_id == case.choice.id
    newest = session.scalars(
        select(MoveRecord)
        .where(MoveRecord.application_id == case.application.id, of_subject)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    ).one_or_none()
    return newest if newest is not None and newest.move == move.name else None


def _listed(capacities: tuple[Capacity, ...]) -> str:
    names = {
        "applicant": "the applicant",
        "reviewer": "a reviewer of the lab",
        "leader": "the lab’s leader",
        "admin": "an administrator",
        "clock": "the portal when the time has come",
        "system": "the portal itself",
    }
    return " or ".join(names[capacity] for capacity in capacities)
