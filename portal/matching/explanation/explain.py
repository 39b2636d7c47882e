"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from functools import cached_property, partial
from itertools import islice, repeat
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.explanation.evidence import (
    LEAST_SHOWN,
    NEARNESS_COUNTS,
    evidence_of,
    own_share,
    profile_evidence_of,
)
from portal.matching.explanation.gaps import gaps
from portal.matching.explanation.lab_reading import LabReading, reading_of
from portal.matching.explanation.shares import NOTHING, Best, Found, Shares
from portal.matching.formula import BEST_WORKS
from portal.matching.remembered import Remembered
from portal.matching.results import Explanation, FacetCheck
from portal.matching.scoring import Slots, entries_of, of_one
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.located import Located
from portal.matching.segments.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.query.questions import Question
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Gap, ProfileEvidence
    from portal.matching.segments.segment import Segment


_READS = 2
"""Labs whose readings are cached: evidence of works and of the profile is usually wanted together."""
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
    found = _found(question, segment, positions)
    works = [work_keys(segment.labs, position) for position in positions]
    checked = (
        [_facets(wanted, segment.labs[position].facets) for position in positions] if wanted else repeat(_NO_FACETS)
    )
    met, missed = zip(*islice(checked, len(positions)), strict=True)
    keys = map(segment.keys.__getitem__, positions)
    shares, texts = found.in_words(question.said, works), _Texts(question, segment)
    return list(map(_explanation, zip(keys, scores, repeat(fits), shares, met, missed, repeat(texts), positions)))


class _Texts:
    """`LabTexts` of the labs of a segment, for a question."""

    __slots__ = ("question", "reads", "segment")

    def __init__(self, question: Question, segment: Segment) -> None:
        self.question = question
        self.segment = segment
        self.reads: Remembered[_Read] = Remembered(_READS)

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """The works of a lab that speak for the match."""
        read, query = self._read(position), self.question.query
        works = self.segment.labs[position].works
        near = self.question.near_concepts
        carried = [read.carried(work) for _, work in read.best_works]
        own = [own_share(query, of_work) for of_work in carried]
        # As far as a work has the query's own words, nobody has to guess what they mean.
        counts = NEARNESS_COUNTS * (1 - max(own, default=0.0)) ** 2
        found: list[tuple[float, Evidence]] = []
        for (cosine, work), of_work, share in zip(read.best_works, carried, own, strict=True):
            said = evidence_of(works[work], cosine, query, of_work, read.reading, work)
            nearness = 1 + counts * near.nearness(read.reading, work)
            found.append((said.score * (LEAST_SHOWN + share) * nearness, said))
        return tuple(said for _, said in sorted(found, key=lambda one: -one[0]))

    def profile_evidence(self, position: int) -> ProfileEvidence | None:
        """The sentence of a lab's profile that speaks for the match."""
        read = self._read(position)
        in_works = {key for _, work in read.best_works for key in read.carried(work)}
        return profile_evidence_of(
            read.cosine(read.profile), read.carried(read.profile), in_works, read.reading, read.profile
        )

    def missing(self, position: int) -> tuple[Gap, ...]:
        """The strong terms of a lab that the question does not mention."""
        return gaps(self.question.query, self.question.topic_vector, self.segment, position)

    def _read(self, position: int) -> _Read:
        return self.reads.of(position, lambda: _Read(self.question, self.segment, position))


def _found(question: Question, segment: Segment, positions: Sequence[int]) -> Found:
    prepared = question.prepared
    kernels = compiled.kernels()
    arrays = kernels and arrays_of(segment)
    if kernels and arrays:
        labs = np.array(positions, np.int64)
        which, shares, bearers, ends, best = kernels.shares_in_segment(
            arrays.table, *prepared.packed, labs, *question.packed
        )
        in_labs = best.reshape(-1, BEST_WORKS).tolist()
        return Found(which.tolist(), shares.tolist(), bearers.tolist(), ends.tolist(), in_labs)
    asked = prepared.asked
    slots = Slots.of(segment, np.asarray(positions))
    entries = entries_of(segment, Located.of(segment, asked.numbers), slots)
    of_labs = Best.of(slots, entries, asked.vectors[0])
    works = (of_labs.slots - slots.offsets[:, None]).tolist()
    return Shares.of(len(asked.keys), segment, slots, entries, of_labs).of_said(question.said, works)


class _Read:
    """One lab's entries of a question's terms, and as much of its texts as needed; row `profile` is its profile."""

    def __init__(self, question: Question, segment: Segment, position: int) -> None:
        asked = question.prepared.asked
        self._keys, self._vector = asked.keys, asked.vectors[0]
        self._slots, self._entries = of_one(segment, position, asked)
        self._carried: dict[int, dict[str, float]] = {}
        self.profile = self._slots.counts.item(0) - 1
        if position in segment.phrases:  # else gaps will be asked for, for which all of the lab is read
            rows = sorted({work for _, work in self.best_works} | {self.profile})
            self.reading = LabReading(segment.labs[position], rows)
        else:
            self.reading = reading_of(segment, position)

    def carried(self, row: int) -> dict[str, float]:
        """The contribution of each term that a row shares with the question to their cosine, by key."""
        if row not in self._carried:
            here = np.flatnonzero(self._entries.slots == row)
            which = self._entries.which[here]
            brought = zip(which.tolist(), (self._vector[which] * self._entries.values[here]).tolist(), strict=True)
            self._carried[row] = {self._keys[term]: value for term, value in sorted(brought)}
        return self._carried[row]

    @cached_property
    def best_works(self) -> list[tuple[float, int]]:
        """The lab's best works that share a term with the question: cosine and row, best first."""
        best = Best.of(self._slots, self._entries, self._vector)
        ranked = sorted(zip((-best.cosines[0]).tolist(), best.slots[0].tolist(), strict=True))
        return [(-cosine, work) for cosine, work in ranked if cosine < -NOTHING]

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
