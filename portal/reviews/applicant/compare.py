"""Two to four applicants of a lab side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.states import CHOICE_LABELS
from portal.reviews.applicant.view import view_of
from portal.reviews.choice.opened import opened
from portal.reviews.scorecards.means import means_seen
from portal.reviews.scorecards.shown import locked_cards
from portal.reviews.scorecards.values import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Choice, Lab, User
    from portal.reviews.applicant.view import ApplicantView
    from portal.reviews.scorecards.calibration import Means
    from portal.reviews.scorecards.shown import LockedCard
    from portal.reviews.scorecards.values import CardValues

FEWEST, MOST = 2, 4


@dataclass(frozen=True, slots=True)
class Compared:
    """One applicant of a comparison. `own` is the viewer's card, draft or locked; the others' appear once it is
    locked.
    """

    id: int
    state: str
    view: ApplicantView
    own: CardValues | None
    own_locked: bool
    others: Sequence[LockedCard]
    means: Means | None


def compared(session: Session, lab: Lab, choices: Sequence[Choice], viewer: User) -> Sequence[Compared]:
    """What `viewer`, who may open all of the choices, sees of each."""
    applicants = []
    for choice in choices:
        opening = opened(session, lab, choice, viewer)
        card = opening.card
        locked = card is not None and card.locked_at is not None
        applicants.append(
            Compared(
                id=choice.id,
                state=CHOICE_LABELS[choice.state],
                view=view_of(session, choice, opening),
                own=values_of(card) if card else None,
                own_locked=locked,
                others=locked_cards(session, lab, choice, viewer),
                means=means_seen(session, lab, choice.application.cycle_id, viewer).of(choice.id) if locked else None,
            )
        )
    return applicants
