"""A choice's moves for its lab: which exist from its state, the reasons against each, and how to undo one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.moves.possible import why_not
from portal.applications.moves.rules import Case
from portal.applications.states import MOVES, STAGING, Capacity, Move, move_named, moves_from
from portal.models import LabProfessor, MoveRecord

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice, User
    from portal.reviews.choice.opened import Opened

UNDOES = {
    **{move.undoes: move.name for move in MOVES if move.undoes},
    "shortlist": "take_off_shortlist",
    "take_off_shortlist": "shortlist",
    "take_off_ranking": "rank",
}
"""The move that leads back to the state before, by the name of the move."""

LONGEST_REPLY = 365  # days
DONE = {
    "start_review": "The review has begun.",
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


@dataclass(frozen=True, slots=True)
class PossibleMove:
    """A move from a choice's state, and the present reason against it, if any."""

    move: Move
    reason: str | None

    @property
    def takes_message(self) -> bool:
        """Whether it can carry a message to the applicant."""
        return self.move.name in STAGING

    @property
    def takes_days(self) -> bool:
        """Whether it sets how long an answer may take."""
        return self.move.name == "offer"


@dataclass(frozen=True, slots=True)
class LabMoves:
    """The moves that somebody can make, and the labels of those that only the leader can make."""

    possible: tuple[PossibleMove, ...]
    for_the_leader: tuple[str, ...]


def capacity_in(session: Session, lab_id: int, professor: User) -> Capacity:
    """Whether somebody acts for a lab as its leader or as a reviewer."""
    seat = session.get(LabProfessor, (lab_id, professor.id))
    return "leader" if seat is not None and seat.position == "leader" else "reviewer"


def capacity_for(session: Session, choice: Choice, professor: User) -> Capacity:
    """Whether somebody acts for the lab of a choice as its leader or as a reviewer."""
    return capacity_in(session, choice.lab_id, professor)


def lab_moves(
    session: Session, choice: Choice, professor: User, *, now: datetime, opened_choice: Opened | None = None
) -> LabMoves:
    """The moves of a choice that are possible now.

    `opened_choice` is the choice as it was opened for the professor, if the caller has it.
    """
    capacity = capacity_for(session, choice, professor)
    case = Case(
        choice.application, choice, professor, capacity, now, opened_choice.in_conflict if opened_choice else None
    )
    own_moves = moves_from("choice", choice.state, capacity)
    leader_moves = moves_from("choice", choice.state, "leader") if capacity == "reviewer" else ()
    return LabMoves(
        possible=tuple(PossibleMove(move, why_not(session, move, case)) for move in own_moves),
        for_the_leader=tuple(move.label for move in leader_moves if move not in own_moves),
    )


def is_lab_move(name: str) -> bool:
    """Whether labs make the choice's move with this name."""
    return any(move.name == name and {"reviewer", "leader"} & set(move.actors) for move in MOVES)


def undoing_move(move: Move) -> Move | None:
    """The move that undoes `move`; None if there is none."""
    undo = UNDOES.get(move.name)
    return move_named("choice", undo) if undo else None


def was_moved_with(session: Session, choice: Choice, name: str, message: str) -> bool:
    """Whether the newest move has this name and message, hence was sent twice."""
    newest = (
        select(MoveRecord.message)
        .where(MoveRecord.choice_id == choice.id, MoveRecord.move == name)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    )
    return session.scalar(newest) == message
