"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from functools import cached_property, partial
from itertools import islice, repeat
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.explanation.evidence import (
    FEW_OWN_WORDS,
    LEAST_SHOWN,
    NEARNESS_COUNTS,
    PROFILE_SAYS_MORE,
    evidence_of,
    own_share,
    profile_evidence_of,
)
from portal.matching.explanation.gaps import gaps
from portal.matching.explanation.lab_reading import LabReading, reading_of
from portal.matching.explanation.shares import NOTHING, BestWorks, LabShares, Shares
from portal.matching.explanation.typed_forms import with_typed_forms
from portal.matching.formula import BEST_WORKS
from portal.matching.recent_cache import RecentCache
from portal.matching.results import Explanation, FacetCheck
from portal.matching.scoring import Slots, entries_of, entries_of_lab
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.located import Located
from portal.matching.segments.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.query.questions import Question
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Gap, ProfileEvidence
    from portal.matching.segments.segment import Segment


_CACHED_LABS = 2
"""Labs that are cached: evidence of works and of the profile is usually wanted together."""
_NO_FACETS: tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]] = ((), ())
_explanation = partial(tuple.__new__, Explanation)


def explanations(
    question: Question,
    wanted: Facets,
    segment: Segment,
    positions: Sequence[int],
    scores: Sequence[float],
    *,
    fits: bool,
) -> list[Explanation]:
    """The explanations of matches with labs of one segment; `positions` rise, `wanted` are the query's facets."""
    lab_shares = _shares(question, segment, positions)
    works = [work_keys(segment.labs, position) for position in positions]
    checked = (
        [_facets(wanted, segment.labs[position].facets) for position in positions] if wanted else repeat(_NO_FACETS)
    )
    met, missed = zip(*islice(checked, len(positions)), strict=True)
    keys = map(segment.keys.__getitem__, positions)
    shares, texts = lab_shares.in_words(question.query_terms, works), _SegmentTexts(question, segment)
    return list(map(_explanation, zip(keys, scores, repeat(fits), shares, met, missed, repeat(texts), positions)))


class _SegmentTexts:
    """`LabTexts` for a question, for the labs of a segment. Caches what was read of the latest ones."""

    __slots__ = ("matched_labs", "question", "segment")

    def __init__(self, question: Question, segment: Segment) -> None:
        self.question = question
        self.segment = segment
        self.matched_labs: RecentCache[_MatchedLab] = RecentCache(_CACHED_LABS)

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """The works of a lab that speak for the match; none where only its profile does."""
        lab, query = self._matched(position), self.question.query
        works = self.segment.labs[position].works
        near = self.question.near_concepts
        speaking = _speaking(lab)
        carried = [lab.carried(work) for _, work in speaking]
        own_shares = [lab.own_share(work) for _, work in speaking]
        # The more of the query's own words a work has, the less it matters what else they may mean.
        nearness_counts = NEARNESS_COUNTS * (1 - max(own_shares, default=0.0)) ** 2
        ranked: list[tuple[float, Evidence]] = []
        for (cosine, work), shares, share in zip(speaking, carried, own_shares, strict=True):
            evidence = evidence_of(works[work], cosine, query, shares, lab.reading, work)
            nearness = 1 + nearness_counts * near.nearness(lab.reading, work)
            ranked.append((evidence.score * (LEAST_SHOWN + share) * nearness, evidence))
        return tuple(evidence for _, evidence in sorted(ranked, key=lambda item: -item[0]))

    def profile_evidence(self, position: int) -> ProfileEvidence | None:
        """The sentence of a lab's profile that speaks for the match."""
        lab = self._matched(position)
        in_works = {key for _, work in lab.best_works for key in lab.carried(work)}
        return profile_evidence_of(
            lab.cosine(lab.profile), lab.carried(lab.profile), in_works, lab.reading, lab.profile
        )

    def missing(self, position: int) -> tuple[Gap, ...]:
        """The strong terms of a lab that the question does not mention."""
        return gaps(self.question.query, self.question.topic_vector, self.segment, position)

    def _matched(self, position: int) -> _MatchedLab:
        return self.matched_labs.of(position, lambda: _MatchedLab(self.question, self.segment, position))


def _speaking(lab: _MatchedLab) -> list[tuple[float, int]]:
    """The lab's best works, without those of which the profile says far more.

    What a lab plans to do may be in none of its works: "dataset distillation" does not speak for a work on a dataset.
    """
    cosine = lab.cosine(lab.profile) / PROFILE_SAYS_MORE
    share = max(FEW_OWN_WORDS, lab.own_share(lab.profile) / PROFILE_SAYS_MORE) if cosine else 0.0
    return [(of_work, work) for of_work, work in lab.best_works if of_work > cosine or lab.own_share(work) > share]


def _shares(question: Question, segment: Segment, positions: Sequence[int]) -> LabShares:
    """The shares of the question's terms in the scores of some labs."""
    prepared = question.prepared
    kernels = compiled.kernels()
    arrays = kernels and arrays_of(segment)
    if kernels and arrays:
        labs = np.array(positions, np.int64)
        term_places, shares, bearers, ends, best = kernels.shares_in_segment(
            arrays.table, *prepared.packed, labs, *question.packed
        )
        in_labs = best.reshape(-1, BEST_WORKS).tolist()
        return LabShares(term_places.tolist(), shares.tolist(), bearers.tolist(), ends.tolist(), in_labs)
    query = prepared.query_vectors
    slots = Slots.of(segment, np.asarray(positions))
    entries = entries_of(segment, Located.of(segment, query.numbers), slots)
    of_labs = BestWorks.of(slots, entries, query.vectors[0])
    works = (of_labs.slots - slots.offsets[:, None]).tolist()
    return Shares.of(len(query.keys), segment, slots, entries, of_labs).of_terms(question.query_terms, works)


class _MatchedLab:
    """One lab's entries of a question's terms, and as much of its texts as needed; row `profile` is its profile."""

    def __init__(self, question: Question, segment: Segment, position: int) -> None:
        query = question.prepared.query_vectors
        self._question = question
        self._keys, self._vector = query.keys, query.vectors[0]
        self._slots, self._entries = entries_of_lab(segment, position, query)
        self._carried: dict[int, dict[str, float]] = {}
        self.profile = self._slots.counts.item(0) - 1
        if position in segment.phrases:  # else the gaps are still to be computed, for which the whole lab is read
            rows = sorted({work for _, work in self.best_works} | {self.profile})
            self.reading = LabReading(segment.labs[position], rows)
        else:
            self.reading = reading_of(segment, position)

    def carried(self, row: int) -> dict[str, float]:
        """The contribution of each term that a row shares with the question to their cosine, by key."""
        if row not in self._carried:
            entries_of_row = np.flatnonzero(self._entries.slots == row)
            terms_of_row = self._entries.query_terms[entries_of_row]
            contributions = zip(
                terms_of_row.tolist(),
                (self._vector[terms_of_row] * self._entries.values[entries_of_row]).tolist(),
                strict=True,
            )
            self._carried[row] = {self._keys[term]: value for term, value in sorted(contributions)}
        return self._carried[row]

    @cached_property
    def best_works(self) -> list[tuple[float, int]]:
        """The lab's best works that share a term with the question: cosine and row, best first."""
        best = BestWorks.of(self._slots, self._entries, self._vector)
        ranked = sorted(zip((-best.cosines[0]).tolist(), best.slots[0].tolist(), strict=True))
        return [(-cosine, work) for cosine, work in ranked if cosine < -NOTHING]

    def own_share(self, row: int) -> float:
        """The share of the question's own words that a row has, in one form of an abbreviation or the other."""
        has = with_typed_forms(self.carried(row), self._question.typed_forms)
        return own_share(self._question.query, has)

    def cosine(self, row: int) -> float:
        """The cosine of a row and the question."""
        return math.fsum(self.carried(row).values())


def _facets(wanted: Facets, stated: Facets) -> tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]]:
    """The wanted facets of which the lab states at least one value, and the others."""
    met: list[FacetCheck] = []
    missed: list[FacetCheck] = []
    for name in sorted(wanted):
        if not wanted[name]:
            continue
        has = tuple(stated.get(name, ()))
        check = FacetCheck(name, tuple(wanted[name]), has)
        (met if _folded(has) & _folded(wanted[name]) else missed).append(check)
    return tuple(met), tuple(missed)


def _folded(values: Iterable[str]) -> set[str]:
    return {" ".join(value.casefold().split()) for value in values}
