"""The scorecard's criteria and anchors, the content of a card as one value, and until when it can be written.

A cycle's own texts (`Cycle.rubric`) override the defaults here. They are stored as
{criterion: [text for 1, …, text for 5]}; an empty text falls back.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from portal.applications.forms import Difference
from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE
from portal.models.review import CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.models import Choice, Scorecard

POINTS = (1, 2, 3, 4, 5)
Anchors = dict[str, list[str]]
LONGEST_ANCHOR = 300  # characters

QUESTIONS = {
    "fit": ("Fit", "Does what they want to work on match what this lab works on?"),
    "potential": ("Research potential", "Do they ask good questions, and find their way to answers?"),
    "preparation": ("Preparation", "Do they have the knowledge and skills that the first year here takes?"),
    "writing": ("Writing", "Do they say clearly what they mean?"),
}
USUAL: Mapping[str, tuple[str, ...]] = {
    "fit": (
        "No topic in common; another lab would serve them better.",
        "The field is the same; their questions are not ours.",
        "One of our directions would suit them, with some adjustment on both sides.",
        "They want to work on what we do, and say why.",
        "Their questions are ours; they know our work and where it stops.",
    ),
    "potential": (
        "Nothing here shows work of their own.",
        "Carried out what others had planned, and added little of their own.",
        "Finished a project and can say what it showed.",
        "Found a question themselves and followed it through setbacks.",
        "Has already changed how others see a problem, or plainly will.",
    ),
    "preparation": (
        "Basic courses or skills are missing and would take a year.",
        "Gaps in what the work needs most; much help at the start.",
        "Solid basis; the rest can be learned on the way.",
        "Could join a running project in the first months.",
        "Could lead a piece of our work from the first month.",
    ),
    "writing": (
        "What they mean remains unclear.",
        "The meaning can be guessed, sentence by sentence.",
        "Understandable, with effort in places.",
        "Clear and well ordered; easy to follow.",
        "Clear, exact and a pleasure to read; hard things made simple.",
    ),
}
SURE = (
    ("Low", "Outside my field, or I had little to go by."),
    ("Medium", "I know the area and read all of it."),
    ("High", "My own field, and I read it with care."),
)


class Anchor(NamedTuple):
    """One point of a criterion and its meaning; `name` replaces its number."""

    points: int
    text: str
    name: str = ""


class Criterion(NamedTuple):
    """One line of the scorecard, with its anchors from 1 to 5 points."""

    key: str
    label: str
    question: str
    anchors: tuple[Anchor, ...]


def rubric(own_texts: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """The criteria with a cycle's own texts, else the defaults."""
    return tuple(
        Criterion(
            key,
            *QUESTIONS[key],
            anchors=tuple(
                Anchor(points, own or usual)
                for points, own, usual in zip(POINTS, five_texts(own_texts.get(key)), USUAL[key], strict=True)
            ),
        )
        for key in CRITERIA
    )


def five_texts(stored: object) -> list[str]:
    """Five texts, empty where none is set; anything but a list of texts counts as none."""
    texts = [text.strip() if isinstance(text, str) else "" for text in stored] if isinstance(stored, list) else []
    return (texts + [""] * len(POINTS))[: len(POINTS)]


def own_anchors(stored: Mapping[str, object]) -> Anchors:
    """Five texts for each criterion, empty where the cycle has none."""
    return {key: five_texts(stored.get(key)) for key in CRITERIA}


CONFIDENCE = Criterion(
    "confidence",
    "Confidence",
    "How sure are you of these points?",
    anchors=tuple(Anchor(level, text, name) for level, (name, text) in enumerate(SURE, start=1)),
)

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
        value: int | None = getattr(self, key)
        return value

    def lacking(self) -> dict[str, list[str]]:
        """What is missing for locking, by field."""
        if self.abstained:
            return {} if self.abstain_reason else {"abstain_reason": [NO_REASON]}
        missing = [key for key in (*CRITERIA, "confidence") if self.points(key) is None]
        return {key: [f"Set {LABELS[key].lower()}."] for key in missing}


def values_of(card: Scorecard | None) -> CardValues:
    """The row as a value; without a row, nothing is set."""
    if card is None:
        return CardValues()
    return CardValues(**{field.name: getattr(card, field.name) for field in fields(CardValues)})


def differences(mine: CardValues, saved: CardValues) -> Sequence[Difference]:
    """The parts in which the saved card differs from the form."""
    return [
        Difference(LABELS[field.name], _in_words(getattr(saved, field.name)))
        for field in fields(CardValues)
        if getattr(mine, field.name) != getattr(saved, field.name)
    ]


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value in {None, ""} else str(value)


def why_not_score(choice: Choice) -> str | None:
    """Cards are written until the lab has decided on the choice; who may open it is a separate rule."""
    cycle = choice.application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed; its scorecards can no longer be changed."
    if choice.application.state != "eligible":
        return "This application is not open any more; its scorecards can no longer be changed."
    if choice.state not in OPEN_CHOICE:
        return f"This application is “{CHOICE_LABELS[choice.state]}”; its scorecards can no longer be changed."
    return None
