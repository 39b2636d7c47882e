"""How long applications and choices stay in each state."""

from __future__ import annotations

from collections import defaultdict
from statistics import quantiles
from typing import TYPE_CHECKING

from portal.admin.figures.charts import Spread, spread_chart
from portal.admin.figures.small_counts import LEAST, enough, published
from portal.admin.figures.tables import Column, Figure, Row
from portal.applications.states import LABELS, OPEN_APPLICATION, OPEN_CHOICE, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from portal.admin.figures.state_histories import ApplicationHistory, Moved

SECONDS_PER_DAY = 86_400
OPEN: dict[Subject, frozenset[str]] = {"application": OPEN_APPLICATION, "choice": OPEN_CHOICE}
NAMES: dict[Subject, str] = {"application": "Application", "choice": "Choice"}

Days = dict[tuple[Subject, str], list[float]]
"""For each state that can be left, how many days each stay in it took."""


def days_in_states(histories: Iterable[ApplicationHistory], end: datetime) -> Days:
    """Every stay of applications and choices in a state, in days; unfinished stays count until `end`.

    A choice begins to wait when its application is found eligible, since nobody may read it before.
    """
    days: Days = defaultdict(list)
    for history in histories:
        _add(days, "application", "draft", history.created_at, history.moves, end)
        eligible = next((moved.at for moved in reversed(history.moves) if moved.to_state == "eligible"), None)
        if eligible is not None:
            for choice in history.choices:
                _add(days, "choice", "pending", eligible, choice.moves, end)
    return days


def durations(days: Mapping[tuple[Subject, str], Sequence[float]]) -> Figure:
    """Quartiles of the days in each state."""
    rows: list[Row] = []
    spreads: list[Spread] = []
    for subject, states in OPEN.items():
        for state, words in LABELS[subject].items():
            if state not in states:
                continue
            label, stays = f"{NAMES[subject]}: {words.lower()}", days.get((subject, state), ())
            if not enough(stays):
                rows.append(Row(label, (published(len(stays)), None, None, None)))
                continue
            low, median, high = quantiles(stays, n=4, method="inclusive")
            rows.append(Row(label, (published(len(stays)), low, median, high)))
            in_words = f"median {median:,.1f} days, middle half {low:,.1f} to {high:,.1f}"
            spreads.append(Spread(label, in_words, low, median, high))
    return Figure(
        key="durations",
        title="Time in each state",
        lead="Days that applications and choices stay in a state that they can leave: median and quartiles.",
        first="State",
        columns=(
            Column("Stays"),
            Column("Lower quartile (days)"),
            Column("Median (days)"),
            Column("Upper quartile (days)"),
        ),
        rows=tuple(rows),
        chart=spread_chart(spreads, "Time in each state"),
        notes=(
            "Stays that have not ended are counted until now, or until the cycle was closed.",
            f"Quartiles are given from {LEAST} stays on. Whoever enters a state twice has two stays.",
        ),
        empty="" if any(days.values()) else "Nobody has begun an application in this cycle.",
    )


def _add(days: Days, subject: Subject, state: str, since: datetime, moves: Iterable[Moved], end: datetime) -> None:
    """Add the stays of one application or choice, which begins in `state`."""
    for moved in moves:
        if moved.to_state != moved.from_state:  # a release leaves the state as it is
            _add_stay(days, subject, state, since, moved.at)
            state, since = moved.to_state, moved.at
    _add_stay(days, subject, state, since, end)


def _add_stay(days: Days, subject: Subject, state: str, since: datetime, until: datetime) -> None:
    if state in OPEN[subject]:
        days[subject, state].append(max(0.0, (until - since).total_seconds() / SECONDS_PER_DAY))
