"""Taking an interview off its time: the time is free for others, and both sides are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.interviews import news
from portal.applications.interviews.queries import slot_of
from portal.db import lock_row
from portal.models import InterviewSlot

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice


def free_time(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """Take the interview on `choice` off its time, and tell both sides. The caller holds the lock of the slot."""
    cancelled = news.cancelled_interview(session, slot, choice, now)
    untie(slot)
    session.flush()
    news.tell_cancelled(session, slot, choice, cancelled, now=now)


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


def untie(slot: InterviewSlot) -> None:
    """Take the choice off a slot, and raise the sequence number so that calendars notice the change."""
    slot.choice_id, slot.picked_at = None, None
    slot.sequence += 1
