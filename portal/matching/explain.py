"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.evidence import evidence_of
from portal.matching.formula import BEST_WORKS
from portal.matching.gaps import gaps
from portal.matching.located import Located
from portal.matching.results import Explanation, FacetCheck
from portal.matching.scoring import Slots, entries_of
from portal.matching.segment_arrays import arrays_of
from portal.matching.shares import NOTHING, Best, Found, Said, Shares
from portal.matching.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from portal.matching.prepared import Prepared
    from portal.matching.query import AnalysedQuery
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Source
    from portal.matching.segment import Segment


@dataclass(frozen=True, slots=True)
class Question:
    """A query as explanations need it.

    `topic_vector` gives the vector of a text stated as a topic (for what further topics would bring).
    """

    query: AnalysedQuery
    prepared: Prepared
    wanted: Facets
    topic_vector: Callable[[str], Mapping[str, float]]

    def said(self) -> list[Said]:
        """The terms of the query by source, those that occur in several parts made one; sorted as they are written."""
        keys = self.prepared.keys
        if not keys:
            return []  # all parts together weigh too little to be a number
        places = dict(zip(keys, range(len(keys)), strict=True))
        found: dict[tuple[str, Source, str], float] = {}
        again: dict[tuple[str, Source, str], list[float]] = {}
        written: dict[tuple[str, Source, str], str] = {}
        for part in self.query.parts:
            mix, surface = part.mix, part.surface
            for term in part.terms:
                label = (term.key, term.source, term.via)
                weight = mix * term.weight
                if label in found:
                    again.setdefault(label, [found[label]]).append(weight)
                else:
                    found[label], written[label] = weight, surface(term)
        found |= {label: math.fsum(weights) for label, weights in again.items()}
        said = [Said(places[label[0]], weight, written[label], label[1], label[2]) for label, weight in found.items()]
        return sorted(said, key=_AS_WRITTEN)


_AS_WRITTEN = itemgetter(2, 3, 4)
_NO_FACETS: tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]] = ((), ())


def explanations(
    question: Question, segment: Segment, positions: Sequence[int], scores: Sequence[float], *, fits: bool
) -> list[Explanation]:
    """The accounts of several matches with labs of one segment; `positions` rise."""
    said = question.said()
    found = _found(question.prepared, segment, said, positions)
    works = [work_keys(segment.labs, position) for position in positions]
    explained: list[Explanation] = []
    for position, score, shares in zip(positions, scores, found.in_words(said, works), strict=True):
        facets = _facets(question.wanted, segment.labs[position].facets) if question.wanted else _NO_FACETS
        evidence = partial(_evidence, question, segment, position)
        missing = partial(gaps, question.query, question.topic_vector, segment, position)
        explained.append(Explanation.of((segment.keys[position], score, fits), shares, facets, evidence, missing))
    return explained


def _found(prepared: Prepared, segment: Segment, said: Sequence[Said], positions: Sequence[int]) -> Found:
    kernels = compiled.kernels()
    arrays = kernels and arrays_of(segment)
    if kernels and arrays:
        terms, weights = np.array([one[0] for one in said], np.int64), np.array([one[1] for one in said], np.float64)
        labs = np.array(positions, np.int64)
        which, shares, bearers, ends, best = kernels.shares_in_segment(
            arrays.table, *prepared.packed, labs, terms, weights
        )
        in_labs = best.reshape(-1, BEST_WORKS).tolist()
        return Found(which.tolist(), shares.tolist(), bearers.tolist(), ends.tolist(), in_labs)
    asked = prepared.asked
    slots = Slots.of(segment, np.asarray(positions))
    entries = entries_of(segment, Located.of(segment, asked.numbers), slots)
    of_labs = Best.of(slots, entries, asked.vectors[0])
    works = (of_labs.slots - slots.offsets[:, None]).tolist()
    return Shares.of(len(asked.keys), segment, slots, entries, of_labs).of_said(said, works)


def _evidence(question: Question, segment: Segment, position: int) -> tuple[Evidence, ...]:
    asked = question.prepared.asked
    keys, vector = asked.keys, asked.vectors[0]
    slots = Slots.of(segment, np.array([position]))
    entries = entries_of(segment, Located.of(segment, asked.numbers), slots)
    best = Best.of(slots, entries, vector)
    lab = segment.labs[position]
    found: list[Evidence] = []
    ranked = sorted(zip((-best.cosines[0]).tolist(), best.slots[0].tolist(), strict=True))
    for cosine, work in ranked:
        if cosine < -NOTHING:
            here = np.flatnonzero(entries.slots == work)
            which = entries.which[here]
            carried = zip(which.tolist(), (vector[which] * entries.values[here]).tolist(), strict=True)
            evidence = {keys[term]: value for term, value in sorted(carried)}
            found.append(evidence_of(lab.works[work], -cosine, question.query, evidence))
    return tuple(found)


def _facets(wanted: Facets, stated: Facets) -> tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]]:
    """Wanted facets of which at least one value is stated, and the others."""
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
