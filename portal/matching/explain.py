"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.evidence import evidence_of
from portal.matching.gaps import gaps
from portal.matching.results import Explanation, FacetCheck
from portal.matching.scoring import Slots, entries_of
from portal.matching.shares import NOTHING, Best, Said, Shares
from portal.matching.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from portal.matching.located import Located
    from portal.matching.query import AnalysedQuery
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Source
    from portal.matching.scoring import Asked, Entries
    from portal.matching.segment import Segment


@dataclass(frozen=True, slots=True)
class Question:
    """A query as explanations need it.

    `topic_vector` gives the vector of a text stated as a topic (for what further topics would bring).
    """

    query: AnalysedQuery
    asked: Asked
    wanted: Facets
    topic_vector: Callable[[str], Mapping[str, float]]

    def said(self, wanted: Collection[int]) -> list[Said]:
        """Those terms of the query that are `wanted`, by source, those that occur in several parts made one."""
        keys = self.asked.keys
        places = {keys[place]: place for place in wanted}
        found: dict[tuple[str, Source, str], float] = {}
        again: dict[tuple[str, Source, str], list[float]] = {}
        written: dict[tuple[str, Source, str], str] = {}
        for part in self.query.parts:
            mix, surface = part.mix, part.surface
            for term in part.terms:
                if term.key not in places:
                    continue
                label = (term.key, term.source, term.via)
                weight = mix * term.weight
                if label in found:
                    again.setdefault(label, [found[label]]).append(weight)
                else:
                    found[label], written[label] = weight, surface(term)
        found |= {label: math.fsum(weights) for label, weights in again.items()}
        return [Said(places[label[0]], weight, written[label], label[1], label[2]) for label, weight in found.items()]


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
    best = Best.of(slots, entries, question.asked.vectors[0])
    works = (best.slots - slots.offsets[:, None]).tolist()
    keys = [_work_keys(segment, position, of_lab) for position, of_lab in zip(positions, works, strict=True)]
    said = question.said(np.bincount(entries.which).nonzero()[0].tolist())
    shares = Shares.of(len(question.asked.keys), segment, slots, entries, best).in_words(said, keys)
    for place, position in enumerate(positions):
        met, missed = _facets(question.wanted, segment.labs[position].facets) if question.wanted else ((), ())
        yield Explanation(
            segment.keys[position],
            scores[place],
            fits[place],
            shares[place],
            met,
            missed,
            partial(_evidence, question, segment, entries, best, place, position, works[place]),
            partial(gaps, question.query, question.topic_vector, segment, position),
        )


def _work_keys(segment: Segment, position: int, works: Sequence[int]) -> list[str]:
    """The keys of some works of a lab; empty where there is no such work."""
    keys = work_keys(segment.labs, position)
    return [keys[work] if work < len(keys) else "" for work in works]


def _evidence(
    question: Question, segment: Segment, entries: Entries, best: Best, place: int, position: int, works: Sequence[int]
) -> tuple[Evidence, ...]:
    keys, vector = question.asked.keys, question.asked.vectors[0]
    lab = segment.labs[position]
    found: list[Evidence] = []
    ranked = sorted(zip((-best.cosines[place]).tolist(), works, best.slots[place].tolist(), strict=True))
    for cosine, work, slot in ranked:
        if cosine < -NOTHING:
            here = np.flatnonzero(entries.slots == slot)
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
