"""The times that applicants pick for their interviews. Nobody is booked twice, however many ask at once.

A time is taken by one statement that also checks that it is free, and an index allows a choice only one time. The
caller commits, or rolls back after a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, select, true, update

from portal import audit
from portal.applications.interviews import news
from portal.applications.interviews.queries import free_slots, other_interviews, overlaps, slot_of
from portal.applications.locks import MoveRefused, lock_person, locked_application
from portal.db import lock_row
from portal.models import InterviewSlot
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.models import Choice, User


class SlotGone(MoveRefused):
    """Somebody else was quicker, the time has passed, or the lab took it back. Other times may be left."""


@dataclass(frozen=True, slots=True)
class ShownTime:
    """A time as a page offered it: the lab can move it while the page is open."""

    starts_at: datetime
    minutes: int


def why_not_choose_time(choice: Choice) -> str | None:
    """Against picking, changing or giving back a time for this choice.

    This depends only on what the applicant was shown: a refusal must not reveal that a decision waits for its release.
    """
    if choice.application.cycle.closed_at is not None:
        return f"{choice.application.cycle.name} is closed; nothing in it can be changed any more."
    if choice.application.state != "eligible":
        return "Your application is not open any more."
    if choice.shown_state != "interview":
        return "There is no open invitation to an interview here."
    return None


def pick_slot(
    session: Session, choice: Choice, slot_id: int, *, actor: User, now: datetime, shown: ShownTime | None = None
) -> InterviewSlot:
    """Take a free time for the interview, in place of one that was picked before. The same again changes nothing.

    With `shown`, only if the time is still as the applicant read it.

    Side effects: takes the locks of the person and of the application, frees the time before, tells both sides.

    Raises:
        SlotGone: The time cannot be had any more. Nothing was written.
        MoveRefused: The applicant cannot pick a time now.
    """
    previous = _locked(session, choice, actor, now)
    if previous is not None and previous.id == slot_id:
        return previous
    slot = _held(session, choice, slot_id, now, shown)
    _ensure_possible(session, choice, slot, now)
    if previous is not None:
        free_time(session, previous, choice, now=now)
    slot.choice_id, slot.picked_at = choice.id, now
    slot.sequence += 1
    session.flush()
    session.expire(slot, ["choice"])
    news.tell_picked(session, slot, choice, now=now)
    _audit(session, "pick", slot, choice, actor, now)
    return slot


def _held(session: Session, choice: Choice, slot_id: int, now: datetime, shown: ShownTime | None) -> InterviewSlot:
    """A time that is free for the choice. Side effect: holds its row, so that nobody else finds it free.

    Raises:
        SlotGone: It cannot be had any more.
    """
    unmoved = true() if shown is None else _is_as_shown(shown)
    free = (
        update(InterviewSlot)
        .where(
            InterviewSlot.id == slot_id,
            InterviewSlot.lab_id == choice.lab_id,
            InterviewSlot.cycle_id == choice.application.cycle_id,
            InterviewSlot.choice_id.is_(None),
            InterviewSlot.cancelled_at.is_(None),
            InterviewSlot.starts_at > now,
            unmoved,
        )
        .values(minutes=InterviewSlot.minutes)
        .returning(InterviewSlot.id)
    )
    if session.execute(free, execution_options={"synchronize_session": False}).one_or_none() is None:
        raise SlotGone("This time is no longer available. Pick another one below.")
    return session.scalars(
        select(InterviewSlot).where(InterviewSlot.id == slot_id).execution_options(populate_existing=True)
    ).one()


def give_back(session: Session, choice: Choice, *, actor: User, now: datetime) -> bool:
    """Give the picked time back, so that others can pick it; False where none was picked.

    Raises:
        MoveRefused: The interview has begun, or the applicant cannot change it now.
    """
    slot = _locked(session, choice, actor, now)
    if slot is None:
        return False
    free_time(session, slot, choice, now=now)
    _audit(session, "give_back", slot, choice, actor, now)
    return True


def _is_as_shown(shown: ShownTime) -> ColumnElement[bool]:
    return and_(InterviewSlot.starts_at == shown.starts_at, InterviewSlot.minutes == shown.minutes)


def _locked(session: Session, choice: Choice, actor: User, now: datetime) -> InterviewSlot | None:
    """The picked time, read under the locks of the person and the application, once nothing is against changing it."""
    lock_person(session, actor)
    application = locked_application(session, choice)
    if application.applicant_id != actor.id:
        raise MoveRefused("This is somebody else’s application.")
    reason = why_not_choose_time(choice)
    if reason is not None:
        raise MoveRefused(reason)
    slot = slot_of(session, choice)
    if slot is None:
        return None
    hold(session, slot)
    if slot.choice_id != choice.id:
        return None
    if slot.starts_at <= now:
        raise MoveRefused(
            f"Your interview was on {format_in_zone(slot.starts_at, slot.zone)}. Ask the lab for another one."
        )
    return slot


def _ensure_possible(session: Session, choice: Choice, slot: InterviewSlot, now: datetime) -> None:
    other = next(
        (
            interview
            for interview in other_interviews(session, choice, now)
            if overlaps(slot.starts_at, slot.minutes, interview.starts_at, interview.minutes)
        ),
        None,
    )
    if other is not None:
        raise SlotGone(
            f"You have another interview on {format_in_zone(other.starts_at, slot.zone)}. Pick another time."
        )
    if slot.id not in {free.id for free in free_slots(session, choice, now)}:
        raise SlotGone("This time is no longer available. Pick another one below.")


def _audit(session: Session, act: str, slot: InterviewSlot, choice: Choice, actor: User, now: datetime) -> None:
    audit.record(
        session,
        actor=actor,
        act=f"interview.{act}",
        object_type="interview",
        object_key=str(slot.id),
        now=now,
        after={"choice": choice.id, "starts_at": slot.starts_at.isoformat()},
    )


def free_time(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """Take the interview on `choice` off its time, and tell both sides. The caller holds the lock of the slot."""
    news.tell_cancelled(session, slot, choice, now=now)
    slot.choice_id, slot.picked_at = None, None
    slot.sequence += 1
    session.flush()


def free_time_ahead(session: Session, choice: Choice, *, now: datetime) -> bool:
    """Free the time of an interview that will not take place any more; False where none lies ahead."""
    slot = slot_of(session, choice)
    if slot is None or slot.starts_at <= now:
        return False
    hold(session, slot)
    if slot.choice_id != choice.id:
        return False
    free_time(session, slot, choice, now=now)
    return True


def hold(session: Session, slot: InterviewSlot) -> None:
    """Lock a slot until this transaction ends, and read it again."""
    lock_row(session, InterviewSlot.minutes, slot.id)
    session.refresh(slot)
