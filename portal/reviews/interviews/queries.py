"""A lab's interview times for its page: by day, with who picked which, and who waits for one."""

from __future__ import annotations

from datetime import UTC
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import select

from portal.applications.interviews.queries import slots_of_lab, waiting_for_a_time
from portal.applications.people import applicants_in_conflict
from portal.models import Choice, Cycle, InterviewSlot, LabProfessor, User
from portal.moments import ANYWHERE_ON_EARTH, zone_label
from portal.reviews.blind_review import shown_as
from portal.reviews.rules import why_not_open_choice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.reviews.blind_review import Shown

UNNAMED = "Somebody you have a conflict of interest with"


class SlotRow(NamedTuple):
    """A line: the slot, its clock and zone, state, who picked it, and whether the reader may open or change it.

    `state` is "free", "taken", "cancelled" or "passed" (nobody picked it in time). `reason` is why it was
    cancelled, if the reader may know who had picked it.
    """

    slot: InterviewSlot
    clock: str
    zone: str
    stamp: str
    state: str
    person: str
    reason: str
    choice_id: int | None
    changeable: bool


class LabInterviews(NamedTuple):
    """A lab's times in a cycle by day, ahead and before (newest first); who waits; how many are free."""

    ahead: Sequence[tuple[date, Sequence[SlotRow]]]
    before: Sequence[tuple[date, Sequence[SlotRow]]]
    waiting: Sequence[tuple[Choice, str]]
    free: int


def lab_interviews(session: Session, lab: Lab, cycle: Cycle, reader: User, now: datetime) -> LabInterviews:
    """The interviews of a lab for one of its readers."""
    slots = sorted(slots_of_lab(session, lab, cycle.id), key=_day_and_time)
    waiting = waiting_for_a_time(session, lab, cycle.id)
    picked = [choice for slot in slots for choice in (slot.choice, slot.cancelled_choice) if choice is not None]
    shown = dict(shown_as(session, lab, reader, [*picked, *waiting]))
    excluded = applicants_in_conflict(session, reader)
    for choice in (*picked, *waiting):
        in_conflict = choice.application.applicant_id in excluded
        if why_not_open_choice(session, reader, lab, choice, in_conflict=in_conflict) is not None:
            shown.pop(choice.id, None)
    named = [(choice, shown[choice.id].label) for choice in waiting if choice.id in shown]
    return LabInterviews(
        ahead=_by_day([_row(slot, shown, now) for slot in slots if slot.starts_at > now]),
        before=_by_day([_row(slot, shown, now) for slot in slots if slot.starts_at <= now])[::-1],
        waiting=named,
        free=sum(_state(slot, now) == "free" for slot in slots),
    )


def cycles_for_interviews(session: Session) -> Sequence[Cycle]:
    """The running cycles, the one with the latest deadline first; all cycles if none is running."""
    ordered = select(Cycle).order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
    running = session.scalars(ordered.where(Cycle.closed_at.is_(None))).all()
    return running or session.scalars(ordered).all()


def people_of(session: Session, lab: Lab) -> Sequence[User]:
    """Possible interviewers: the active readers of a lab, by name."""
    return session.scalars(
        select(User)
        .join(LabProfessor, LabProfessor.user_id == User.id)
        .where(LabProfessor.lab_id == lab.id, User.active.is_(True))
        .order_by(User.name, User.id)
    ).all()


def cycle_at_work(session: Session, lab: Lab, cycles: Sequence[Cycle], now: datetime) -> Cycle | None:
    """The cycle of a lab's interviews: one in which somebody waits, else one with a future time, else the first."""
    waits = (cycle for cycle in cycles if waiting_for_a_time(session, lab, cycle.id))
    ahead = (cycle for cycle in cycles if any(slot.starts_at > now for slot in slots_of_lab(session, lab, cycle.id)))
    return next(chain(waits, ahead, cycles), None)


def known_zone(session: Session, lab: Lab, cycle: Cycle | None) -> str | None:
    """The zone of the lab's newest time, or else of the cycle; None if neither has one."""
    last = session.scalar(
        select(InterviewSlot.zone).where(InterviewSlot.lab_id == lab.id).order_by(InterviewSlot.id.desc()).limit(1)
    )
    if last is not None:
        return last
    return cycle.zone if cycle is not None and cycle.zone != ANYWHERE_ON_EARTH else None


def slot_of_lab(session: Session, lab: Lab, slot_id: int) -> InterviewSlot | None:
    """One of the lab's times."""
    return session.scalar(select(InterviewSlot).where(InterviewSlot.id == slot_id, InterviewSlot.lab_id == lab.id))


def _row(slot: InterviewSlot, shown: dict[int, Shown], now: datetime) -> SlotRow:
    person = ""
    if slot.choice_id is not None:
        person = shown[slot.choice_id].label if slot.choice_id in shown else UNNAMED
    cancelled_person = shown.get(slot.cancelled_choice_id or 0)
    may_read = slot.cancelled_choice_id is None or (cancelled_person is not None and not cancelled_person.hidden)
    reason = f"Cancelled: {slot.cancel_reason}" if slot.cancel_reason and may_read else ""
    return SlotRow(
        slot=slot,
        clock=f"{slot.starts_at.astimezone(ZoneInfo(slot.zone)):%H:%M}",
        zone=zone_label(slot.zone, slot.starts_at),
        stamp=f"{slot.starts_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        state=_state(slot, now),
        person=person,
        reason=reason,
        choice_id=slot.choice_id if slot.choice_id in shown else None,
        # As `why_not_change_slot`, without a query for each slot.
        changeable=slot.cycle.closed_at is None
        and slot.cancelled_at is None
        and slot.starts_at > now
        and (slot.choice_id is None or slot.choice_id in shown),
    )


def _state(slot: InterviewSlot, now: datetime) -> str:
    if slot.cancelled_at is not None:
        return "cancelled"
    if slot.choice_id is not None:
        return "taken"
    return "free" if slot.starts_at > now else "passed"


def _by_day(rows: Sequence[SlotRow]) -> list[tuple[date, Sequence[SlotRow]]]:
    return [(day, list(of_day)) for day, of_day in groupby(rows, key=lambda row: _day_and_time(row.slot)[0])]


def _day_and_time(slot: InterviewSlot) -> tuple[date, datetime]:
    """The day in the zone of the offer, and the moment."""
    return slot.starts_at.astimezone(ZoneInfo(slot.zone)).date(), slot.starts_at
