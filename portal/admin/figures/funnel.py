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

    from portal.admin.figures.state_histories import ApplicationHistory, Moved

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
"""The step that is reached by entering a state, or by leaving it forwards; other states reach no further step."""
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
"""Moves backwards: the state that they leave does not count as reached."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How many reached at least each of `STEPS`, in order; each number includes the following ones."""

    applications: tuple[int, ...]
    choices: tuple[int, ...]


def reached(histories: Iterable[ApplicationHistory]) -> Reached:
    """Count applications and choices by the furthest step they reached."""
    applications: Counter[int] = Counter()
    choices: Counter[int] = Counter()
    for history in histories:
        own = max(
            SUBMITTED if history.submissions else STARTED, _furthest(history.state, history.moves, STEP_OF_APPLICATION)
        )
        steps = [max(own, _furthest(choice.state, choice.moves, STEP_OF_CHOICE)) for choice in history.choices]
        choices.update(steps)
        applications[max((own, *steps))] += 1
    return Reached(_at_least(applications), _at_least(choices))


def funnels(counts: Reached) -> list[Figure]:
    """The funnel of applications and that of choices."""
    skipping = "Whatever reached a later step counts in all earlier ones, even if it skipped a step."
    taken_back = "What was taken back does not count."
    return [
        _funnel(
            "applications",
            "Funnel of applications",
            "Applications that came at least this far, by the furthest of their choices.",
            counts.applications,
            (skipping, taken_back, "Decisions count when a lab makes them, also before their release."),
        ),
        _funnel(
            "choices",
            "Funnel of choices",
            "Choices that came at least this far. A choice is one application to one lab.",
            counts.choices,
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
    """The furthest step of the current state and of all states that were left forwards."""
    left = (steps.get(moved.from_state, 0) for moved in moves if moved.move not in BACK)
    return max(steps.get(state, 0), *left, 0)


def _at_least(furthest: Counter[int]) -> tuple[int, ...]:
    """How many reached at least each step, from how many reached each step and no further one."""
    return tuple(sum(count for step, count in furthest.items() if step >= minimum) for minimum in range(len(STEPS)))
