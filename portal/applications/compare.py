"""Two to four labs side by side, for what an applicant stated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from portal.applications.candidates import labs_with_slugs
from portal.applications.facet_names import with_facets_in_words
from portal.applications.queries import asks_for_something, labs_shared_with, query_of
from portal.labs.catalogue import last_open_day
from portal.labs.matches import match_with, ranking_for
from portal.labs.reply_times import reply_days_of_labs
from portal.labs.wording import deadline_words, degree_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.matches import LabMatch
    from portal.models import Lab, User
    from portal.seeding.records import LabRecord

FEWEST, MOST = 2, 4


@dataclass(frozen=True, slots=True)
class OpeningView:
    """A position of a lab in words; `passed` says that its deadline is over."""

    title: str
    seats: int | None
    start: str
    funding: str
    deadline: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One lab: its match (None if nothing was stated), its openings, its usual time to reply, and whether the
    applicant shares with it.
    """

    lab: Lab
    match: LabMatch | None
    openings: Sequence[OpeningView]
    reply_days: int | None
    shared: bool


def why_not_compare(asked: Sequence[str]) -> str | None:
    """Why these labs cannot be compared."""
    if len(asked) < FEWEST:
        return f"Choose {FEWEST} to {MOST} labs to see them side by side."
    if len(asked) > MOST:
        return f"Up to {MOST} labs fit side by side; these are {len(asked)}. Take some off."
    return None


def columns(session: Session, labs: IndexedLabs, user: User, slugs: Sequence[str], *, now: datetime) -> list[Column]:
    """The labs in the requested order, without those that are not in the portal."""
    rows = labs_with_slugs(session, slugs)
    shared = {lab.id for lab in labs_shared_with(session, user)}
    query = query_of(session, user)
    asks = asks_for_something(query)
    places = {match.lab: match for match in ranking_for(labs, query)} if asks else {}
    replies = reply_days_of_labs(session, now, [lab.id for lab in rows.values()])
    found = []
    for slug in slugs:
        if slug not in rows:
            continue
        match = match_with(labs, query, slug) if asks else None
        if match is not None and (place := places.get(slug)) is not None:
            placed = {"position": place.rank, "percentile": place.percentile, "fits": True, "total": len(places)}
            match = replace(match, **placed)  # type: ignore[arg-type]  # the fields' own types
        profile = labs.profiles.get(slug)
        found.append(
            Column(
                lab=rows[slug],
                match=with_facets_in_words(match) if match else None,
                openings=_openings(profile, last_open_day(now)) if profile else (),
                reply_days=replies.get(rows[slug].id),
                shared=rows[slug].id in shared,
            )
        )
    return found


def _openings(profile: LabRecord, today: date) -> list[OpeningView]:
    views = []
    for opening in profile.openings:
        until = date.fromisoformat(opening.deadline) if opening.deadline else None
        passed = until is not None and until < today
        title = degree_name(opening.degree)
        said = deadline_words(until) if until else ""
        views.append(OpeningView(title, opening.seats, opening.start, opening.funding, said, passed))
    return views
