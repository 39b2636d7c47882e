"""Two to four labs side by side, for what an applicant stated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from portal.applications.drafting.candidates import labs_with_slugs
from portal.applications.facet_names import with_facets_in_words
from portal.applications.queries import asks_for_something, labs_shared_with, query_of
from portal.labs.catalogue import last_open_day
from portal.labs.matches.views import match_with, ranking_for
from portal.labs.reply_times import reply_days_of_labs
from portal.labs.wording import deadline_words, degree_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.matches.views import LabMatch
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


def why_not_compare(slugs: Sequence[str]) -> str | None:
    """Why these labs cannot be compared."""
    if len(slugs) < FEWEST:
        return f"Choose {FEWEST} to {MOST} labs to see them side by side."
    if len(slugs) > MOST:
        return f"Up to {MOST} labs fit side by side; these are {len(slugs)}. Take some off."
    return None


def columns(session: Session, labs: IndexedLabs, user: User, slugs: Sequence[str], *, now: datetime) -> list[Column]:
    """The labs in the requested order, without those that are not in the portal, or archived and in no ranking."""
    labs_by_slug = {slug: lab for slug, lab in labs_with_slugs(session, slugs).items() if lab.archived_at is None}
    shared = {lab.id for lab in labs_shared_with(session, user)}
    query = query_of(session, user)
    has_query = asks_for_something(query)
    ranked = {match.lab: match for match in ranking_for(labs, query)} if has_query else {}
    replies = reply_days_of_labs(session, now, [lab.id for lab in labs_by_slug.values()])
    compared = []
    for slug in slugs:
        if slug not in labs_by_slug:
            continue
        match = match_with(labs, query, slug) if has_query else None
        if match is not None and (ranked_match := ranked.get(slug)) is not None:
            position = {
                "position": ranked_match.rank,
                "percentile": ranked_match.percentile,
                "fits": True,
                "total": len(ranked),
            }
            match = replace(match, **position)  # type: ignore[arg-type]  # the fields' own types
        profile = labs.profiles.get(slug)
        compared.append(
            Column(
                lab=labs_by_slug[slug],
                match=with_facets_in_words(match) if match else None,
                openings=_openings(profile, last_open_day(now)) if profile else (),
                reply_days=replies.get(labs_by_slug[slug].id),
                shared=labs_by_slug[slug].id in shared,
            )
        )
    return compared


def _openings(profile: LabRecord, today: date) -> list[OpeningView]:
    views = []
    for opening in profile.openings:
        deadline = date.fromisoformat(opening.deadline) if opening.deadline else None
        passed = deadline is not None and deadline < today
        title = degree_name(opening.degree)
        deadline_text = deadline_words(deadline) if deadline else ""
        views.append(OpeningView(title, opening.seats, opening.start, opening.funding, deadline_text, passed))
    return views
