"""The times of interviews, as applicants and labs read them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, select
from sqlalchemy.orm import contains_eager, joinedload

from portal.applications.people import professors_of
from portal.models import Application, Choice, Conflict, InterviewSlot, User

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Lab


MOST_SLOTS = 200
FEWEST_MINUTES, MOST_MINUTES = 5, 480


def overlaps(starts_at: datetime, minutes: int, other_starts_at: datetime, other_minutes: int) -> bool:
    """Whether two interviews have a minute in common; one may begin when the other ends."""
    return starts_at < other_starts_at + timedelta(minutes=other_minutes) and other_starts_at < starts_at + timedelta(
        minutes=minutes
    )


def slot_of(session: Session, choice: Choice) -> InterviewSlot | None:
    """The time that was picked for an interview on this choice."""
    return session.scalar(select(InterviewSlot).where(InterviewSlot.choice_id == choice.id))


def last_cancelled(session: Session, choice: Choice) -> InterviewSlot | None:
    """The time of this choice's interview that the lab cancelled last."""
    return session.scalar(
        select(InterviewSlot)
        .where(InterviewSlot.cancelled_choice_id == choice.id)
        .order_by(InterviewSlot.cancelled_at.desc(), InterviewSlot.id.desc())
        .limit(1)
    )


def free_slots(session: Session, choice: Choice, now: datetime) -> Sequence[InterviewSlot]:
    """The times that the applicant of `choice` can pick, the next one first; see `free_slots_of`."""
    return free_slots_of(session, [choice], now)[choice.id]


def free_slots_of(session: Session, choices: Sequence[Choice], now: datetime) -> Mapping[int, Sequence[InterviewSlot]]:
    """The times that the applicant of each choice can pick, by choice, the next one first: not of an interviewer with a
    conflict of interest, nor during another interview. At most three statements.
    """
    applicants = {choice.application.applicant_id for choice in choices}
    offered = session.scalars(
        select(InterviewSlot)
        .where(
            InterviewSlot.lab_id.in_({choice.lab_id for choice in choices}),
            InterviewSlot.cycle_id.in_({choice.application.cycle_id for choice in choices}),
            InterviewSlot.choice_id.is_(None),
            InterviewSlot.cancelled_at.is_(None),
            InterviewSlot.starts_at > now,
        )
        .order_by(InterviewSlot.starts_at, InterviewSlot.id)
    ).all()
    interviewers = {slot.interviewer_id for slot in offered if slot.interviewer_id is not None}
    apart = _declared(session, interviewers, applicants) if interviewers else set()
    taken = _interviews_ahead(session, applicants, now) if offered else {}
    return {
        choice.id: [
            slot
            for slot in offered
            if (slot.lab_id, slot.cycle_id) == (choice.lab_id, choice.application.cycle_id)
            and slot.interviewer_id != choice.application.applicant_id
            and (slot.interviewer_id, choice.application.applicant_id) not in apart
            and not any(
                overlaps(slot.starts_at, slot.minutes, other.starts_at, other.minutes)
                for other in taken.get(choice.application.applicant_id, ())
                if other.choice_id != choice.id
            )
        ]
        for choice in choices
    }


def _declared(session: Session, reviewers: Collection[int], applicants: Collection[int]) -> set[tuple[int | None, int]]:
    """Reviewer and applicant of each declared conflict of interest between them."""
    rows = session.execute(
        select(Conflict.reviewer_id, Conflict.applicant_id).where(
            Conflict.reviewer_id.in_(reviewers), Conflict.applicant_id.in_(applicants), Conflict.state == "declared"
        )
    )
    return {(reviewer, applicant) for reviewer, applicant in rows}


def _interviews_ahead(
    session: Session, applicants: Collection[int], now: datetime
) -> Mapping[int, Sequence[InterviewSlot]]:
    """The interviews ahead, by applicant, in whatever cycle."""
    rows = session.execute(
        select(Application.applicant_id, InterviewSlot)
        .join(Choice, Choice.id == InterviewSlot.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Application.applicant_id.in_(applicants), InterviewSlot.starts_at > now - timedelta(minutes=MOST_MINUTES)
        )
    )
    ahead: dict[int, list[InterviewSlot]] = {}
    for applicant, slot in rows:
        ahead.setdefault(applicant, []).append(slot)
    return ahead


def slots_of_lab(session: Session, lab: Lab, cycle_id: int) -> Sequence[InterviewSlot]:
    """Every time that a lab offered in a cycle, in order."""
    return session.scalars(
        select(InterviewSlot)
        .where(InterviewSlot.lab_id == lab.id, InterviewSlot.cycle_id == cycle_id)
        .options(
            joinedload(InterviewSlot.interviewer),
            joinedload(InterviewSlot.choice).joinedload(Choice.application),
            joinedload(InterviewSlot.cancelled_choice).joinedload(Choice.application),
            joinedload(InterviewSlot.cycle),
        )
        .order_by(InterviewSlot.starts_at, InterviewSlot.id)
    ).all()


def clashing(
    session: Session,
    lab_id: int,
    interviewer: User | None,
    starts: Sequence[datetime],
    minutes: int,
    ignored: InterviewSlot | None = None,
) -> InterviewSlot | None:
    """A time, offered or taken, that overlaps with one that begins at one of `starts`, which are in order: of the
    interviewer at any lab or, without one, of the lab. One statement.
    """
    of_interviewer = (
        InterviewSlot.interviewer_id == interviewer.id
        if interviewer is not None
        else and_(InterviewSlot.lab_id == lab_id, InterviewSlot.interviewer_id.is_(None))
    )
    nearby = session.scalars(
        select(InterviewSlot)
        .where(
            of_interviewer,
            InterviewSlot.cancelled_at.is_(None),
            InterviewSlot.starts_at > starts[0] - timedelta(minutes=MOST_MINUTES),
            InterviewSlot.starts_at < starts[-1] + timedelta(minutes=minutes),
        )
        .order_by(InterviewSlot.starts_at)
        .execution_options(populate_existing=True)
    ).all()
    return next(
        (
            slot
            for start in starts
            for slot in nearby
            if slot is not ignored and overlaps(start, minutes, slot.starts_at, slot.minutes)
        ),
        None,
    )


def waiting_for_a_time(session: Session, lab: Lab, cycle_id: int) -> Sequence[Choice]:
    """The choices that were invited to an interview and have no time yet."""
    has_time = exists().where(InterviewSlot.choice_id == Choice.id)
    return session.scalars(
        select(Choice)
        .join(Choice.application)
        .options(contains_eager(Choice.application))
        .where(
            Choice.lab_id == lab.id,
            Choice.state == "interview",
            Application.cycle_id == cycle_id,
            Application.state == "eligible",
            ~has_time,
        )
        .order_by(Choice.state_since, Choice.id)
    ).all()


def interviewers_of(session: Session, slot: InterviewSlot) -> Sequence[User]:
    """Who is told of an interview: its interviewer if they read for the lab, else all who do; nobody in conflict."""
    readers = professors_of(session, slot.lab_id)
    named = [person for person in readers if person.id == slot.interviewer_id]
    allowed = professors_of(session, slot.lab_id, slot.choice.application.applicant if slot.choice else None)
    return [person for person in named or readers if person in allowed]
