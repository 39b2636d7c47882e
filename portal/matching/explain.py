"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.evidence import evidence_of
from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.gaps import gaps
from portal.matching.located import Located
from portal.matching.results import Explanation, FacetCheck, TermShare
from portal.matching.scoring import Slots, entries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from portal.matching.query import AnalysedQuery
    from portal.matching.records import Facets, LabDoc, WorkDoc
    from portal.matching.results import Evidence, Source
    from portal.matching.scoring import Asked
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
class _LabTerms:
    """What one lab has of the query: by term the coordinate in its focus, and by work (row) those in the work."""

    focus: Mapping[int, float]
    works: Mapping[int, Mapping[int, float]]


def explanations(
    question: Question, segment: Segment, positions: Sequence[int], fits: Sequence[bool], scores: Sequence[float]
) -> Iterator[Explanation]:
    """The accounts of several matches with labs of one segment; `positions` rise."""
    said = question.said()
    vector = question.asked.vectors[0].tolist()
    for place, terms in enumerate(_terms_of(question.asked, segment, positions)):
        position = positions[place]
        lab = segment.labs[position]
        best = _best_works(terms, vector, lab, int(segment.rows.first[position]))
        met, missed = _facets(question.wanted, lab)
        yield Explanation(
            lab.key,
            scores[place],
            fits[place],
            _shares(said, terms.focus, {work.key: values for work, _, values in best}),
            met,
            missed,
            partial(_evidence, question, vector, best),
            partial(gaps, question.query, question.topic_vector, segment, position),
        )


def _best_works(
    terms: _LabTerms, vector: Sequence[float], lab: LabDoc, first: int
) -> list[tuple[WorkDoc, float, Mapping[int, float]]]:
    """The best works with their cosines and what they have of the query."""
    cosines = [
        (-round(math.fsum(vector[term] * value for term, value in values.items()), _DIGITS), row)
        for row, values in terms.works.items()
    ]
    return [
        (lab.works[row - first], -cosine, terms.works[row])
        for cosine, row in sorted(cosines)[:BEST_WORKS]
        if cosine < -_NOTHING
    ]


def _evidence(
    question: Question, vector: Sequence[float], best: Iterable[tuple[WorkDoc, float, Mapping[int, float]]]
) -> tuple[Evidence, ...]:
    keys = question.asked.keys
    return tuple(
        evidence_of(work, cosine, question.query, {keys[term]: vector[term] * value for term, value in values.items()})
        for work, cosine, values in best
    )


def _terms_of(asked: Asked, segment: Segment, positions: Sequence[int]) -> Iterator[_LabTerms]:
    slots = Slots.of(segment, np.asarray(positions))
    entries = entries_of(segment, Located.of(segment, asked.numbers), slots)
    order = np.argsort(slots.lab[entries.slots], kind="stable")
    labs = slots.lab[entries.slots][order]
    cuts = np.searchsorted(labs, np.arange(len(positions) + 1)).tolist()
    found = list(
        zip(
            entries.which[order].tolist(),
            slots.rows[entries.slots][order].tolist(),
            entries.values[order].tolist(),
            strict=True,
        )
    )
    for place, position in enumerate(positions):
        profile = int(segment.rows.first[position + 1]) - 1
        inverse = float(segment.inverse_focus[position])
        focus: dict[int, float] = {}
        works: dict[int, dict[int, float]] = {}
        for term, row, value in found[cuts[place] : cuts[place + 1]]:
            if row == profile:
                focus[term] = focus.get(term, 0.0) + inverse * PROFILE_WEIGHT * value
            else:
                focus[term] = focus.get(term, 0.0) + inverse * value
                works.setdefault(row, {})[term] = value
        yield _LabTerms(focus, works)


def _shares(
    said: Iterable[_Said], focus: Mapping[int, float], works: Mapping[str, Mapping[int, float]]
) -> tuple[TermShare, ...]:
    """One share per term and source, the largest first; they add up to the score."""
    per_work = (1 - FOCUS_SHARE) / BEST_WORKS
    found: list[TermShare] = []
    for term, weight, written, source, via in said:
        if term not in focus:
            continue
        in_works = [(key, row[term]) for key, row in works.items() if term in row]
        value = FOCUS_SHARE * focus[term] + per_work * sum(map(itemgetter(1), in_works))
        if weight * value:
            in_works.sort(key=lambda item: (-item[1], item[0]))
            found.append(TermShare(written, weight * value, source, tuple(key for key, _ in in_works), via))
    return tuple(sorted(found, key=lambda share: (-share.share, share.term, share.source, share.via)))


def _facets(wanted: Facets, lab: LabDoc) -> tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]]:
    """Wanted facets that the lab has at least one value of, and the others."""
    met: list[FacetCheck] = []
    missed: list[FacetCheck] = []
    for name in sorted(wanted):
        if not wanted[name]:
            continue
        has = tuple(lab.facets.get(name, ()))
        check = FacetCheck(name, tuple(wanted[name]), has)
        (met if _folded(has) & _folded(wanted[name]) else missed).append(check)
    return tuple(met), tuple(missed)


def _folded(values: Iterable[str]) -> set[str]:
    return {" ".join(value.casefold().split()) for value in values}
