"""All figures of a cycle, read in a constant number of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.figures.durations import days_in_states, durations
from portal.admin.figures.erased_cycles import figures_kept
from portal.admin.figures.facets import wanted_facets
from portal.admin.figures.funnel import funnels, reached
from portal.admin.figures.late_replies import late_replies
from portal.admin.figures.state_histories import histories_of
from portal.admin.figures.stated_interests import wishes_of
from portal.admin.figures.topics import topics_asked
from portal.admin.replies_queries import lab_replies

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.figures.tables import Figure
    from portal.labs.live_index.live import IndexedLabs
    from portal.models import Cycle

KEYS = ("applications", "choices", "durations", "replies", "topics", "facets")
"""The names of the figures in URLs, in the order of the page."""


def figures_of(session: Session, cycle: Cycle, labs: IndexedLabs | None, now: datetime) -> list[Figure]:
    """Every figure of a cycle, in the order of `KEYS`. `labs` is None while the index is being prepared.

    If its applications are erased or being erased, only the figures from the kept counts.
    """
    if cycle.kept_counts:
        return figures_kept(cycle)
    histories, wishes = histories_of(session, cycle), wishes_of(session, cycle)
    return [
        *funnels(reached(histories)),
        durations(days_in_states(histories, _end(cycle, now))),
        late_replies(lab_replies(session, now, cycle=cycle)),
        topics_asked(wishes, len(histories), labs),
        wanted_facets(wishes, len(histories)),
    ]


def figure_of(session: Session, cycle: Cycle, key: str, labs: IndexedLabs | None, now: datetime) -> Figure | None:
    """One of the figures, with only the reads that it needs; None if it was erased with the applications."""
    if cycle.kept_counts:
        return next((figure for figure in figures_kept(cycle) if figure.key == key), None)
    if key == "replies":
        return late_replies(lab_replies(session, now, cycle=cycle))
    histories = histories_of(session, cycle)
    match key:
        case "durations":
            return durations(days_in_states(histories, _end(cycle, now)))
        case "topics":
            return topics_asked(wishes_of(session, cycle), len(histories), labs)
        case "facets":
            return wanted_facets(wishes_of(session, cycle), len(histories))
        case _:
            return next(figure for figure in funnels(reached(histories)) if figure.key == key)


def _end(cycle: Cycle, now: datetime) -> datetime:
    """The time until which unfinished stays are counted."""
    return min(now, cycle.closed_at) if cycle.closed_at else now
