"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

from functools import partial
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import compiled
from portal.matching.explanation.evidence import LEAST_SHOWN, evidence_of, own_share
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

    from portal.matching.query.questions import Question
    from portal.matching.records import Facets
    from portal.matching.results import Evidence, Gap
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


def _evidence(question: Question, segment: Segment, position: int) -> tuple[Evidence, ...]:
    asked = question.prepared.asked
    keys, vector = asked.keys, asked.vectors[0]
    slots = Slots.of(segment, np.array([position]))
    entries = entries_of(segment, Located.of(segment, asked.numbers), slots)
    best = Best.of(slots, entries, vector)
    lab = segment.labs[position]
    found: list[tuple[float, Evidence]] = []
    ranked = sorted(zip((-best.cosines[0]).tolist(), best.slots[0].tolist(), strict=True))
    for cosine, work in ranked:
        if cosine < -NOTHING:
            here = np.flatnonzero(entries.slots == work)
            which = entries.which[here]
            carried = zip(which.tolist(), (vector[which] * entries.values[here]).tolist(), strict=True)
            evidence = {keys[term]: value for term, value in sorted(carried)}
            said = evidence_of(lab.works[work], -cosine, question.query, evidence)
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
