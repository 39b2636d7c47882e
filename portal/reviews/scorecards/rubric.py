"""The scorecard's criteria and the meanings of their five points, the anchors.

A lab's own texts (`LabReviewing.anchors`) override the cycle's (`Cycle.rubric`), which override the defaults here. Both
are stored as {criterion: [text for 1, …, text for 5]}; an empty text falls back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from portal.db import columns
from portal.models import LabReviewing
from portal.models.review import CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab

POINTS = (1, 2, 3, 4, 5)
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


_ANCHORS = select(LabReviewing.anchors).where(LabReviewing.lab_id == bindparam("lab"))


@dataclass(frozen=True, slots=True)
class Anchor:
    """One point of a criterion: its meaning here, and its meaning without the lab's text. `name` replaces its
    number.
    """

    points: int
    text: str
    usual: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the scorecard, with its anchors from 1 to 5 points."""

    key: str
    label: str
    question: str
    anchors: tuple[Anchor, ...]


def rubric_of(session: Session, lab: Lab, cycle: Cycle | None) -> tuple[Criterion, ...]:
    """The criteria as worded for a lab in a cycle."""
    anchors = columns(session, _ANCHORS, {"lab": lab.id}).scalar()
    return rubric(cycle.rubric if cycle else {}, anchors or {})


def rubric(of_cycle: Mapping[str, Any], of_lab: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """The criteria with the lab's texts, else the cycle's, else the defaults."""
    return _rubric(of_cycle, of_lab) if of_cycle or of_lab else _USUAL_RUBRIC


def _rubric(of_cycle: Mapping[str, Any], of_lab: Mapping[str, Any]) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(key, *QUESTIONS[key], anchors=_anchors(USUAL[key], of_cycle.get(key), of_lab.get(key)))
        for key in CRITERIA
    )


def _anchors(usual: Sequence[str], of_cycle: object, of_lab: object) -> tuple[Anchor, ...]:
    cycle_texts, lab_texts = five_texts(of_cycle), five_texts(of_lab)
    fallbacks = [text or fallback for text, fallback in zip(cycle_texts, usual, strict=True)]
    return tuple(
        Anchor(points, text or fallback, fallback)
        for points, text, fallback in zip(POINTS, lab_texts, fallbacks, strict=True)
    )


def five_texts(stored: object) -> list[str]:
    """Five texts, empty where none is set; anything but a list of texts counts as none."""
    texts = [text.strip() if isinstance(text, str) else "" for text in stored] if isinstance(stored, list) else []
    return (texts + [""] * len(POINTS))[: len(POINTS)]


_USUAL_RUBRIC = _rubric({}, {})
CONFIDENCE = Criterion(
    "confidence",
    "Confidence",
    "How sure are you of these points?",
    anchors=tuple(Anchor(level, text, text, name) for level, (name, text) in enumerate(SURE, start=1)),
)
