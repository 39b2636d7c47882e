"""A choice's moves for its lab: which exist, the reasons against each, how to undo one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.moves.rules import Case, why_not
from portal.applications.states import MOVES, STAGING, Move, move_named, moves_from
from portal.models import Choice, MoveRecord
from portal.reviews.rules import capacity_in

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import User
    from portal.reviews.choice_snapshot import ChoiceSnapshot

UNDOES = {
    **{move.undoes: move.name for move in MOVES if move.undoes},
    "take_off_shortlist": "shortlist",
    "take_off_ranking": "rank",
}
"""The move that leads back to the state before, by the name of the move."""

BY_READING = "start_review"
"""The move that is made by opening an applicant's page, and therefore not offered."""

CONFIRMED = STAGING | {"invite_to_interview"}
"""Moves that the applicant is told of: they are previewed before they are made."""
LONGEST_REPLY = 365  # days

DONE = {
    BY_READING: "The review has begun.",
    "shortlist": "Shortlisted.",
    "take_off_shortlist": "Taken off the shortlist.",
    "invite_to_interview": "Invited to an interview; the applicant is told now. Offer times under Interviews.",
    "mark_interviewed": "Marked as interviewed.",
    "rank": "Put at the end of your ranking.",
    "take_off_ranking": "Taken off the ranking.",
    "waitlist": "Put on the waitlist. This stays inside until an administrator releases it.",
    "decline": "Declined. This stays inside until an administrator releases it.",
    "offer": "The offer is made. This stays inside until an administrator releases it.",
    "take_back_waitlist": "Taken off the waitlist before anybody outside saw it.",
    "take_back_decline": "The decline is taken back before anybody outside saw it.",
    "take_back_offer": "The offer is taken back before anybody outside saw it.",
}


def lab_moves(
    session: Session, choice: Choice, professor: User, *, now: datetime, snapshot: ChoiceSnapshot | None = None
) -> tuple[tuple[Move, str | None], ...]:
    """The moves from a choice's state, each with the present reason against it, if any; `snapshot` is the choice as it
    was opened, if the caller has it.
    """
    capacity = capacity_in(session, choice.lab_id, professor)
    case = Case(choice.application, choice, professor, capacity, now, snapshot.in_conflict if snapshot else None)
    return tuple((move, why_not(session, move, case)) for move in offered_moves(choice.state, capacity))


def offered_moves(state: str, capacity: Capacity) -> list[Move]:
    """The moves from a state that pages offer to somebody of the lab, in the order of the table."""
    return [move for move in moves_from("choice", state, capacity) if move.name != BY_READING]


def is_lab_move(name: str) -> bool:
    """Whether labs make the choice's move with this name."""
    return any(move.name == name and {"reviewer", "leader"} & set(move.actors) for move in MOVES)


def undoing_move(move: Move) -> Move | None:
    """The move that undoes `move`; None if there is none."""
    undo = UNDOES.get(move.name)
    return move_named("choice", undo) if undo else None


def was_moved_with(session: Session, choice: Choice, move: Move, message: str) -> bool:
    """Whether the newest such move of a choice has this message, hence was sent twice."""
    newest = (
        select(MoveRecord.message)
        .where(MoveRecord.choice_id == choice.id, MoveRecord.move == move.name)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    )
    return session.scalar(newest) == message
