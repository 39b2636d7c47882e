"""Scores of labs for query vectors, and the entries they are computed from.

score = ½ · cosine with the lab's focus + ½ · (sum of the cosines of its three best works) / 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.language.hashing import term_numbers
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.located import Located
from portal.matching.segments.postings import LOG_COUNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

DIGITS = 12
"""Scores are rounded to so many decimals, so that they do not depend on the order of summation."""
ROUNDING = 10.0**DIGITS
FINE = 2.0**50
"""Products are rounded to multiples of 1/2^50, so that their sums are exact in any order."""
_WIDEST = 64
"""The best works of labs with up to so many rows are found by sorting one padded grid."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The terms of a query with their coordinates: `vectors[0]` is the whole query, the others are parts of it."""

    keys: Sequence[str]
    numbers: NDArray[np.uint64]
    vectors: Floats

    @classmethod
    def of(cls, keys: Sequence[str], vectors: Floats) -> QueryVectors:
        """The terms with these sorted keys; `vectors` has a column for each."""
        return cls(keys, term_numbers(keys), vectors)


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots for the rows of some labs: lab i has `counts[i]` slots from `offsets[i]` on, the last for its profile.

    `positions` are the positions of the labs in their segment; `lab` and `rows` give each slot's lab and row.
    """

    positions: Ints
    counts: Ints
    offsets: Ints
    lab: Ints
    rows: Ints

    @classmethod
    def of(cls, segment: Segment, positions: Ints) -> Slots:
        """Slots for the rows of the labs at `positions` (rising)."""
        first = segment.rows.first[positions]
        counts = segment.rows.first[positions + 1] - first
        offsets = counts.cumsum() - counts
        lab = np.arange(len(positions)).repeat(counts)
        return cls(positions, counts, offsets, lab, np.arange(len(lab)) + (first - offsets)[lab])

    def factors(self) -> Ints:
        """How often every row counts in the focus of its lab."""
        factors = np.ones(len(self.lab), dtype=np.int64)
        factors[self.offsets + self.counts - 1] = PROFILE_WEIGHT
        return factors

    def grid(self) -> Ints:
        """For each lab the slots of its works, padded with the number after the last slot."""
        steps = np.arange(max(int(self.counts.max(initial=0)) - 1, BEST_WORKS))
        slots: Ints = np.where(steps < (self.counts - 1)[:, None], self.offsets[:, None] + steps, len(self.lab))
        return slots


@dataclass(frozen=True, slots=True)
class Entries:
    """Some labs' entries of a query's terms, for which `Slots` have been laid out.

    Entry e: the query's term `query_terms[e]` is in the slot `slots[e]` with the coordinate `values[e]`. Slots rise
    within each term.
    """

    query_terms: Ints
    slots: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class LabScores:
    """Labs with their scores: `scores[v, i]` for vector v, and whether lab i has term t in `present[t, i]`."""

    scores: Floats
    present: NDArray[np.bool_]


def entries_of(segment: Segment, located: Located, slots: Slots) -> Entries:
    """The entries of the labs of `slots` for the located terms."""
    place = np.zeros(segment.rows.labs, dtype=np.int32)
    place[slots.positions] = np.arange(1, len(slots.positions) + 1)
    labs = place[located.labs]
    found_entries = labs.nonzero()[0]
    entry_slots = (
        located.rows[found_entries] + (slots.offsets - segment.rows.first[slots.positions])[labs[found_entries] - 1]
    )
    query_terms, weights = located.query_terms[found_entries], located.weights[found_entries]
    if len(located.common):
        common = segment.common.entries(located.common, slots.positions)
        query_terms = np.concatenate((query_terms, located.common_query_terms[common.term]))
        entry_slots = np.concatenate((entry_slots, slots.offsets[common.lab] + common.row))
        weights = np.concatenate((weights, located.common_weights[common.term] * LOG_COUNT[common.counts]))
    return Entries(query_terms, entry_slots, weights * segment.inverse_length[slots.rows[entry_slots]])


def has_row_with(segment: Segment, keys: Sequence[str], gone: Ints) -> bool:
    """Whether a single work or profile, of a lab that is not `gone`, contains all the terms with these keys."""
    located = Located.of(segment, term_numbers(keys))
    labs = np.setdiff1d(located.labs_with(segment, np.zeros(1, np.int64)), gone)
    entries = entries_of(segment, located, Slots.of(segment, labs))
    return bool((np.bincount(entries.slots) == len(keys)).any())


def labs_with(segment: Segment, key: str, gone: Ints) -> Ints:
    """The positions of the labs that contain the term with this key and are not `gone`."""
    located = Located.of(segment, term_numbers([key]))
    return np.setdiff1d(located.labs_with(segment, np.zeros(1, np.int64)), gone)


def lab_scores(segment: Segment, positions: Ints, query: QueryVectors, located: Located) -> LabScores:
    """The scores of the labs at `positions` (rising); fewer than three works are padded with zeros."""
    slots = Slots.of(segment, positions)
    return _scored(segment, slots, entries_of(segment, located, slots), query)


def _scored(segment: Segment, slots: Slots, entries: Entries, query: QueryVectors) -> LabScores:
    """The scores of the labs of `slots`, from their entries."""
    positions = slots.positions
    scores = np.empty((len(query.vectors), len(positions)))
    if len(positions):
        cosines = all_cosines(entries, query.vectors, len(slots.lab))
        # As integers: the sums over many works exceed what a float holds exactly.
        products = (cosines * FINE).astype(np.int64) * slots.factors()
        focus = np.add.reduceat(products, slots.offsets, axis=1) / FINE * segment.inverse_focus[positions]
        scores = FOCUS_SHARE * focus + (1 - FOCUS_SHARE) / BEST_WORKS * _best_works(slots, cosines)
    present = np.zeros((len(query.numbers), len(positions)), dtype=bool)
    present[entries.query_terms, slots.lab[entries.slots]] = True
    return LabScores(scores.round(DIGITS), present)


def cosines_of(entries: Entries, vector: Floats, slots: int) -> Floats:
    """For each slot the cosine of its row with a vector."""
    products = np.rint(vector[entries.query_terms] * entries.values * FINE)
    cosines: Floats = np.bincount(entries.slots, weights=products, minlength=slots) / FINE
    return cosines


def all_cosines(entries: Entries, vectors: Floats, slots: int) -> Floats:
    """The same for several vectors (one per row): one row of cosines per vector, one column per slot."""
    products = np.rint(vectors[:, entries.query_terms] * entries.values * FINE)
    places = np.arange(0, len(vectors) * slots, slots)[:, None] + entries.slots
    sums = np.bincount(places.ravel(), weights=products.ravel(), minlength=len(vectors) * slots)
    cosines: Floats = sums.reshape(len(vectors), slots) / FINE
    return cosines


def _best_works(slots: Slots, cosines: Floats) -> Floats:
    """For each vector and lab the sum of the cosines of the lab's best works."""
    if int(slots.counts.max()) <= _WIDEST:
        padded = np.concatenate((cosines, np.zeros((len(cosines), 1))), axis=1)
        best: Floats = np.sort(padded[:, slots.grid()], axis=2)[:, :, -BEST_WORKS:].sum(axis=2)
        return best
    return np.array([_best_of_wide(slots, works) for works in cosines.copy()])


def _best_of_wide(slots: Slots, works: Floats) -> Floats:
    """The same for one vector, if some lab has many works. Overwrites `works`, the cosines of all slots."""
    works[slots.offsets + slots.counts - 1] = -1.0
    order = np.lexsort((-works, slots.lab))
    best = order[(np.arange(len(works)) - slots.offsets[slots.lab] < BEST_WORKS) & (works[order] >= 0)]
    return np.bincount(slots.lab[best], weights=works[best], minlength=len(slots.counts)).astype(np.float64)


def scores_of_lab(segment: Segment, position: int, query: QueryVectors) -> LabScores:
    """The scores of one lab for all vectors."""
    return _scored(segment, *entries_of_lab(segment, position, query), query)


def scores_of_labs(places: Sequence[tuple[Segment, int]], query: QueryVectors) -> list[float]:
    """The scores of several labs, each given by its segment and its position there, for the query's first vector."""
    by_segment: dict[int, tuple[Segment, dict[int, float]]] = {}
    for segment, position in places:
        by_segment.setdefault(id(segment), (segment, {}))[1][position] = 0.0
    for segment, scores in by_segment.values():
        positions = np.array(sorted(scores))
        scored = lab_scores(segment, positions, query, Located.of(segment, query.numbers))
        scores.update(zip(positions.tolist(), scored.scores[0].tolist(), strict=True))
    return [by_segment[id(segment)][1][position] for segment, position in places]


def entries_of_lab(segment: Segment, position: int, query: QueryVectors) -> tuple[Slots, Entries]:
    """The slots of one lab, and its entries of the terms."""
    slots = Slots.of(segment, np.array([position]))
    kernels = compiled.kernels()
    arrays = kernels and arrays_of(segment)
    if kernels and arrays:
        ints = np.array([len(query.keys), 0, 0, *query.numbers.tolist()], np.int64)
        return slots, Entries(*kernels.entries_in_lab(arrays.table, ints, position))
    return slots, entries_of(segment, Located.of(segment, query.numbers), slots)
