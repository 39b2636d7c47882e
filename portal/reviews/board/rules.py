"""A choice's moves for its lab (which exist, the reasons against each, how to undo one), and the lab's seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal import audit
from portal.applications.cycles import intake_of
from portal.applications.locks import lock_lab
from portal.applications.moves.rules import Case, why_not
from portal.applications.states import MOVES, STAGING, Move, move_named, moves_from
from portal.models import Application, Choice, LabIntake, MoveRecord
from portal.reviews.rules import capacity_in
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import Cycle, Lab, User
    from portal.reviews.choice_snapshot import ChoiceSnapshot

UNDOES = {
    **{move.undoes: move.name for move in MOVES if move.undoes},
    "take_off_shortlist": "shortlist",
    "take_off_ranking": "rank",
}
"""The move that leads back to the state before, by the name of the move."""

BY_READING = "start_review"
"""The move that is made by opening an applicant's page, and therefore not offered."""
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


@dataclass(frozen=True, slots=True)
class PossibleMove:
    """A move from a choice's state, and the present reason against it, if any."""

    move: Move
    reason: str | None

    @property
    def takes_message(self) -> bool:
        """Whether it can carry a message to the applicant."""
        return self.move.name in STAGING


def lab_moves(
    session: Session, choice: Choice, professor: User, *, now: datetime, snapshot: ChoiceSnapshot | None = None
) -> tuple[PossibleMove, ...]:
    """The moves of a choice that are possible now; `snapshot` is the choice as it was opened, if the caller has it."""
    capacity = capacity_in(session, choice.lab_id, professor)
    case = Case(choice.application, choice, professor, capacity, now, snapshot.in_conflict if snapshot else None)
    return tuple(PossibleMove(move, why_not(session, move, case)) for move in offered_moves(choice.state, capacity))


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


def was_moved_with(session: Session, choice: Choice, name: str, message: str) -> bool:
    """Whether the newest move has this name and message, hence was sent twice."""
    newest = (
        select(MoveRecord.message)
        .where(MoveRecord.choice_id == choice.id, MoveRecord.move == name)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    )
    return session.scalar(newest) == message


MOST_SEATS = 1_000


class SeatsRefused(Exception):
    """What was sent is not a number of seats; the message says what is. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats of a lab in a cycle; `staged` offers wait for release, `out` ones for an answer; `open` to applications."""

    seats: int | None
    staged: int
    out: int
    accepted: int
    open: bool

    @property
    def free(self) -> int | None:
        """How many offers can still be made; negative if there are more offers than seats."""
        return None if self.seats is None else self.seats - self.staged - self.out - self.accepted


def seats_of(session: Session, lab: Lab, cycle: Cycle) -> Seats:
    """The lab's seats in a cycle. Two statements."""
    intake = intake_of(session, lab, cycle)
    rows = session.execute(
        select(Choice.state, Choice.shown_state, func.count())
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Choice.state.in_(("offered", "accepted")),
        )
        .group_by(Choice.state, Choice.shown_state)
    ).all()
    return Seats(
        seats=intake.seats if intake else None,
        staged=sum(row[2] for row in rows if row[0] == "offered" and row[1] != "offered"),
        out=sum(row[2] for row in rows if row[0] == "offered" and row[1] == "offered"),
        accepted=sum(row[2] for row in rows if row[0] == "accepted"),
        open=intake.open if intake else True,
    )


def number_of_seats(text: str) -> int | None:
    """The number that was typed; None for an empty box. `SeatsRefused` if it is not from 0 to `MOST_SEATS`."""
    text = text.strip()
    if not text:
        return None
    seats = whole_number(text)
    if seats is None or seats > MOST_SEATS:
        raise SeatsRefused(f"Give the seats as a whole number from 0 to {MOST_SEATS:,}, or leave the box empty.")
    return seats


def set_intake(
    session: Session, lab: Lab, cycle: Cycle, *, seats: int | None, is_open: bool | None, actor: User, now: datetime
) -> bool:
    """Set a lab's seats in a cycle and whether it is open (None: as it is), with an audit entry; False if unchanged."""
    lock_lab(session, lab.id)
    intake = intake_of(session, lab, cycle)
    was_open = intake.open if intake else True
    is_open = was_open if is_open is None else is_open
    before, after = {"seats": intake.seats if intake else None, "open": was_open}, {"seats": seats, "open": is_open}
    if before == after:
        return False
    if intake is None:
        intake = LabIntake(lab_id=lab.id, cycle_id=cycle.id)
        session.add(intake)
    intake.seats, intake.open = seats, is_open
    audit.record(
        session,
        actor=actor,
        act="lab.intake",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before=before,
        after=after,
    )
    session.flush()
    return True
