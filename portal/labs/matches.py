"""A query matched against labs, as values for pages, the command line, the API, and to be stored."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING, cast

from portal.labs.texts import readable, readable_with, web_address
from portal.matching import FacetCheck, TermShare, occurring
from portal.matching.language.terms import stop_words
from portal.matching.results import ADDED, Source, Span
from portal.seeding.records import dumped, loaded, work_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Correction, LabIndex, Query
    from portal.matching.results import Evidence, Explanation, Match
    from portal.seeding.records import Json, LabRecord, WorkRecord


_WORD = re.compile(r"\S+")
_FIRST_IDEOGRAPH = "\u2e80"


def whole_phrases(terms: Iterable[str], limit: int) -> tuple[str, ...]:
    """The first few of these terms, each as the longest phrase that it is a part of: "machine learning" stands for
    "machine" and "learning". Pairs of characters, as which the analyzer reads Chinese, are put together again. What has
    no new word goes: "training over slow" behind "decentralized training" and "slow networks".
    """
    words = list(dict.fromkeys(terms))
    while pair := next(filter(_overlap, permutations(words, 2)), None):
        words = [pair[0] + pair[1][1:] if word == pair[0] else word for word in words if word != pair[1]]
    spelt = {f" {' '.join(word.casefold().replace('-', ' ').split())} ": word for word in reversed(words)}
    told: dict[str, str] = {}
    for part in reversed(spelt):
        phrase = max((other for other in spelt if part in other), key=len)
        told |= {word: spelt[phrase] for word in _words_that_count(phrase) if word not in told}
    return tuple(islice(dict.fromkeys(told.values()), limit))


def _words_that_count(phrase: str) -> list[str]:
    words = phrase.split()
    return [word for word in words if word not in stop_words()] or words


def _overlap(pair: tuple[str, ...]) -> bool:
    return pair[0][-1] == pair[1][0] >= _FIRST_IDEOGRAPH


STRONGEST = 8  # terms of which some are told in one sentence
COMMON = 3
WORDS_IN_SHORT = 8  # of a long sentence, around those that matched
LONGEST_NAME = 3  # words before the colon of a title that are the name of what it presents
WORDS_OF_TITLE = 4  # of a title without such a name
SHARED_BY = 2  # works that make a term one of substance
NOT_MENTIONED = 5
MOST_RELATED = 5
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

    @property
    def name(self) -> str:
        """The name that the title begins with, "HexGen" of "HexGen: Generative Inference …", or its first words."""
        name, colon, _ = self.title.partition(": ")
        if colon and len(name.split()) <= LONGEST_NAME:
            return name
        words = self.title.split()
        return self.title if len(words) <= WORDS_OF_TITLE + 2 else f"{' '.join(words[:WORDS_OF_TITLE])} …"

    @property
    def in_short(self) -> tuple[str, tuple[Span, ...]]:
        """The sentence, or of a long one the words around most of those that matched, with their places."""
        words = [word.span() for word in _WORD.finditer(self.sentence)]
        if len(words) <= WORDS_IN_SHORT:
            return self.sentence, self.spans
        marked = [any(start < span[1] and span[0] < end for span in self.spans) for start, end in words]
        counts = [sum(marked[at : at + WORDS_IN_SHORT]) for at in range(len(words) - WORDS_IN_SHORT + 1)]
        first = counts.index(max(counts))
        start, end = words[first][0], words[first + WORDS_IN_SHORT - 1][1]
        before, after = "… " if first else "", " …" if first + WORDS_IN_SHORT < len(words) else ""
        moved = (
            (max(left, start) - start + len(before), min(right, end) - start + len(before))
            for left, right in self.spans
            if left < end and right > start
        )
        return f"{before}{self.sentence[start:end]}{after}", tuple(moved)


@dataclass(frozen=True)
class ProfileView:
    """What matched in the lab's profile; `adds` is true if it has terms worth listing that no shown work has."""

    sentence: str
    spans: tuple[Span, ...]
    adds: bool


@dataclass(frozen=True)
class GapView:
    """A term of the lab that the query lacks: the works that contain it."""

    term: str
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
    def common(self) -> tuple[str, ...]:
        """The strongest terms in the person's own words, for one sentence."""
        own = (term.term for term in self.terms if term.source not in ADDED)
        return whole_phrases(islice(own, STRONGEST), COMMON)

    @property
    def strongest(self) -> tuple[str, ...]:
        """The strongest terms, whoever brought them."""
        return whole_phrases((term.term for term in self.terms[:STRONGEST]), COMMON)

    @property
    def not_mentioned(self) -> tuple[str, ...]:
        """The strongest terms that several works of the lab share and the query lacks."""
        return tuple(gap.term for gap in self.missing if len(gap.works) >= SHARED_BY)[:NOT_MENTIONED]


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


def related_for(labs: IndexedLabs, query: Query, k: int = MOST_RELATED) -> list[LabMatch]:
    """At most `k` labs that do not fit `query`, but that concepts suggest for it, best first; their position is 0."""
    explained = labs.index.rank_explained(query, k=k, related=True)
    return [_view(labs.profiles[match.lab], why, None, total=0) for match, why in explained]


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
            GapView(gap.term, tuple(readable(work_label(works[key])) for key in gap.works if key in works))
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


def match_to_json(match: LabMatch) -> dict[str, Json]:
    """Everything a page shows of a match, as JSON values."""
    return cast("dict[str, Json]", dumped(match))


def match_from_json(values: dict[str, Json]) -> LabMatch:
    """The match that `match_to_json` wrote.

    Raises:
        SnapshotError: A value is missing, unknown or of another type.
    """
    return cast("LabMatch", loaded(LabMatch, values, "match"))


@dataclass(frozen=True)
class SpellingNote:
    """The misspelt words of a query; with `as_typed` they were left alone, otherwise corrected."""

    corrections: Sequence[Correction]
    as_typed: bool

    @property
    def typed(self) -> str:
        """The misspelt words in a sentence: “fedrated”, “lerning”."""
        return ", ".join(f"“{word}”" for word in dict.fromkeys(correction.typed for correction in self.corrections))


def spelling_note(index: LabIndex, query: Query) -> SpellingNote | None:
    """The note on the spelling of `query`, which is not changed; None if no word is misspelt."""
    corrections = index.corrections(replace(query, correct_spelling=True, resume=""))
    if not corrections:
        return None
    return SpellingNote(corrections, as_typed=not query.correct_spelling)
