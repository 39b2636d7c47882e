"""The means of a lab's locked scorecards in a cycle, and who may see them.

A reviewer sees the means of a choice once their own card on it is locked, as with the cards themselves. Cards of
abstaining reviewers and of reviewers with a declared conflict of interest do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.conflicts_of_interest import keeps_out
from portal.models import Application, Choice, Scorecard
from portal.models.review import CRITERIA
from portal.reviews.scorecards.calibration import Calibration, Card, Means, calibrate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.models import Lab, User


@dataclass(frozen=True, slots=True)
class MeansSeen:
    """The means of choices that one reviewer may see, and how many locked cards each choice has.

    `too_few` says why nothing is calibrated; the calibrated means are then the raw ones.
    """

    means: Mapping[int, Means]
    cards: Mapping[int, int]
    own_locked: frozenset[int]
    too_few: str

    def of(self, choice_id: int) -> Means | None:
        """The means of a choice; None if they may not be seen yet, or do not exist."""
        return self.means.get(choice_id)


def means_seen(session: Session, lab: Lab, cycle_id: int, reviewer: User) -> MeansSeen:
    """The means of a lab's choices in a cycle that `reviewer` may see. Two statements."""
    calibration, cards = _calibration(session, lab.id, cycle_id)
    own = frozenset(
        session.scalars(
            select(Scorecard.choice_id)
            .join(Choice, Choice.id == Scorecard.choice_id)
            .where(Scorecard.reviewer_id == reviewer.id, Scorecard.locked_at.is_not(None), Choice.lab_id == lab.id)
        )
    )
    seen = {choice: means for choice, means in calibration.means.items() if choice in own}
    return MeansSeen(seen, cards, own, calibration.too_few)


def in_conflict() -> ColumnElement[bool]:
    """An SQL condition on `Scorecard` and `Application`: the reviewer declared a conflict, or is the applicant."""
    return keeps_out(Scorecard.reviewer_id, Application.applicant_id)


def _calibration(session: Session, lab_id: int, cycle_id: int) -> tuple[Calibration, dict[int, int]]:
    rows = session.execute(
        select(
            Scorecard.choice_id,
            Scorecard.reviewer_id,
            Scorecard.abstained,
            *(getattr(Scorecard, key) for key in CRITERIA),
        )
        .join(Choice, Choice.id == Scorecard.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .where(
            Choice.lab_id == lab_id,
            Application.cycle_id == cycle_id,
            Scorecard.locked_at.is_not(None),
            ~in_conflict(),
        )
    ).all()
    scored = [Card(row[0], row[1], sum(row[3:]) / len(CRITERIA)) for row in rows if not row.abstained]
    cards: dict[int, int] = {}
    for card in scored:
        cards[card.applicant] = cards.get(card.applicant, 0) + 1
    return calibrate(scored), cards
