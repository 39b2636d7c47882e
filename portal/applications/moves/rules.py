"""Why a move is not possible just now: each guard of the table gives the reason against it, or None.

The reasons are shown on the page, on the button and in the API alike. What an applicant may not know is in none of
the reasons that an applicant can get.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, select

from portal.applications.cycles import IS_STAGED, why_closed
from portal.applications.people import declared_conflict
from portal.applications.states import LABELS, MOVES, OPEN_APPLICATION, Capacity, Move
from portal.applications.submissions import missing_from, why_not_chosen_labs
from portal.models import Choice, Decision, InterviewSlot, LabIntake, LabProfessor, MoveRecord
from portal.models.user import ADMIN
from portal.moments import told, told_deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Cycle, User


FILLING_A_SEAT = ("offered", "accepted")
UNDONE = frozenset(move.undoes for move in MOVES if move.undoes)
"""The names of the moves that another move undoes."""


@dataclass(frozen=True, slots=True)
class SeatsTaken:
    """The seats of a lab in a cycle (None: not set), and how many of its offers are staged, out or accepted."""

    seats: int | None
    offers: int


@dataclass(frozen=True, slots=True)
class Case:
    """What a move is asked for: the application, one of its choices or None, the actor and their capacity, and when.

    A caller that makes many moves at once fills in what it has read already: whether the actor declared a conflict, the
    choices on which a decision is staged, seats with an offer, and by choice interview times and whom to tell.
    """

    application: Application
    choice: Choice | None
    actor: User | None
    capacity: Capacity
    now: datetime
    in_conflict: bool | None = None
    staged: Collection[int | None] | None = None
    taken: SeatsTaken | None = None
    slots: Mapping[int | None, InterviewSlot] | None = None
    readers: Mapping[int, Sequence[User]] | None = None

    @property
    def of_choice(self) -> Choice:
        """The choice of a move that is about one."""
        if self.choice is None:
            raise TypeError("this guard is about a choice")
        return self.choice


def why_not_act_as(session: Session, case: Case) -> str | None:
    """Against acting in that capacity: applications are their applicant's, choices their lab's."""
    if case.capacity in {"clock", "system"}:
        return None if case.actor is None else "Only the portal itself does this."
    if case.actor is None or not case.actor.active:
        return "Sign in to continue."
    match case.capacity:
        case "applicant":
            return None if case.application.applicant_id == case.actor.id else "This is somebody else’s application."
        case "admin" if case.actor.id == case.application.applicant_id:
            return "This is your own application; another administrator decides on it."
        case "admin":
            return None if case.actor.has_role(ADMIN) else "Only an administrator can do this."
        case _:
            return _why_not_for_the_lab(session, case, case.actor)


def _why_not_for_the_lab(session: Session, case: Case, actor: User) -> str | None:
    seat = session.get(LabProfessor, (case.of_choice.lab_id, actor.id))
    if seat is None:
        return "You do not read for this lab. Ask an administrator to add you as its leader or reviewer."
    if case.capacity == "leader" and seat.position != "leader":
        return "Only the lab’s leader decides this. You read for the lab as a reviewer."
    return None


def why_not_apply(cycle: Cycle, now: datetime) -> str | None:
    """Against submitting or editing an application in `cycle` at this time."""
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed."
    if now < cycle.opens_at:
        return f"{cycle.name} opens on {told_deadline(cycle.opens_at, cycle.zone)}."
    if now >= cycle.deadline_at:
        return f"The deadline of {cycle.name} passed on {told_deadline(cycle.deadline_at, cycle.zone)}."
    return None


def cycle_open(_session: Session, case: Case) -> str | None:
    """Between opening and deadline."""
    return why_not_apply(case.application.cycle, case.now)


def cycle_not_closed(_session: Session, case: Case) -> str | None:
    """Until an administrator closes the cycle."""
    return why_closed(case.application.cycle)


def deadline_passed(_session: Session, case: Case) -> str | None:
    """Applicants may edit until the deadline."""
    cycle = case.application.cycle
    if case.now >= cycle.deadline_at:
        return None
    return f"Until the deadline on {told_deadline(cycle.deadline_at, cycle.zone)} the applicant may still edit this."


def complete(session: Session, case: Case) -> str | None:
    """Everything on the checklist is there."""
    missing = missing_from(session, case.application)
    if not missing:
        return None
    return "Not complete yet. " + " ".join(item.advice for item in missing)


def labs_open(session: Session, case: Case) -> str | None:
    """Every chosen lab takes applications in this cycle."""
    return why_not_chosen_labs(session, case.application)


def submitted_before(_session: Session, case: Case) -> str | None:
    """There is a submission to go back to."""
    return None if case.application.submissions else "This application was never submitted."


def review_not_begun(_session: Session, case: Case) -> str | None:
    """No lab has begun to read."""
    begun = any(choice.state not in {"pending", "closed"} for choice in case.application.choices)
    return "A lab has begun to review this application." if begun else None


def eligible_application(_session: Session, case: Case) -> str | None:
    """Labs act on eligible applications, and applicants answer offers while theirs is open."""
    state = case.application.state
    if state == "eligible":
        return None
    if case.capacity == "applicant":
        return "Your application is closed." if state not in OPEN_APPLICATION else "Your application is being checked."
    if state in OPEN_APPLICATION:
        return (
            "This application has not been checked yet: an administrator has to mark it as eligible first. If that "
            "takes long, write to the administrators."
        )
    return "This application is not open any more."


def no_conflict(session: Session, case: Case) -> str | None:
    """Nobody with a conflict of interest may act."""
    if case.actor is not None and case.actor.id == case.application.applicant_id:
        return "This is your own application; others in the lab decide on it."
    in_conflict = case.in_conflict
    if in_conflict is None:
        in_conflict = case.actor is not None and declared_conflict(session, case.actor, case.application.applicant_id)
    return "You have a conflict of interest with this applicant." if in_conflict else None


def no_interview_ahead(session: Session, case: Case) -> str | None:
    """An interview that is fixed takes place or is cancelled first."""
    if case.slots is not None:
        slot = case.slots.get(case.of_choice.id)
    else:
        slot = session.scalar(select(InterviewSlot).where(InterviewSlot.choice_id == case.of_choice.id))
    if slot is None or slot.starts_at <= case.now:
        return None
    return f"An interview is scheduled for {told(slot.starts_at, slot.zone)}. Cancel it first."


def nothing_staged(session: Session, case: Case) -> str | None:
    """One decision at a time waits for its release."""
    if not _has_staged(session, case):
        return None
    return "A decision on this applicant is waiting to be released. Take it back first, or wait until it is released."


def staged(session: Session, case: Case) -> str | None:
    """The decision is not released yet."""
    return None if _has_staged(session, case) else "No decision is waiting here: it has been released already."


def seat_free(session: Session, case: Case) -> str | None:
    """No more offers are out or accepted than the lab has seats."""
    seats_taken = case.taken or _seats_taken(session, case.of_choice, case.application.cycle_id)
    if seats_taken.seats is None or seats_taken.offers < seats_taken.seats:
        return None
    return f"All {seats_taken.seats} seats of the lab have an offer. Take one back, or change the number of seats."


def released(_session: Session, case: Case) -> str | None:
    """An offer is answered once its applicant can see it."""
    return None if case.of_choice.shown_state == "offered" else "There is no offer to answer."


def reply_in_time(_session: Session, case: Case) -> str | None:
    """Before the reply date of the offer."""
    until = case.of_choice.offer_reply_by_at
    if until is None or case.now < until:
        return None
    passed_on = told_deadline(until, case.application.cycle.zone)
    return f"The reply date of this offer passed on {passed_on}. If you still want it, write to the administrators."


def reply_too_late(_session: Session, case: Case) -> str | None:
    """After the reply date of the offer."""
    until = case.of_choice.offer_reply_by_at
    return None if until is not None and case.now >= until else "The reply date of this offer has not passed yet."


def offers_of(session: Session, lab_id: int, cycle_id: int) -> int:
    """How many offers of a lab are staged, out or accepted in a cycle."""
    of_lab = (Choice.lab_id == lab_id, Choice.application.has(cycle_id=cycle_id), Choice.state.in_(FILLING_A_SEAT))
    return session.scalar(select(func.count()).select_from(Choice).where(*of_lab)) or 0


def _seats_taken(session: Session, choice: Choice, cycle_id: int) -> SeatsTaken:
    conditions = LabIntake.lab_id == choice.lab_id, LabIntake.cycle_id == cycle_id
    seats = session.scalar(select(LabIntake.seats).where(*conditions))
    return SeatsTaken(seats, 0 if seats is None else offers_of(session, choice.lab_id, cycle_id))


def _has_staged(session: Session, case: Case) -> bool:
    if case.staged is not None:
        return case.of_choice.id in case.staged
    return bool(session.scalar(select(exists().where(Decision.choice_id == case.of_choice.id, IS_STAGED))))


GUARDS: Mapping[str, Callable[[Session, Case], str | None]] = {
    guard.__name__: guard
    for guard in (
        cycle_open,
        cycle_not_closed,
        deadline_passed,
        complete,
        labs_open,
        submitted_before,
        review_not_begun,
        eligible_application,
        no_conflict,
        no_interview_ahead,
        nothing_staged,
        staged,
        seat_free,
        released,
        reply_in_time,
        reply_too_late,
    )
}


def states_before(session: Session, choice_ids: Iterable[int]) -> Mapping[tuple[int, str], str]:
    """By choice and name of a move: the state before the choice was last moved that way. One statement."""
    rows = session.execute(
        select(MoveRecord.choice_id, MoveRecord.move, MoveRecord.from_state)
        .where(MoveRecord.choice_id.in_(list(choice_ids)), MoveRecord.move.in_(UNDONE))
        .order_by(MoveRecord.id)
    )
    return {(choice_id, name): state for choice_id, name, state in rows if choice_id is not None}


def why_not(session: Session, move: Move, case: Case) -> str | None:
    """The first reason against a move (the actor, the state, the guards), or None if it is possible."""
    reason = why_not_act_as(session, case)
    if reason is not None:
        return reason
    if case.capacity not in move.actors:
        return f"“{move.label}” is done by {_listed(move.actors)}."
    state = state_for(case)
    if state not in move.sources:
        return f"“{move.label}” is not possible now: the {move.subject} is “{LABELS[move.subject][state]}”."
    if move.undoes and leads_to(session, move, case) is None:
        return "The history does not say where this was before, so it cannot go back there."
    return next((refusal for refusal in (GUARDS[name](session, case) for name in move.guards) if refusal), None)


def leads_to(session: Session, move: Move, case: Case) -> str | None:
    """The state to which a move leads; None if it stays, or if the history does not say what to restore."""
    if not move.undoes:
        return move.target
    return states_before(session, [case.of_choice.id]).get((case.of_choice.id, move.undoes))


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
