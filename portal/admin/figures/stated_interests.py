"""The topics and facets that applicants submitted, read once for two figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.content.submissions import IS_NEWEST
from portal.models import Application, Submission

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Cycle


@dataclass(frozen=True, slots=True)
class Wishes:
    """One applicant's topics as typed, with their weights, and wanted values by facet."""

    topics: Sequence[tuple[str, float]]
    facets: Mapping[str, Sequence[str]]


def wishes_of(session: Session, cycle: Cycle) -> list[Wishes]:
    """The topics and facets of all applicants of a cycle, as last submitted. One SQL statement."""
    rows = session.execute(
        select(Submission.interests["topics"], Submission.interests["facets"])
        .join(Application, IS_NEWEST)
        .where(Application.cycle_id == cycle.id)
    )
    return [
        Wishes([(str(topic["text"]), float(topic["weight"])) for topic in topics or ()], facets or {})
        for topics, facets in rows
    ]
