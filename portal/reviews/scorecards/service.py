"""Writes scorecards: drafts, which only their author reads, and the irrevocable lock."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from portal import audit
from portal.applications.locks import MoveRefused, locked_application
from portal.applications.moves.service import perform
from portal.models import Scorecard
from portal.reviews.rules import capacity_for
from portal.reviews.scorecards.queries import own_card
from portal.reviews.scorecards.rules import CardValues, values_of, why_not_score

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice, Lab, User


class CardRefused(Exception):
    """The card cannot be saved or locked; the message says why. Nothing was written."""


class StaleCard(Exception):
    """The card was saved elsewhere since the form was opened. Nothing was written; `stored` is the saved card."""

    def __init__(self, stored: Scorecard | None) -> None:
        super().__init__("the scorecard was saved elsewhere meanwhile")
        self.stored = stored


def save_card(
    session: Session, choice: Choice, reviewer: User, values: CardValues, *, base: int, now: datetime
) -> Scorecard | None:
    """Save a reviewer's draft; `base` is the version with which the form was opened, 0 for none.

    Saving an unchanged card changes nothing, whatever the base; nor does an empty first card, for which it returns
    None. The first card on a choice that waits for review starts the review.

    Raises:
        StaleCard: A different card was saved since `base`.
        CardRefused: The card is locked, or cards can no longer be written.
    """
    locked_application(session, choice)
    stored = own_card(session, choice, reviewer)
    if values == values_of(stored):
        return stored
    if stored is not None and stored.locked_at is not None:
        raise CardRefused("Your scorecard is locked and can no longer be changed.")
    _ensure(why_not_score(choice))
    if base != (stored.version if stored else 0):
        raise StaleCard(stored)
    if stored is None:
        stored = Scorecard(choice_id=choice.id, reviewer_id=reviewer.id, version=0)
        session.add(stored)
    for name, value in asdict(values).items():
        setattr(stored, name, value)
    stored.version += 1
    stored.changed_at = now
    _start_review(session, choice, reviewer, now)
    session.flush()
    return stored


def lock_card(session: Session, lab: Lab, choice: Choice, reviewer: User, *, base: int, now: datetime) -> bool:
    """Lock version `base` of a reviewer's card; False if it is already locked.

    Side effects: writes an audit entry.

    Raises:
        StaleCard: A different card was saved since `base`.
        CardRefused: Something is missing, or cards can no longer be written.
    """
    locked_application(session, choice)
    stored = own_card(session, choice, reviewer)
    if stored is not None and stored.locked_at is not None:
        return False
    _ensure(why_not_score(choice))
    if stored is None or stored.version != base:
        raise StaleCard(stored)
    values = values_of(stored)
    _ensure(values.why_not_lock())
    stored.locked_at = now
    audit.record(
        session,
        actor=reviewer,
        act="scorecard.lock",
        object_type="choice",
        object_key=f"{lab.slug}/{choice.id}",
        now=now,
        after={"abstained": values.abstained, "points": values.score},
    )
    session.flush()
    return True


def _start_review(session: Session, choice: Choice, reviewer: User, now: datetime) -> None:
    if choice.state != "pending":
        return
    capacity = capacity_for(session, choice, reviewer)
    try:
        perform(session, "start_review", choice, actor=reviewer, capacity=capacity, now=now)
    except MoveRefused as refused:
        raise CardRefused(str(refused)) from refused


def _ensure(reason: str | None) -> None:
    if reason is not None:
        raise CardRefused(reason)
