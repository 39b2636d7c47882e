"""How far applications and choices came: at least submitted, at least eligible, and so on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.admin.figures.charts import Bar, bar_chart
from portal.admin.figures.small_counts import in_words, nested
from portal.admin.figures.tables import Column, Figure, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.admin.figures.state_histories import ApplicationWay, Moved

STEPS = ("Started", "Submitted", "Eligible", "In review", "Shortlisted", "Interview", "Offered", "Accepted")
STARTED, SUBMITTED, ELIGIBLE, IN_REVIEW, SHORTLISTED, INTERVIEW, OFFERED, ACCEPTED = range(len(STEPS))
STEP_OF_APPLICATION = {"eligible": ELIGIBLE}
STEP_OF_CHOICE = {
    "in_review": IN_REVIEW,
    "declined": IN_REVIEW,
    "shortlisted": SHORTLISTED,
    "ranked": SHORTLISTED,
    "waitlisted": SHORTLISTED,
    "interview": INTERVIEW,
    "interviewed": INTERVIEW,
    "offered": OFFERED,
    "declined_by_applicant": OFFERED,
    "expired": OFFERED,
    "accepted": ACCEPTED,
}
"""The step that is reached by coming to a state, or by leaving it onwards; other states say nothing."""
BACK = {
    "take_off_shortlist",
    "take_off_ranking",
    "take_back_waitlist",
    "take_back_decline",
    "take_back_offer",
    "reopen",
    "reconsider",
    "edit",
}
"""Moves that take something back: what they leave was not reached."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How many came at least to each of `STEPS`, in their order; each number is a part of the one before."""

    applications: tuple[int, ...]
    choices: tuple[int, ...]


def reached(ways: Iterable[ApplicationWay]) -> Reached:
    """Count applications and choices by the furthest step they came to."""
    applications: Counter[int] = Counter()
    choices: Counter[int] = Counter()
    for way in ways:
        own = max(SUBMITTED if way.submissions else STARTED, _furthest(way.state, way.moves, STEP_OF_APPLICATION))
        steps = [max(own, _furthest(choice.state, choice.moves, STEP_OF_CHOICE)) for choice in way.choices]
        choices.update(steps)
        applications[max((own, *steps))] += 1
    return Reached(_at_least(applications), _at_least(choices))


def funnels(found: Reached) -> list[Figure]:
    """The funnel of applications and that of choices."""
    skipping = "Whatever reached a later step counts in all earlier ones, even if it skipped a step."
    taken_back = "What was taken back does not count."
    return [
        _funnel(
            "applications",
            "Funnel of applications",
            "Applications that came at least this far, by the furthest of their choices.",
            found.applications,
            (skipping, taken_back, "Decisions count when a lab makes them, also before their release."),
        ),
        _funnel(
            "choices",
            "Funnel of choices",
            "Choices that came at least this far. A choice is one application to one lab.",
            found.choices,
            (skipping, taken_back),
        ),
    ]


def _funnel(key: str, title: str, lead: str, counts: Sequence[int], notes: tuple[str, ...]) -> Figure:
    figures = nested(counts)
    rows = tuple(Row(step, (count,)) for step, count in zip(STEPS, figures, strict=True))
    bars = [Bar(step, in_words(count), count) for step, count in zip(STEPS, figures, strict=True)]
    return Figure(
        key=key,
        title=title,
        lead=lead,
        first="At least",
        columns=(Column(key.capitalize()),),
        rows=rows,
        chart=bar_chart(bars, title),
        notes=notes,
        empty="" if counts[0] else "Nobody has begun an application in this cycle.",
    )


def _furthest(state: str, moves: Iterable[Moved], steps: Mapping[str, int]) -> int:
    """The furthest step of the state now, and of those that were left onwards."""
    left = (steps.get(moved.from_state, 0) for moved in moves if moved.move not in BACK)
    return max(steps.get(state, 0), *left, 0)


def _at_least(furthest: Counter[int]) -> tuple[int, ...]:
    """How many came at least to each step, where `furthest` says how many came to each and no further."""
    return tuple(sum(count for step, count in furthest.items() if step >= least) for least in range(len(STEPS)))
