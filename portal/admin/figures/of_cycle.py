"""All figures of a cycle, read in a constant number of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.figures.durations import days_in_states, durations
from portal.admin.figures.erased_cycles import figures_kept
from portal.admin.figures.facets import wanted_facets
from portal.admin.figures.funnel import funnels, reached
from portal.admin.figures.late_replies import late_replies
from portal.admin.figures.state_histories import ways_of
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
"""The names of the figures in addresses, in the order of the page."""


def figures_of(session: Session, cycle: Cycle, labs: IndexedLabs | None, now: datetime) -> list[Figure]:
    """Every figure of a cycle, in the order of `KEYS`. `labs` is None while the index is being prepared.

    Of a cycle whose applications are erased, or are just being erased, what the kept counts tell.
    """
    if cycle.kept_counts:
        return figures_kept(cycle)
    ways, wishes = ways_of(session, cycle), wishes_of(session, cycle)
    return [
        *funnels(reached(ways)),
        durations(days_in_states(ways, _end(cycle, now))),
        late_replies(lab_replies(session, now, cycle=cycle)),
        topics_asked(wishes, len(ways), labs),
        wanted_facets(wishes, len(ways)),
    ]


def figure_of(session: Session, cycle: Cycle, key: str, labs: IndexedLabs | None, now: datetime) -> Figure | None:
    """One of the figures; only what it needs is read. None where it was erased with the applications."""
    if cycle.kept_counts:
        return next((figure for figure in figures_kept(cycle) if figure.key == key), None)
    if key == "replies":
        return late_replies(lab_replies(session, now, cycle=cycle))
    ways = ways_of(session, cycle)
    match key:
        case "durations":
            return durations(days_in_states(ways, _end(cycle, now)))
        case "topics":
            return topics_asked(wishes_of(session, cycle), len(ways), labs)
        case "facets":
            return wanted_facets(wishes_of(session, cycle), len(ways))
        case _:
            return next(figure for figure in funnels(reached(ways)) if figure.key == key)


def _end(cycle: Cycle, now: datetime) -> datetime:
    """Until when what lasts still is counted."""
    return min(now, cycle.closed_at) if cycle.closed_at else now
