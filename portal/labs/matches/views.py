"""A query matched against labs, as values for pages, the command line and the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.formulas import readable, readable_with
from portal.labs.matches.terms_in_short import terms_in_short
from portal.labs.web_links import web_address
from portal.matching import occurring
from portal.seeding.records import work_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.matches.terms_in_short import TermGroup
    from portal.matching.records import Query
    from portal.matching.results import Evidence, Explanation, FacetCheck, Match, Source, Span, TermShare
    from portal.seeding.records import LabRecord, WorkRecord

TERMS_IN_SHORT = 5
WORTH_QUOTING = 0.05
LEAST_LOOKED_AT = 0.005


@dataclass(frozen=True)
class SourceShare:
    """How much of a score comes from one part of the query; `fraction` of the whole score, 0 to 1."""

    source: Source
    share: float
    fraction: float


@dataclass(frozen=True)
class EvidenceView:
    """A work that supports the match, with the sentences that matched: the lab's (`sentence`) and the person's."""

    work_key: str
    title: str
    venue: str
    year: int | None
    url: str
    systems: tuple[str, ...]
    score: float
    sentence: str
    spans: tuple[Span, ...]
    mine: str
    mine_spans: tuple[Span, ...]
    mine_source: Source


@dataclass(frozen=True)
class ProfileView:
    """What matched in the lab's profile; `adds` is true if it has terms worth listing that no shown work has."""

    sentence: str
    spans: tuple[Span, ...]
    adds: bool


@dataclass(frozen=True)
class GapView:
    """A term of the lab that the query lacks: what the score would gain with it, and the works that contain it."""

    term: str
    gain: float
    works: tuple[str, ...]


@dataclass(frozen=True)
class LabMatch:
    """One lab of a ranked list, with everything that made up its score.

    `position` counts from 1 among the `total` labs that fit; a lab that does not fit has position 0.
    """

    slug: str
    name: str
    leader: str
    place: str
    score: float
    position: int
    total: int
    percentile: float
    fits: bool
    shares_by_source: tuple[SourceShare, ...]
    terms: tuple[TermShare, ...]
    evidence: tuple[EvidenceView, ...]
    missing: tuple[GapView, ...]
    facets_met: tuple[FacetCheck, ...]
    facets_missed: tuple[FacetCheck, ...]
    profile: ProfileView | None = None

    @property
    def terms_in_short(self) -> tuple[TermGroup, ...]:
        """The strongest terms in one line; `terms` lists all, which add up to the score."""
        return terms_in_short(self.terms, TERMS_IN_SHORT)


def ranking_for(labs: IndexedLabs, query: Query) -> list[Match]:
    """All labs that fit `query`, best first, without explanations."""
    return labs.index.rank(query, k=max(1, len(labs.profiles)))


def matches_for(
    labs: IndexedLabs, query: Query, k: int | None = None, ranked: Sequence[Match] | None = None
) -> list[LabMatch]:
    """The first `k` labs that fit `query`, best first; empty if nothing fits.

    `ranked` is the result of `ranking_for` for the query, if the caller has it.
    """
    ranked = ranking_for(labs, query) if ranked is None else ranked
    explained = labs.index.rank_explained(query, k=k if k is not None else max(1, len(labs.profiles)))
    return [_view(labs.profiles[match.lab], explanation, match, total=len(ranked)) for match, explanation in explained]


def match_with(labs: IndexedLabs, query: Query, slug: str) -> LabMatch | None:
    """How `query` matches one lab, whether or not it fits; None for a lab that is not in the index.

    The position among other labs is not computed: it is 0.
    """
    profile = labs.profiles.get(slug)
    return None if profile is None else _view(profile, labs.index.explain(query, slug), None, total=0)


def _view(profile: LabRecord, explanation: Explanation, match: Match | None, *, total: int) -> LabMatch:
    works = {work.key: work for work in profile.works}
    systems: dict[str, list[str]] = {}
    for system in profile.systems:
        for key in system.works:
            systems.setdefault(key, []).append(system.name)
    return LabMatch(
        slug=profile.key,
        name=profile.name,
        leader=profile.leader,
        place=profile.place,
        score=explanation.score,
        position=match.rank if match else 0,
        total=total,
        percentile=match.percentile if match else 0.0,
        fits=match is not None,
        shares_by_source=_by_source(explanation),
        terms=explanation.terms,
        evidence=tuple(_evidence(item, works[item.work], systems) for item in explanation.evidence),
        missing=tuple(
            GapView(gap.term, gap.gain, tuple(readable(work_label(works[key])) for key in gap.works if key in works))
            for gap in explanation.missing
        ),
        facets_met=explanation.facets_met,
        facets_missed=explanation.facets_missed,
        profile=_profile(explanation),
    )


def _profile(explanation: Explanation) -> ProfileView | None:
    evidence = explanation.profile_evidence
    if evidence is None:
        return None
    sentence, spans = readable_with(evidence.sentence, evidence.spans)
    return ProfileView(sentence, spans, adds=evidence.adds and _says_more(explanation, evidence.sentence))


def _says_more(explanation: Explanation, sentence: str) -> bool:
    """Whether the terms that no work has, but this sentence, are worth a line: a resume always adds some weak word."""
    worth_looking = LEAST_LOOKED_AT * explanation.score
    only_here = [term for term in explanation.terms if not term.works and term.share >= worth_looking]
    occurring_terms = occurring(sentence, [term.term for term in only_here])
    return sum(term.share for term in only_here if term.term in occurring_terms) >= WORTH_QUOTING * explanation.score


def _by_source(explanation: Explanation) -> tuple[SourceShare, ...]:
    shares: dict[Source, float] = {}
    for term in explanation.terms:
        shares[term.source] = shares.get(term.source, 0.0) + term.share
    whole = sum(shares.values())
    return tuple(
        SourceShare(source, share, share / whole if whole else 0.0)
        for source, share in sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _evidence(item: Evidence, work: WorkRecord, systems: Mapping[str, list[str]]) -> EvidenceView:
    sentence, spans = readable_with(item.sentence, item.spans)
    return EvidenceView(
        work_key=work.key,
        title=readable(work_label(work)),
        venue=work.venue,
        year=work.year,
        url=next((href for href in (web_address(link.url) for link in work.links) if href), ""),
        systems=tuple(systems.get(work.key, ())),
        score=item.score,
        sentence=sentence,
        spans=spans,
        mine=item.query_sentence,
        mine_spans=item.query_spans,
        mine_source=item.query_source,
    )
