"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.evidence import evidence_of
from portal.matching.formula import BEST_WORKS, FOCUS_SHARE
from portal.matching.gaps import gaps
from portal.matching.results import Explanation, FacetCheck, TermShare
from portal.matching.scoring import Slots, cosines_of, entries_of
from portal.matching.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.located import Located
    from portal.matching.query import AnalysedQuery
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Source
    from portal.matching.scoring import Asked, Entries
    from portal.matching.segment import Segment

_NOTHING = 1e-12
_DIGITS = 12


class _Said(NamedTuple):
    """A term of the query with all that its parts give it: its place in the query's vector, and its coordinate."""

    term: int
    weight: float
    written: str
    source: Source
    via: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query as explanations need it.

    `topic_vector` gives the vector of a text stated as a topic (for what further topics would bring).
    """

    query: AnalysedQuery
    asked: Asked
    wanted: Facets
    topic_vector: Callable[[str], Mapping[str, float]]

    def said(self) -> list[_Said]:
        """The terms of the query by source, those that occur in several parts made one."""
        places = {key: place for place, key in enumerate(self.asked.keys)}
        found: dict[tuple[str, Source, str], list[float]] = {}
        written: dict[tuple[str, Source, str], str] = {}
        for part in self.query.parts:
            for term in part.terms:
                label = (term.key, term.source, term.via)
                found.setdefault(label, []).append(part.mix * term.weight)
                written.setdefault(label, part.surface(term))
        return [
            _Said(places[label[0]], math.fsum(weights), written[label], label[1], label[2])
            for label, weights in found.items()
            if label[0] in places
        ]


@dataclass(frozen=True, slots=True)
class _Best:
    """The best works of some labs: by lab three slots, by the works' keys; `there` marks those that match."""

    slots: NDArray[np.int64]
    cosines: NDArray[np.float64]
    there: NDArray[np.bool_]

    @classmethod
    def of(cls, slots: Slots, entries: Entries, vector: NDArray[np.float64]) -> _Best:
        cosines = np.append(cosines_of(entries, vector, len(slots.lab)).round(_DIGITS), 0.0)
        grid = slots.grid()
        order = np.sort(np.argsort(-cosines[grid], axis=1, kind="stable")[:, :BEST_WORKS], axis=1)
        best = np.take_along_axis(grid, order, axis=1)
        return cls(best, cosines[best], cosines[best] > _NOTHING)


def explanations(
    question: Question,
    segment: Segment,
    located: Located,
    positions: Sequence[int],
    fits: Sequence[bool],
    scores: Sequence[float],
) -> Iterator[Explanation]:
    """The accounts of several matches with labs of one segment; `positions` rise."""
    slots = Slots.of(segment, np.asarray(positions))
    entries = entries_of(segment, located, slots)
    best = _Best.of(slots, entries, question.asked.vectors[0])
    shares = _Shares.of(question, segment, slots, entries, best)
    for place, position in enumerate(positions):
        facets = segment.labs[position].facets if question.wanted else {}
        met, missed = _facets(question.wanted, facets)
        works = (best.slots[place] - slots.offsets[place]).tolist()
        yield Explanation(
            segment.keys[position],
            scores[place],
            fits[place],
            shares.of_lab(place, work_keys(segment.labs, position), works),
            met,
            missed,
            partial(_evidence, question, segment, entries, best, place, position, works),
            partial(gaps, question.query, question.topic_vector, segment, position),
        )


def _evidence(
    question: Question, segment: Segment, entries: Entries, best: _Best, place: int, position: int, works: Sequence[int]
) -> tuple[Evidence, ...]:
    keys, vector = question.asked.keys, question.asked.vectors[0]
    lab = segment.labs[position]
    found: list[Evidence] = []
    ranked = sorted(zip((-best.cosines[place]).tolist(), works, best.slots[place].tolist(), strict=True))
    for cosine, work, slot in ranked:
        if cosine < -_NOTHING:
            here = np.flatnonzero(entries.slots == slot)
            which = entries.which[here]
            carried = zip(which.tolist(), (vector[which] * entries.values[here]).tolist(), strict=True)
            evidence = {keys[term]: value for term, value in sorted(carried)}
            found.append(evidence_of(lab.works[work], -cosine, question.query, evidence))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Shares:
    """What the terms of a query bring to some labs: `values[s, l]` for the term `said[s]` in lab l.

    `bearers[s, l]` tells which of the lab's three best works have it, the strongest first, as an index into `_BEARERS`.
    """

    said: Sequence[_Said]
    values: NDArray[np.float64]
    bearers: NDArray[np.int64]

    @classmethod
    def of(cls, question: Question, segment: Segment, slots: Slots, entries: Entries, best: _Best) -> _Shares:
        said = sorted(question.said(), key=attrgetter("written", "source", "via"))
        terms = np.array([item.term for item in said], dtype=np.int64)
        weights = np.array([item.weight for item in said])
        labs, every = len(slots.positions), len(question.asked.keys)
        lab = slots.lab[entries.slots]
        at = entries.which * labs + lab
        inverse = segment.inverse_focus[slots.positions].astype(np.float64)
        focus = np.bincount(at, slots.factors()[entries.slots] * entries.values * inverse[lab], every * labs)
        number = np.full(len(slots.lab) + 1, -1, dtype=np.int64)
        number[best.slots[best.there]] = np.broadcast_to(np.arange(BEST_WORKS), best.slots.shape)[best.there]
        work = number[entries.slots]
        borne = np.flatnonzero(work >= 0)
        carried = np.zeros((every * labs, BEST_WORKS))
        carried[at[borne], work[borne]] = entries.values[borne]
        brings = FOCUS_SHARE * focus + (1 - FOCUS_SHARE) / BEST_WORKS * carried.sum(axis=1)
        order = np.argsort(-carried, axis=1, kind="stable")
        bearers = (carried > 0).sum(axis=1) * BEST_WORKS**BEST_WORKS + order @ BEST_WORKS ** np.arange(BEST_WORKS)
        return cls(
            said,
            weights[:, None] * brings.reshape(every, labs)[terms],
            bearers.reshape(every, labs)[terms],
        )

    def of_lab(self, place: int, keys: Sequence[str], works: Sequence[int]) -> tuple[TermShare, ...]:
        """One share per term and source, the largest first; they add up to the score."""
        values = self.values[:, place]
        order = np.argsort(-values, kind="stable")
        order = order[values[order] != 0]
        bearers = self.bearers[order, place].tolist()
        written = {code: tuple(keys[works[number]] for number in _BEARERS[code]) for code in set(bearers)}
        said = [self.said[number] for number in order.tolist()]
        return tuple(
            TermShare(item.written, value, item.source, written[code], item.via)
            for item, value, code in zip(said, values[order].tolist(), bearers, strict=True)
        )


_BEARERS = {
    count * BEST_WORKS**BEST_WORKS + sum(number * BEST_WORKS**place for place, number in enumerate(order)): order[
        :count
    ]
    for order in permutations(range(BEST_WORKS))
    for count in range(BEST_WORKS + 1)
}
"""Which of the best works have a term, by how many have it and the order of all by how much of it they have."""


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
