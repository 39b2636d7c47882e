"""The only way to change the state of applications and choices: checks, writes, audits and notifies.

Every move locks its application, so that of two concurrent moves the second sees the result of the first. Consequences
of a move (`portal.applications.moves.consequences`) are part of the same transaction.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from portal import audit, mail
from portal.accounts.rules import shows_nothing
from portal.applications.cycles import IS_STAGED
from portal.applications.locks import Refusal, lock_lab, locked_application
from portal.applications.moves.consequences import after_move, tell_of_move
from portal.applications.moves.rules import Case, is_done, last_move, leads_to, state_for, why_not, why_not_act_as
from portal.applications.people import applicants_in_conflict, readers_of
from portal.applications.states import LABELS, READ_BY_LABS, STAGING, SUBMITTING, Capacity, Move, move_named
from portal.applications.submissions import count_submission
from portal.models import Application, Choice, Cycle, Decision, InterviewSlot, Lab, MoveRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User


USUAL_REPLY_DAYS = 14
LONGEST_MESSAGE = 4_000  # characters
PLACING = frozenset({"rank", "take_back_decline"})
"""Moves that put a choice at the end of its lab's ranking."""


class AlreadyMoved(Refusal):
    """The target is already reached, as after a double click: `record` is the last move, which reached it."""

    def __init__(self, reason: str, record: MoveRecord | None) -> None:
        super().__init__(reason)
        self.record = record

    def was_sent_by(self, person: User, message: str = "") -> bool:
        """Whether `person` made that move with the same message, if any: then one form was sent twice."""
        if self.record is None or self.record.actor_id != person.id:
            return False
        return message.strip() in {"", self.record.message}


Made = tuple[Move, Case, MoveRecord]
"""A move that was made and of which nobody was told yet."""


def perform(
    session: Session,
    name: str,
    subject: Application | Choice,
    *,
    actor: User | None,
    capacity: Capacity,
    now: datetime,
    message: str = "",
    reply_days: int = USUAL_REPLY_DAYS,
) -> MoveRecord:
    """Make a move and all its consequences. The caller commits.

    `name` is that of a move in `portal.applications.states.MOVES`; `actor` is None for the clock and the system.
    Whether the actor has the capacity is checked here. `message` is for moves that need or allow one; of an offer,
    `reply_days` says how many days after its release its applicant has to answer.

    Side effects: takes the locks of `lock_for` until the transaction ends; writes the state, its record, the audit log,
    news and mail. Raises `AlreadyMoved`: the target is already reached; `ApplicationGone`: the application was erased;
    `Refusal`: a guard forbids it; `UnknownMove`: there is no such move.
    """
    choice = subject if isinstance(subject, Choice) else None
    move = move_named("choice" if choice else "application", name)
    application = lock_for(session, move, subject)
    if name in SUBMITTING:
        _hold_what_takes_it(session, application)
    return perform_locked(session, move, Case(application, choice, actor, capacity, now), message, reply_days)


def _hold_what_takes_it(session: Session, application: Application) -> None:
    """Read the cycle again, and prevent until the transaction ends that it is closed, or a chosen lab archived: both
    depend on what is submitted. The lock of a lab excludes nothing else (`portal.labs.service.hold`).
    """
    query = select(Cycle).where(Cycle.id == application.cycle_id).with_for_update(read=True)
    session.scalars(query.execution_options(populate_existing=True)).one()
    chosen = select(Choice.lab_id).where(Choice.application_id == application.id)
    labs = select(Lab.id).where(Lab.id.in_(chosen)).order_by(Lab.id).with_for_update(read=True, key_share=True)
    session.execute(labs).all()


def perform_locked(
    session: Session,
    move: Move,
    case: Case,
    message: str = "",
    reply_days: int = USUAL_REPLY_DAYS,
    *,
    later: list[Made] | None = None,
) -> MoveRecord:
    """Make a move, as `perform` does, for a caller that holds the locks of `lock_for` and has read the rows under them.

    With `later`, for many moves with few statements, the move and those that follow from it are added to that list, and
    the caller ends with `conclude`; until then, nobody is told of them. Raises `AlreadyMoved`: the target is already
    reached; `Refusal`: a guard forbids it.
    """
    choice = case.choice
    reason = why_not(session, move, case)
    if reason is not None:
        if is_done(session, move, case) and why_not_act_as(session, case) is None:
            done = f"This was done already: the {move.subject} is “{LABELS[move.subject][state_for(case)]}”."
            raise AlreadyMoved(done, last_move(session, move, case))
        raise Refusal(reason)
    if move.message and shows_nothing(message):
        raise Refusal("Write a sentence that says why; the applicant reads it.")
    if len(message) > LONGEST_MESSAGE:
        raise Refusal(f"Keep the message to {LONGEST_MESSAGE:,} characters; this one has {len(message):,}.")
    record = _write(session, move, case, message.strip())
    if later is None:
        session.flush()
    if move.name in STAGING and choice is not None:
        _stage(session, move, case, message.strip(), reply_days)
    _audit(session, move, case, record)
    after_move(session, move, case, record, partial(_follow, session, later))
    if later is None:
        tell_of_move(session, move, case, record)
        session.flush()
    else:
        later.append((move, case, record))
    return record


def _follow(session: Session, later: list[Made] | None, name: str, case: Case) -> None:
    """Make a move that follows from another one of the same application, whose lock is held."""
    perform_locked(session, move_named("choice" if case.choice else "application", name), case, later=later)


def conclude(session: Session, made: Iterable[Made]) -> None:
    """Send moves that `perform_locked` made with `later` to the database, and tell of them, in the order given."""
    session.flush()
    with mail.together(session):
        for move, case, record in made:
            tell_of_move(session, move, case, record)
    session.flush()


def lock_for(session: Session, move: Move, subject: Application | Choice) -> Application:
    """Take the locks of a move, in the order in which all moves take them: the lab's, if it takes a seat or a place in
    the ranking, and the application's. Returns the application, read again. Raises `ApplicationGone`: it was erased
    after `subject` was read.
    """
    if isinstance(subject, Choice) and ("seat_free" in move.guards or move.name in PLACING):
        lock_lab(session, subject.lab_id)
    return locked_application(session, subject)


def _write(session: Session, move: Move, case: Case, message: str) -> MoveRecord:
    before = case.choice.state if case.choice else case.application.state
    after = leads_to(session, move, case) or before
    if case.choice is None:
        if move.name in SUBMITTING:
            count_submission(case.application, case.now)
        case.application.state = after
        case.application.state_since = case.now
        case.application.state_reason = message
        _list_choices(case.application, case.now)
    elif after != before:
        case.choice.state = after
        case.choice.state_since = case.now
        if move.shown == "at once":
            case.choice.shown_state = after
            case.choice.shown_since = case.now
    record = MoveRecord(
        application_id=case.application.id,
        choice_id=case.choice.id if case.choice else None,
        move=move.name,
        from_state=before,
        to_state=after,
        at=case.now,
        actor_id=case.actor.id if case.actor else None,
        actor_role=case.capacity,
        message=message,
        shown_at=case.now if move.shown == "at once" and move.timeline_text else None,
    )
    session.add(record)
    return record


def _list_choices(application: Application, now: datetime) -> None:
    """Update the choices' place in labs' lists to what labs may read."""
    readable = application.state in READ_BY_LABS
    for choice in application.choices:
        if readable and choice.listed_in_id is None:
            choice.listed_since = now
        choice.listed_in_id = application.cycle_id if readable else None
        choice.submitted_at = application.submitted_at


def _stage(session: Session, move: Move, case: Case, message: str, reply_days: int) -> None:
    session.add(
        Decision(
            choice_id=case.of_choice.id,
            kind=move.name,
            message=message,
            reply_days=reply_days if move.name == "offer" else None,
            preference=case.of_choice.preference if move.name == "decline" else None,
            staged_at=case.now,
            staged_by_id=case.actor.id if case.actor else None,
        )
    )


def _audit(session: Session, move: Move, case: Case, record: MoveRecord) -> None:
    key = f"{case.application.id}" if case.choice is None else f"{case.application.id}/{case.choice.lab_id}"
    # Not the message itself: it is about a person, and what the log holds outlasts an erasure.
    after = {"state": record.to_state, "as": case.capacity, "characters_of_message": len(record.message)}
    actor, act, before = case.actor or f"the {case.capacity}", f"{move.subject}.{move.name}", record.from_state
    audit.record(session, actor, act, move.subject, key, case.now, before={"state": before}, after=after)


def cases_of(
    session: Session, choices: Sequence[Choice], actor: User, capacity: Capacity, now: datetime
) -> Mapping[int, Case]:
    """A case of each choice, by its id, for one move of it. Three statements, if the applications are in memory."""
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
    """A case of each of these applications, by ascending id, with all that its move asks for read again. As many
    statements for many as for one.
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
