"""Writes a lab's interview times (offer, move, cancel), and the rules for it. The caller commits."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import select

from portal import audit
from portal.applications.cycles import why_closed
from portal.applications.interviews.queries import (
    FEWEST_MINUTES,
    MOST_MINUTES,
    MOST_SLOTS,
    clashing,
    free_slots_of,
    waiting_for_a_time,
)
from portal.applications.interviews.service import hold, tell_cancelled, tell_fixed, tell_offered
from portal.applications.locks import Refusal, lock_lab, lock_person, refuse_if
from portal.models import Choice, Cycle, InterviewSlot, Lab, LabProfessor
from portal.moments import format_in_zone, point_of, readers_zone, told, why_not_year, why_skipped
from portal.reviews.rules import why_not_open_choice, why_not_read_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User


def why_not_offer(session: Session, lab: Lab, cycle: Cycle, interviewer: User | None) -> str | None:
    """Times are offered in a running cycle, by an interviewer who reads for the lab."""
    if reason := why_closed(cycle):
        return reason
    if interviewer is not None and (
        not interviewer.active or session.get(LabProfessor, (lab.id, interviewer.id)) is None
    ):
        return f"{interviewer.display_name} does not read for {lab.name}. An administrator can add them."
    return None


def why_not_change_slot(session: Session, slot: InterviewSlot, professor: User, now: datetime) -> str | None:
    """Readers of the lab may change a time before it begins; for a picked one, those without a conflict."""
    lab = slot.lab
    reason = why_not_read_for(session, professor, lab)
    if reason is not None:
        return reason
    choice = session.get(Choice, slot.choice_id) if slot.choice_id else None
    if choice is not None:
        reason = why_not_open_choice(session, professor, lab, choice)
        if reason is not None:
            return reason
    if reason := why_closed(slot.cycle):
        return reason
    if slot.cancelled_at is not None:
        return "This time was cancelled. Offer a new one."
    if slot.starts_at <= now:
        return f"This time began on {told(slot.starts_at, slot.zone)}; it stays as it was."
    return None


LONGEST_WHERE = 500  # characters
LONGEST_REASON = 2_000


class AlreadyOffered(Refusal):
    """Exactly these times were already offered, as by a double click."""


class ChangedMeanwhile(Refusal):
    """The time was changed, picked or given back since the page with the form was opened."""


class Place(NamedTuple):
    """Where an interview takes place (a room or a video address), and its interviewer."""

    interviewer: User | None
    where: str = ""


class Plan(NamedTuple):
    """When interviews begin, in UTC and in order, how long each takes, and the zone in which they are told."""

    starts: Sequence[datetime]
    minutes: int
    zone: str


def why_not_plan(plan: Plan) -> str | None:
    """The first reason against a plan."""
    if not FEWEST_MINUTES <= plan.minutes <= MOST_MINUTES:
        return f"An interview takes {FEWEST_MINUTES} to {MOST_MINUTES} minutes."
    if len(plan.starts) > MOST_SLOTS:
        return f"These are {len(plan.starts):,} times; offer at most {MOST_SLOTS} at once."
    if any(later - sooner < timedelta(minutes=plan.minutes) for sooner, later in pairwise(plan.starts)):
        return f"Two of the times are less than {plan.minutes} minutes apart. Give each interview its own time."
    return None


def offer_slots(
    session: Session, lab: Lab, cycle: Cycle, plan: Plan, place: Place, *, actor: User, organizer: str, now: datetime
) -> Sequence[InterviewSlot]:
    """Offer those times of a plan that are in the future, and tell those invited for whom none was free so far.

    `organizer` is the mail address in calendars. Raises `AlreadyOffered` if all exist as requested, and `Refusal`
    if a rule forbids it or a time overlaps with another one of the interviewer's, at any lab.
    """
    refuse_if(why_not_offer(session, lab, cycle, place.interviewer))
    refuse_if(why_not_plan(plan))
    ahead = [start for start in plan.starts if start > now]
    if not ahead:
        raise Refusal("All of these times have passed. Choose a later day.")
    _lock_times_of(session, lab, place.interviewer)
    if _offered_already(session, lab, cycle, plan, place) >= set(ahead):
        raise AlreadyOffered("These times are offered already.")
    _refuse_clash(session, lab, place.interviewer, ahead, plan.minutes, plan.zone)
    slots = [
        InterviewSlot(
            lab_id=lab.id,
            cycle_id=cycle.id,
            interviewer_id=place.interviewer.id if place.interviewer else None,
            uid=f"{secrets.token_hex(16)}@{organizer.rpartition('@')[2] or 'portal'}"[:80],
            organizer=organizer,
            starts_at=start,
            minutes=plan.minutes,
            zone=plan.zone,
            where=place.where.strip(),
            created_at=now,
        )
        for start in ahead
    ]
    invited = waiting_for_a_time(session, lab, cycle.id)
    before = free_slots_of(session, invited, now)
    session.add_all(slots)
    session.flush()
    after_it = free_slots_of(session, invited, now)
    waiting = [choice for choice in invited if after_it[choice.id] and not before[choice.id]]
    tell_offered(session, waiting, slots[0], now=now)
    after = {"lab": lab.slug, "count": len(slots), "first": slots[0].starts_at.isoformat(), "minutes": plan.minutes}
    _audit(session, "offer", slots[0], actor, now, after)
    return slots


def cancel_slot(
    session: Session, slot: InterviewSlot, reason: str, *, actor: User, now: datetime, seen: int | None = None
) -> None:
    """Cancel a time; the applicant who picked it is notified and can pick another. Repeating it changes nothing.

    The reason goes to the applicant and, unless the lab reviews blind, to the interviewers. Raises `ChangedMeanwhile`
    if its sequence number is not `seen`, and `Refusal` if it has begun, or somebody picked it and there is no
    reason.
    """
    hold(session, slot)
    if slot.cancelled_at is not None:
        return
    refuse_if(why_not_change_slot(session, slot, actor, now))
    _refuse_if_changed(slot, seen)
    choice = session.get(Choice, slot.choice_id) if slot.choice_id else None
    if choice is not None and not reason.strip():
        raise Refusal("Write a sentence that says why; the applicant reads it.")
    if choice is not None:
        tell_cancelled(session, slot, choice, now=now, reason=reason.strip())
        slot.choice_id, slot.picked_at = None, None
        slot.cancelled_choice_id = choice.id
    slot.sequence += 1
    slot.cancelled_at, slot.cancel_reason = now, reason.strip()
    session.flush()
    # Not the reason itself: it is to a person, and what the log holds outlasts an erasure.
    after = {"choice": choice.id if choice else None, "characters_of_reason": len(reason.strip())}
    _audit(session, "cancel", slot, actor, now, after)


def move_slot(
    session: Session,
    slot: InterviewSlot,
    local: datetime,
    minutes: int,
    where: str,
    *,
    actor: User,
    now: datetime,
    seen: int | None = None,
) -> bool:
    """Change a time's start, length or place; who picked it is told. False if nothing changes. `local` is on the clock
    of the actor, or else in the zone of the offer.

    Raises `ChangedMeanwhile` if its sequence number is not `seen`, and `Refusal` if it has begun, or the new time
    does not exist, has passed, or overlaps with another one.
    """
    interviewer, lab = slot.interviewer, slot.lab
    refuse_if(why_not_year(local.date()) or why_not_plan(Plan((), minutes, slot.zone)))
    zone = readers_zone(slot.zone)
    starts_at = point_of(local, ZoneInfo(zone))
    if starts_at is None:
        raise Refusal(why_skipped(zone))
    if starts_at <= now:
        raise Refusal("This time has passed. Choose a later one.")
    _lock_times_of(session, lab, interviewer)
    hold(session, slot)
    refuse_if(why_not_change_slot(session, slot, actor, now))
    if (slot.starts_at, slot.minutes, slot.where) == (starts_at, minutes, where.strip()):
        return False
    _refuse_if_changed(slot, seen)
    _refuse_clash(session, lab, interviewer, [starts_at], minutes, zone, ignored=slot)
    before = {"starts_at": slot.starts_at.isoformat(), "minutes": slot.minutes}
    slot.starts_at, slot.minutes, slot.where = starts_at, minutes, where.strip()
    slot.sequence += 1
    session.flush()
    choice = session.get(Choice, slot.choice_id) if slot.choice_id else None
    if choice is not None:
        tell_fixed(session, "interview_changed", slot, choice, now=now)
    _audit(session, "move", slot, actor, now, {"from": before, "starts_at": starts_at.isoformat(), "minutes": minutes})
    return True


def _lock_times_of(session: Session, lab: Lab, interviewer: User | None) -> None:
    """Lock the interviewer's times, or the lab's if there is no interviewer."""
    if interviewer is not None:
        lock_person(session, interviewer)
        return
    lock_lab(session, lab.id)


def _offered_already(session: Session, lab: Lab, cycle: Cycle, plan: Plan, place: Place) -> set[datetime]:
    """When times with the same length, zone, place and interviewer begin."""
    same = (
        (InterviewSlot.minutes, plan.minutes),
        (InterviewSlot.zone, plan.zone),
        (InterviewSlot.where, place.where.strip()),
        (InterviewSlot.interviewer_id, place.interviewer.id if place.interviewer else None),
        (InterviewSlot.cancelled_at, None),
    )
    of_lab = select(InterviewSlot.starts_at).where(InterviewSlot.lab_id == lab.id, InterviewSlot.cycle_id == cycle.id)
    return set(session.scalars(of_lab.where(*(column.is_not_distinct_from(value) for column, value in same))))


def _refuse_clash(
    session: Session,
    lab: Lab,
    interviewer: User | None,
    starts: Sequence[datetime],
    minutes: int,
    zone: str,
    ignored: InterviewSlot | None = None,
) -> None:
    other = clashing(session, lab.id, interviewer, starts, minutes, ignored)
    if other is None:
        return
    when = format_in_zone(other.starts_at, zone)
    if interviewer is None:
        raise Refusal(f"The lab offers a time at {when} already, and no interviewer is named for either.")
    where = "" if other.lab_id == lab.id else " at another lab"
    raise Refusal(
        f"{interviewer.display_name} has an interview time{where} at {when} already, for {other.minutes} minutes."
    )


def _refuse_if_changed(slot: InterviewSlot, seen: int | None) -> None:
    if seen is None or seen == slot.sequence:
        return
    picked = "somebody picked it" if slot.choice_id else "nobody picked it"
    where = f", at “{slot.where}”" if slot.where else ""
    raise ChangedMeanwhile(
        f"This time changed while your page was open. Now it is {told(slot.starts_at, slot.zone)}, "
        f"{slot.minutes} minutes{where}, and {picked}. Send the form again if it is still what you want."
    )


def _audit(session: Session, act: str, slot: InterviewSlot, actor: User, now: datetime, after: object) -> None:
    audit.record(session, actor, f"interview.{act}", "interview", str(slot.id), now, after=after)
