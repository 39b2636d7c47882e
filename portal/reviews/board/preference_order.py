"""A lab's order of preference among its ranked choices, saved as a whole in one transaction.

Choices that were ranked and are now on the waitlist or offered keep their position. A leader with a conflict of
interest does not see those choices: they stay where they are, and the others move around them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_lab
from portal.models import Application, Choice
from portal.reviews.queue.rows import in_conflict_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User


class OrderChanged(Exception):
    """The ranking has changed since it was shown. Nothing was written."""


def ranked_ids(session: Session, lab: Lab, cycle: Cycle, reader: User) -> list[int]:
    """The ranked choices that a reader of the lab may see, most preferred first, as stored now."""
    return list(
        session.scalars(
            select(Choice.id)
            .join(Application, Application.id == Choice.application_id)
            .where(
                Choice.lab_id == lab.id,
                Application.cycle_id == cycle.id,
                Choice.state == "ranked",
                ~in_conflict_with(reader),
            )
            .order_by(Choice.preference.is_(None), Choice.preference, Choice.id)
        )
    )


def ranked_places(session: Session, lab: Lab, cycle: Cycle, reader: User) -> Mapping[int, int]:
    """The place of each ranked choice that somebody may see, from 1, by the choice's id. Stored preferences have gaps,
    as after a decline.
    """
    return {choice_id: place for place, choice_id in enumerate(ranked_ids(session, lab, cycle, reader), start=1)}


def seen_order(ids: Sequence[int]) -> str:
    """The order in the form in which a page sends it back."""
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16]


def shifted(ids: Sequence[int], choice_id: int, steps: int) -> list[int]:
    """The order with one choice moved down by `steps`, or up if negative, as far as possible."""
    others = [other for other in ids if other != choice_id]
    index = min(max(ids.index(choice_id) + steps, 0), len(others))
    return [*others[:index], choice_id, *others[index:]]


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
    """Save the order `order`; False if it is unchanged.

    Side effects: locks the lab and the choices with a place until the transaction ends; writes an audit entry.

    Raises:
        OrderChanged: The ranking changed since `seen`, or `order` is not a permutation of it.
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
    """All choices that have a place in the lab's order or are ranked, in that order; those without a place last. Side
    effect: locks them, so that one which gives its place up at this moment, as with a decline, does not get another.
    """
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
