"""A choice's moves for its lab, the reasons against each, and moves of several choices at once with their undoing.

A form of a bulk move sends back the last move of each choice, its ticket. A choice that was moved meanwhile is skipped,
so a form sent twice moves nobody twice. A ticket that names no move stands for a card that is moved on its own. All
records of a bulk move have the same actor and time; undoing moves each choice back with its record as the ticket.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import contains_eager, selectinload

from portal.applications.locks import Refusal, lock_applications, lock_lab
from portal.applications.moves.rules import Case, is_done, why_not
from portal.applications.moves.service import (
    USUAL_REPLY_DAYS,
    AlreadyMoved,
    Made,
    cases_of,
    conclude,
    perform,
    perform_locked,
)
from portal.applications.states import CHOICE_LABELS, MOVES, READ_BY_LABS, STAGING, Move, move_named, moves_from
from portal.models import Application, Choice, Cycle, LabProfessor, MoveRecord, User
from portal.reviews.blind_review import shown_as
from portal.reviews.lab_settings import filled, seats_of
from portal.reviews.rules import capacity_in, in_conflict_with
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Capacity
    from portal.models import Lab
    from portal.reviews.blind_review import Shown
    from portal.reviews.choice_snapshot import ChoiceSnapshot


UNDOES = {
    **{move.undoes: move.name for move in MOVES if move.undoes},
    "take_off_shortlist": "shortlist",
    "take_off_ranking": "rank",
}
"""The move that leads back to the state before, by the name of the move."""

LAB_LABELS = {**CHOICE_LABELS, "pending": "Unread"}
"""The states as labs read them."""

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


ALL_SEATS = "All free seats go to those above. Take an offer back, or change the number of seats."


class Planned(NamedTuple):
    """One choice of a preview: who, its state, the reason if it cannot move, and its ticket."""

    id: int
    shown: Shown
    state: str
    why_not: str | None
    ticket: str


class Outcome(NamedTuple):
    """The result of a bulk move: who moved, who was there already, and who could not, with the reason.

    `ids` are the moved choices. `at` is when the move was made, also if the same form made it earlier; None if nobody
    was moved, or others did it.
    """

    ids: frozenset[int]
    moved: tuple[Shown, ...]
    already: tuple[Shown, ...]
    refused: tuple[tuple[Shown, str], ...]
    at: datetime | None


def chosen_of(session: Session, lab: Lab, cycle: Cycle, viewer: User, ids: Iterable[int]) -> Sequence[Choice]:
    """Those choices that the viewer may open in this cycle: ranked ones in their order, then best match first."""
    return session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.id.in_(set(ids)),
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Application.state.in_(READ_BY_LABS),
            ~in_conflict_with(viewer),
        )
        .order_by(Choice.preference.is_(None), Choice.preference, Choice.score.desc(), Choice.id)
        .options(contains_eager(Choice.application))
    ).all()


def plan(
    session: Session, lab: Lab, cycle: Cycle, actor: User, move: Move, choices: Sequence[Choice], now: datetime
) -> Sequence[Planned]:
    """Who would move and who could not. Writes nothing."""
    shown = shown_as(session, lab, actor, choices)
    free = seats_of(session, lab, cycle).free if "seat_free" in move.guards else None
    tickets = tickets_of(session, choices)
    cases = cases_of(session, choices, actor, capacity_in(session, lab.id, actor), now)
    planned = []
    for choice in choices:
        reason = why_not(session, move, cases[choice.id])
        if reason is None and free is not None:
            reason = ALL_SEATS if free <= 0 else None
            free -= reason is None
        planned.append(Planned(choice.id, shown[choice.id], LAB_LABELS[choice.state], reason, tickets[choice.id]))
    return planned


def move_all(
    session: Session,
    actor: User,
    move: Move,
    choices: Sequence[Choice],
    tickets: Mapping[int, str],
    *,
    now: datetime,
    message: str = "",
    reply_days: int = USUAL_REPLY_DAYS,
) -> Outcome:
    """Move each of a lab's choices that is still as its ticket says. The caller commits.

    Side effects: as of `portal.applications.moves.service.perform`; locks the lab, so that two leaders do not give away
    the same seat, then the applications in the usual order.
    """
    if not choices:
        return Outcome(frozenset(), (), (), (), None)
    lab = choices[0].lab
    lock_lab(session, lab.id)
    applications = lock_applications(session, {choice.application_id for choice in choices})
    existing_ids = {application.id for application in applications}
    choices = [choice for choice in choices if choice.application_id in existing_ids]  # erased meanwhile
    kept_alive = [applications, *_preloaded(session, lab, actor, choices)]
    shown, current = shown_as(session, lab, actor, choices), tickets_of(session, choices)
    cases = cases_of(session, choices, actor, capacity_in(session, lab.id, actor), now)
    made: list[Made] = []
    moved, already, refused = set(), set(), {}
    for choice in choices:
        case = cases[choice.id]
        if tickets[choice.id] not in {current[choice.id], str(choice.id)}:
            if is_done(session, move, case):
                already.add(choice.id)
            else:
                refusal = why_not(session, move, case) if choice.state in move.sources else None
                refused[choice.id] = refusal or f"It was moved meanwhile: it is “{CHOICE_LABELS[choice.state]}” now."
            continue
        try:
            perform_locked(session, move, case, for_one(choice, message), reply_days, later=made)
        except AlreadyMoved:
            already.add(choice.id)
        except Refusal as reason:
            refused[choice.id] = str(reason)
        else:
            moved.add(choice.id)
    conclude(session, made)
    del kept_alive
    return Outcome(
        ids=frozenset(moved),
        moved=tuple(shown[choice.id] for choice in choices if choice.id in moved),
        already=tuple(shown[choice.id] for choice in choices if choice.id in already),
        refused=tuple((shown[choice.id], refused[choice.id]) for choice in choices if choice.id in refused),
        at=now if moved else _moved_at(session, actor, move, [current[choice_id] for choice_id in already]),
    )


def for_one(choice: Choice, message: str) -> str:
    """The message for the applicant of a choice, whose name is put into it also while they are hidden from the lab."""
    application = choice.application
    return filled(message, name=application.applicant.display_name, lab=choice.lab.name, cycle=application.cycle.name)


def begin_review(session: Session, choice: Choice, reader: User, *, now: datetime) -> None:
    """Start the review of a choice that somebody of its lab opens, unless it has begun or a rule forbids it."""
    if choice.state == "pending":
        with suppress(Refusal):
            perform(
                session, BY_READING, choice, actor=reader, capacity=capacity_in(session, choice.lab_id, reader), now=now
            )


def _moved_at(session: Session, actor: User, move: Move, tickets: Iterable[str]) -> datetime | None:
    """When `actor` moved all of these in one bulk move; None if it was several, or somebody else."""
    record_ids = [int(ticket.partition(".")[2]) for ticket in tickets]
    moves = session.execute(
        select(MoveRecord.at, MoveRecord.actor_id, MoveRecord.move).where(MoveRecord.id.in_(record_ids)).distinct()
    ).all()
    if len(moves) != 1:
        return None
    at, actor_id, name = moves[0]
    return at if (actor_id, name) == (actor.id, move.name) else None


def _preloaded(session: Session, lab: Lab, actor: User, choices: Iterable[Choice]) -> Sequence[object]:
    """Load what every move needs, once for all. While the caller holds it, the session does not read it again."""
    people = {choice.application.applicant_id for choice in choices}
    cycles = {choice.application.cycle_id for choice in choices}
    return (
        session.get(LabProfessor, (lab.id, actor.id)),
        session.scalars(select(Cycle).where(Cycle.id.in_(cycles))).all(),
        session.scalars(select(User).where(User.id.in_(people)).options(selectinload(User.roles))).all(),
    )


def tickets_of(session: Session, choices: Iterable[Choice]) -> dict[int, str]:
    """The tickets of the choices, by id: its number with that of its last move. One statement."""
    ids = [choice.id for choice in choices]
    moves = session.execute(
        select(MoveRecord.choice_id, func.max(MoveRecord.id))
        .where(MoveRecord.choice_id.in_(ids))
        .group_by(MoveRecord.choice_id)
    )
    last = {row[0]: row[1] for row in moves}
    return {choice_id: f"{choice_id}.{last.get(choice_id, 0)}" for choice_id in ids}


def tickets_in(sent: Iterable[str]) -> dict[int, str]:
    """The valid tickets of a form, by the choice's id."""
    tickets = {}
    for ticket in sent:
        choice_id = whole_number(ticket.partition(".")[0])
        if choice_id is not None:
            tickets[choice_id] = ticket
    return tickets


def undo_all(
    session: Session, lab: Lab, cycle: Cycle, actor: User, move: Move, at: datetime, *, now: datetime
) -> tuple[Outcome, int] | None:
    """Undo the move that `actor` made at time `at`; None if there is none to undo. The number counts choices that the
    person may no longer open. Side effects: as of `move_all`.
    """
    back = undoing_move(move)
    records = _records(session, lab, cycle, actor, move, at)
    if back is None or not records:
        return None
    tickets = {choice_id: f"{choice_id}.{record}" for choice_id, record in records}
    choices = chosen_of(session, lab, cycle, actor, tickets)
    return move_all(session, actor, back, choices, tickets, now=now), len(records) - len(choices)


def _records(
    session: Session, lab: Lab, cycle: Cycle, actor: User, move: Move, at: datetime
) -> Sequence[tuple[int, int]]:
    """The choices of that bulk move, and the record of each."""
    rows = session.execute(
        select(Choice.id, MoveRecord.id)
        .join(MoveRecord, MoveRecord.choice_id == Choice.id)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            MoveRecord.move == move.name,
            MoveRecord.actor_id == actor.id,
            MoveRecord.at == at,
        )
    )
    return [(choice_id, record) for choice_id, record in rows]
