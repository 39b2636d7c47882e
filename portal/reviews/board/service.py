"""Writes a lab's order of preference as a whole.

Choices that were ranked and are now on the waitlist or offered keep their position. A leader with a conflict of
interest does not see those choices: they stay where they are, and the others move around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_lab
from portal.models import Application, Choice, Cycle, User
from portal.reviews.board.queries import ranked_ids, seen_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab


class OrderChanged(Exception):
    """The ranking has changed since it was shown. Nothing was written."""


def placed(ids: Sequence[int], places: Mapping[int, int]) -> list[int]:
    """The order with some choices at given positions, from 1; the others fill the rest in their order."""
    moved = {
        choice_id: place
        for choice_id, place in places.items()
        if choice_id in ids and ids.index(choice_id) + 1 != place
    }
    ordered = [choice_id for choice_id in ids if choice_id not in moved]
    for choice_id in sorted(moved, key=lambda choice_id: (moved[choice_id], ids.index(choice_id))):
        ordered.insert(min(max(moved[choice_id], 1), len(ordered) + 1) - 1, choice_id)
    return ordered


def save_order(
    session: Session, lab: Lab, cycle: Cycle, leader: User, order: Sequence[int], *, seen: str, now: datetime
) -> bool:
    """Save the order `order`; False if unchanged. Locks the lab and its choices with a place; writes an audit entry.

    Raises `OrderChanged` if the ranking changed since `seen`, or `order` is not a permutation of it.
    """
    lock_lab(session, lab.id)
    preferred = _locked(session, lab, cycle)
    current = ranked_ids(session, lab, cycle, leader)
    if list(order) == current:
        return False
    if seen_order(current) != seen or sorted(order) != sorted(current):
        raise OrderChanged
    by_id = {choice.id: choice for choice in preferred}
    next_ids, by_leader = iter(order), set(current)
    for place, choice in enumerate(preferred, start=1):
        preferred_choice = by_id[next(next_ids)] if choice.id in by_leader else choice
        preferred_choice.preference = place
    audit.record(
        session,
        actor=leader,
        act="lab.order",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before={"choices": current},
        after={"choices": list(order)},
    )
    session.flush()
    return True


def _locked(session: Session, lab: Lab, cycle: Cycle) -> Sequence[Choice]:
    """Lock all choices with a place or ranked, in that order, so that one declined at this moment gets no place."""
    return session.scalars(
        select(Choice)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab.id,
            Application.cycle_id == cycle.id,
            Choice.preference.is_not(None) | (Choice.state == "ranked"),
        )
        .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        .with_for_update(of=Choice)
        .execution_options(populate_existing=True)
    ).all()
