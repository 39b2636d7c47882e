"""The content of a scorecard as one value, to compare, complete and show without a database."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from portal.models.review import CRITERIA
from portal.reviews.scorecards.rubric import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Scorecard
    from portal.reviews.choice.opened_values import OwnCard

LABELS = {key: QUESTIONS[key][0] for key in CRITERIA} | {
    "confidence": "Confidence",
    "comment": "Comment",
    "abstained": "Abstaining",
    "abstain_reason": "Reason for abstaining",
}


NO_REASON = "Say why you abstain; the lab’s other reviewers read it."


@dataclass(frozen=True, slots=True)
class CardValues:
    """Criteria from 1 to 5 points and confidence from 1 to 3, None if not set; or abstention with a reason."""

    fit: int | None = None
    potential: int | None = None
    preparation: int | None = None
    writing: int | None = None
    confidence: int | None = None
    comment: str = ""
    abstained: bool = False
    abstain_reason: str = ""

    @property
    def score(self) -> float | None:
        """The plain mean of the criteria in points; None if one is missing, or if abstaining."""
        points = [self.points(key) for key in CRITERIA]
        given = [value for value in points if value is not None]
        return None if self.abstained or len(given) < len(points) else sum(given) / len(given)

    def points(self, key: str) -> int | None:
        """The points of a criterion, or the confidence."""
        return {
            "fit": self.fit,
            "potential": self.potential,
            "preparation": self.preparation,
            "writing": self.writing,
            "confidence": self.confidence,
        }[key]

    def lacking(self) -> dict[str, list[str]]:
        """What is missing for locking, by field."""
        if self.abstained:
            return {} if self.abstain_reason else {"abstain_reason": [NO_REASON]}
        missing = [key for key in (*CRITERIA, "confidence") if self.points(key) is None]
        return {key: [f"Set {LABELS[key].lower()}, or abstain with a reason."] for key in missing}

    def why_not_lock(self) -> str | None:
        """`lacking` as one sentence."""
        missing = [LABELS[key] for key in self.lacking()]
        if not missing:
            return None
        if self.abstained:
            return NO_REASON
        listed = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
        return f"Not set yet: {listed}. Or abstain, with a reason."


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A part of a card that was saved differently elsewhere: its label and the saved value as text."""

    label: str
    saved: str


def values_of(card: Scorecard | OwnCard | None) -> CardValues:
    """The row as a value; without a row, nothing is set."""
    if card is None:
        return CardValues()
    return CardValues(**{field.name: getattr(card, field.name) for field in fields(CardValues)})


def differences(mine: CardValues, saved: CardValues) -> Sequence[OtherVersion]:
    """The parts in which the saved card differs from the form."""
    return [
        OtherVersion(LABELS[field.name], _in_words(getattr(saved, field.name)))
        for field in fields(CardValues)
        if getattr(mine, field.name) != getattr(saved, field.name)
    ]


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value in {None, ""} else str(value)
