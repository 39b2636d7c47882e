"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from functools import partial
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import compiled
from portal.matching.explanation.evidence import LEAST_SHOWN, evidence_of, own_share, profile_evidence_of
from portal.matching.explanation.gaps import gaps
from portal.matching.explanation.shares import NOTHING, Best, Found, Shares
from portal.matching.formula import BEST_WORKS
from portal.matching.results import Explanation, FacetCheck
from portal.matching.scoring import Slots, entries_of
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.located import Located
from portal.matching.segments.stored_labs import work_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.query.questions import Question
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Gap, ProfileEvidence
    from portal.matching.scoring import Entries
    from portal.matching.segments.segment import Segment


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
    """The accounts of several matches with labs of one segment; `positions` rise, `wanted` are the query's facets."""
    found = _found(question, segment, positions)
    works = [work_keys(segment.labs, position) for position in positions]
    checked = (
        [_facets(wanted, segment.labs[position].facets) for position in positions] if wanted else repeat(_NO_FACETS)
    )
    met, missed = zip(*islice(checked, len(positions)), strict=True)
    keys = map(segment.keys.__getitem__, positions)
    shares, texts = found.in_words(question.said, works), _Texts(question, segment)
    return list(map(_explanation, zip(keys, scores, repeat(fits), shares, met, missed, repeat(texts), positions)))


class _Texts(NamedTuple):
    """`LabTexts` of the labs of a segment, for a question."""

    question: Question
    segment: Segment

    def evidence(self, position: int) -> tuple[Evidence, ...]:
        """What of a lab's works speaks for the match."""
        return _evidence(self.question, self.segment, position)

    def profile_evidence(self, position: int) -> ProfileEvidence | None:
        """What the lab says of itself that speaks for the match."""
        read = _Read.of(self.question, self.segment, position)
        profile = read.slots.counts.item(0) - 1
        text, works = self.segment.labs[position].profile, read.best_works()
        in_works = {key for _, work in works for key in read.carried(work)}
        return profile_evidence_of(text, read.cosine(profile), read.carried(profile), in_works)

    def missing(self, position: int) -> tuple[Gap, ...]:
        """What of a lab the question lacks."""
        return gaps(self.question.query, self.question.topic_vector, self.segment, position)


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


class _Read(NamedTuple):
    """What one lab has of a question's terms; its works and then its profile are slots."""

    keys: Sequence[str]
    vector: NDArray[np.float64]
    slots: Slots
    entries: Entries

    @classmethod
    def of(cls, question: Question, segment: Segment, position: int) -> _Read:
        """The entries of the lab that stands there."""
        asked = question.prepared.asked
        slots = Slots.of(segment, np.array([position]))
        return cls(asked.keys, asked.vectors[0], slots, entries_of(segment, Located.of(segment, asked.numbers), slots))

    def carried(self, slot: int) -> dict[str, float]:
        """What each term that a work, or the profile, shares with the question brings to their cosine."""
        here = np.flatnonzero(self.entries.slots == slot)
        which = self.entries.which[here]
        brought = zip(which.tolist(), (self.vector[which] * self.entries.values[here]).tolist(), strict=True)
        return {self.keys[term]: value for term, value in sorted(brought)}

    def best_works(self) -> list[tuple[float, int]]:
        """The lab's best works that share anything with the question: the cosine and the slot of each, best first."""
        best = Best.of(self.slots, self.entries, self.vector)
        ranked = sorted(zip((-best.cosines[0]).tolist(), best.slots[0].tolist(), strict=True))
        return [(-cosine, work) for cosine, work in ranked if cosine < -NOTHING]

    def cosine(self, slot: int) -> float:
        """The cosine of a work, or of the profile, and the question."""
        return math.fsum(self.carried(slot).values())


def _evidence(question: Question, segment: Segment, position: int) -> tuple[Evidence, ...]:
    read = _Read.of(question, segment, position)
    lab = segment.labs[position]
    found: list[tuple[float, Evidence]] = []
    for cosine, work in read.best_works():
        evidence = read.carried(work)
        said = evidence_of(lab.works[work], cosine, question.query, evidence)
        found.append((said.score * (LEAST_SHOWN + own_share(question.query, evidence)), said))
    return tuple(said for _, said in sorted(found, key=lambda one: -one[0]))


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
