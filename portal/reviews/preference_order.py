"""A lab's order of preference among those it ranked: saved as a whole, in one transaction.

Choices that were ranked before and are on the waitlist or offered now keep their place between the others. A leader in
conflict with somebody of the ranking does not see them: they stay where they are, and the others move around them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.models import Application, Choice
from portal.reviews.queue_rows import in_conflict_with
from portal.reviews.seats import lock_lab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User


class OrderChanged(Exception):  # noqa: N818  (no error of the program: somebody else was quicker)
    """The ranking is not the one that was shown any more. Nothing was written."""


def ranked_ids(session: Session, lab: Lab, cycle: Cycle, leader: User) -> list[int]:
    """The ranked choices that the leader may see, the most preferred first, as they are stored now."""
    return list(
        session.scalars(
            select(Choice.id)
            .join(Application, Application.id == Choice.application_id)
            .where(
                Choice.lab_id == lab.id,
                Application.cycle_id == cycle.id,
                Choice.state == "ranked",
                ~in_conflict_with(leader),
            )
            .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        )
    )


def seen_order(ids: Sequence[int]) -> str:
    """What a form remembers of the order that it was opened with."""
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16]


def shifted(ids: Sequence[int], choice_id: int, steps: int) -> list[int]:
    """The order with one choice `steps` places further down, or up for a negative number, as far as it goes."""
    rest = [one for one in ids if one != choice_id]
    at = min(max(ids.index(choice_id) + steps, 0), len(rest))
    return [*rest[:at], choice_id, *rest[at:]]


def placed(ids: Sequence[int], places: Mapping[int, int]) -> list[int]:
    """The order with some choices at the given places, counted from 1; the others fill the rest as they stood."""
    moved = {one: place for one, place in places.items() if one in ids and ids.index(one) + 1 != place}
    ordered = [one for one in ids if one not in moved]
    for one in sorted(moved, key=lambda one: (moved[one], ids.index(one))):
        ordered.insert(min(max(moved[one], 1), len(ordered) + 1) - 1, one)
    return ordered


def save_order(
    session: Session, lab: Lab, cycle: Cycle, leader: User, wanted: Sequence[int], *, seen: str, now: datetime
) -> bool:
    """Put the ranked choices into the wanted order; False where they are in it already.

    Side effects: takes the lab's lock until the transaction ends, writes the audit log.

    Raises:
        OrderChanged: The ranking changed since `seen`, or `wanted` is not an order of it.
    """
    lock_lab(session, lab)
    current = ranked_ids(session, lab, cycle, leader)
    if list(wanted) == current:
        return False
    if seen_order(current) != seen or sorted(wanted) != sorted(current):
        raise OrderChanged
    preferred = session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Choice.preference.is_not(None) | Choice.id.in_(current),
        )
        .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        .execution_options(populate_existing=True)
    ).all()
    by_id = {choice.id: choice for choice in preferred}
    coming = iter(wanted)
    for place, choice in enumerate(preferred, start=1):
        taken = by_id[next(coming)] if choice.id in set(current) else choice
        taken.preference = place
    audit.record(
        session,
        actor=leader,
        act="lab.order",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before={"choices": current},
        after={"choices": list(wanted)},
    )
    session.flush()
    return True
