"""Labs that can be added to an application: those shared with, those that match, and search results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.cycles import takes_no_applications
from portal.applications.queries import asks_for_something, labs_shared_with, query_of
from portal.labs.folding import folded_text, folded_words
from portal.labs.live_index.labs import IndexPreparing
from portal.labs.matches.views import ranking_for
from portal.labs.queries import IS_LISTED
from portal.models import Lab

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import LiveIndex
    from portal.models import Cycle, User

MOST_MATCHES = 8
MOST_FOUND = 20
MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A lab on offer. `position` is its place among the matches, 0 if unknown; `closed` says that it accepts no
    applications in this cycle.
    """

    lab: Lab
    position: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Candidates:
    """The labs on offer, each list without those already chosen. `shares` and `fitting` are the full counts of labs
    that the person shares with, and of labs that match; `holding` that of the labs that the search finds. `shut` are
    the chosen labs that take no applications any more.
    """

    shared: Sequence[Candidate]
    matching: Sequence[Candidate]
    found: Sequence[Candidate]
    shares: int
    fitting: int
    holding: int
    text: str
    shut: Collection[int]


def candidates(
    session: Session, index: LiveIndex, user: User, cycle: Cycle, chosen: Collection[int], text: str
) -> Candidates:
    """What the form offers to add; `chosen` are the labs it holds already, `text` is the search."""
    closed = closed_labs(session, cycle)
    ranking = _ranking(session, index, user)
    positions = {slug: position for position, slug in enumerate(ranking, start=1)}

    def to_candidates(labs: Iterable[Lab]) -> list[Candidate]:
        return [Candidate(lab, positions.get(lab.slug, 0), lab.id in closed) for lab in labs if lab.id not in chosen]

    best_labs = {lab.slug: lab for lab in _by_slugs(session, ranking[: MOST_MATCHES + len(chosen)])}
    matching = to_candidates(best_labs[slug] for slug in ranking if slug in best_labs)[:MOST_MATCHES]
    holding = _with_text(session, text, chosen)
    found_labs = {lab.slug: lab for lab in _by_slugs(session, holding[:MOST_FOUND])} if holding else {}
    found = to_candidates(found_labs[slug] for slug in holding if slug in found_labs)
    shared = labs_shared_with(session, user)
    counts = (len(shared), len(ranking), len(holding))
    return Candidates(to_candidates(shared), matching, found, *counts, text, closed.intersection(chosen))


def closed_labs(session: Session, cycle: Cycle) -> frozenset[int]:
    """The labs that accept no applications in a cycle."""
    return frozenset(session.scalars(select(Lab.id).where(takes_no_applications(cycle.id))))


def labs_with_slugs(session: Session, slugs: Collection[str]) -> dict[str, Lab]:
    """The labs with these slugs, by slug."""
    return {lab.slug: lab for lab in _by_slugs(session, slugs)}


def _ranking(session: Session, index: LiveIndex, user: User) -> list[str]:
    """The labs that fit what the person stated, best first; none while the index is being built."""
    query = query_of(session, user)
    if not asks_for_something(query):
        return []
    try:
        return [match.lab for match in ranking_for(index.current(session), query)]
    except IndexPreparing:
        return []


def _by_slugs(session: Session, slugs: Collection[str]) -> Sequence[Lab]:
    valid_slugs = [slug for slug in slugs if "\0" not in slug]
    return session.scalars(select(Lab).where(Lab.slug.in_(valid_slugs))).all()


def _with_text(session: Session, text: str, chosen: Collection[int]) -> Sequence[str]:
    """The slugs of labs whose profile contains every word: first those whose name or leader does, each by name."""
    words = text.replace("\0", " ").casefold().replace("-", " ").split()[:MOST_WORDS]
    if not words:
        return []
    query = select(Lab.slug, Lab.name, Lab.leader).where(IS_LISTED, Lab.id.not_in(chosen)).order_by(Lab.name, Lab.id)
    for word in words:
        query = query.where(Lab.search_text.contains(word, autoescape=True))
    rows = session.execute(query).all()
    typed = folded_words(text)
    called = {slug for slug, name, leader in rows if all(word in folded_text(f"{name} {leader}") for word in typed)}
    return sorted((slug for slug, *_ in rows), key=lambda slug: slug not in called)
