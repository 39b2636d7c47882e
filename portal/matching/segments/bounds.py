"""Upper bounds of what each common term adds to a lab's score. Queries read these first.

For a query q with no negative coordinate, the score of a lab is

    ½ Σ q·focus + ½ · (sum over its best three works of Σ q·work) / 3  ≤  Σ q·bound,
    bound(lab, term) = ½ focus + ½ · (sum of the three largest values of the term among its works) / 3,

because no three works have more of a term than the three that have the most. Only labs whose bound reaches the scores
of the best labs need to be scored exactly. A bound is stored in eight bits, rounded up, as a number of steps of 1/255
of the term's largest bound. Rare terms have no stored bounds: the sum over all their rows, taken from the postings, is
used instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.segments.grouping import blocks_of, by_lab

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.segments.lengths import Lengths
    from portal.matching.segments.located import Located
    from portal.matching.segments.postings import Postings
    from portal.matching.segments.rows import Rows
    from portal.matching.segments.segment import Segment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

SLACK = 1e-3
"""Relative error that is allowed for; float32 sums of ten thousand terms stay well within it."""
_DENSE_FROM = 0.2
"""A term in more than this share of the labs is stored as a dense row, which is faster to add."""
_STEPS = 255
"""The largest number of steps of a stored bound."""
_ROWS_AT_ONCE = 16
_BOUNDS_AT_ONCE = 1 << 21
"""Dense rows, and bounds in them, that one matrix product adds at most."""
_FEW = 8
"""Up to so many dense rows are added one by one."""
_NO_STEPS = np.zeros(0, dtype=np.uint8)
_NO_ROWS = np.zeros((0, 0), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of the common terms: term i has the bounds `steps` × `step[i]` for `labs[starts[i]:starts[i + 1]]`.

    If `dense_row[i]` is not -1, it is instead the row of `dense` that has the bounds for all labs. `of_row[r]` is what
    a coordinate of 1 in row r adds to the bound of its lab.
    """

    step: NDArray[np.float32]
    starts: NDArray[np.int64]
    labs: NDArray[np.unsignedinteger[Any]]
    steps: NDArray[np.uint8]
    dense_row: NDArray[np.int32]
    dense: NDArray[np.uint8]
    of_row: NDArray[np.float32]

    @classmethod
    def of_no_terms(cls, of_row: NDArray[np.float32]) -> Bounds:
        """The bounds of a segment without common terms."""
        no_steps, no_rows = np.zeros(0, np.float32), np.zeros(0, np.int32)
        return cls(no_steps, np.zeros(1, np.int64), no_rows.astype(np.uint16), _NO_STEPS, no_rows, _NO_ROWS, of_row)

    def labs_with(self, term: int) -> NDArray[np.int64]:
        """The labs that contain a common term."""
        row = int(self.dense_row[term])
        if row >= 0:
            return np.flatnonzero(self.dense[row])
        return self.labs[int(self.starts[term]) : int(self.starts[term + 1])].astype(np.int64)


def bounds_of(
    terms: NDArray[np.int64],
    rows: Rows,
    postings: Postings,
    idf: NDArray[np.float32],
    lengths: Lengths,
) -> Bounds:
    """Compute the bounds of the common terms `terms` (rising); `idf` has the weights of all terms of `postings`."""
    kind: type[np.unsignedinteger[Any]] = np.uint16 if rows.labs <= 1 << 16 else np.uint32
    labs: list[NDArray[np.unsignedinteger[Any]]] = [np.zeros(0, kind)]
    steps: list[NDArray[np.uint8]] = [np.zeros(0, np.uint8)]
    counts: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    step: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    dense: list[NDArray[np.uint8]] = []
    dense_row = np.full(len(terms), -1, dtype=np.int32)
    first_term = 0
    per_work = (1 - FOCUS_SHARE) / BEST_WORKS
    for block in blocks_of(terms, postings.starts):
        grouped = by_lab(block, rows, postings, idf, lengths.inverse_length)
        focus = FOCUS_SHARE * grouped.sums(PROFILE_WEIGHT) * lengths.inverse_focus[grouped.labs]
        bound = focus + per_work * grouped.largest(BEST_WORKS)
        sizes = np.bincount(np.searchsorted(block.terms, grouped.terms), minlength=len(block.terms))
        ends = np.cumsum(sizes)
        of_term = (np.maximum.reduceat(bound, ends - sizes) / _STEPS).astype(np.float32)
        rounded = np.ceil(bound / np.repeat(of_term, sizes)).clip(1, _STEPS).astype(np.uint8)
        in_many = sizes > _DENSE_FROM * rows.labs
        for offset in np.flatnonzero(in_many).tolist():
            group = slice(int(ends[offset] - sizes[offset]), int(ends[offset]))
            dense_steps = np.zeros(rows.labs, dtype=np.uint8)
            dense_steps[grouped.labs[group]] = rounded[group]
            dense_row[first_term + offset] = len(dense)
            dense.append(dense_steps)
        is_sparse = ~np.repeat(in_many, sizes)
        labs.append(grouped.labs[is_sparse].astype(kind))
        steps.append(rounded[is_sparse])
        counts.append(np.where(in_many, 0, sizes))
        step.append(of_term)
        first_term += len(block.terms)
    return Bounds(
        np.concatenate(step),
        np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(counts)))),
        np.concatenate(labs),
        np.concatenate(steps),
        dense_row,
        np.array(dense, dtype=np.uint8).reshape(len(dense), rows.labs),
        lengths.of_row,
    )


def upper_bounds(segment: Segment, located: Located, vector: Floats) -> NDArray[np.float32]:
    """For each lab an upper bound of its score for `vector`, 0 only if it shares no term with it.

    The vector has one coordinate for each of the query's terms.
    """
    bounds = segment.bounds
    rare = vector[located.query_terms] * located.weights * bounds.of_row[located.rows]
    common = (vector[located.common_query_terms] * bounds.step[located.common]).astype(np.float32)
    return _sums(segment, located, rare, common, weighed=True)


def upper_supports(segment: Segment, located: Located, weights: Floats) -> NDArray[np.float32]:
    """For each lab an upper bound of the total weight of the query's terms that it contains."""
    common = weights[located.common_query_terms].astype(np.float32)
    return _sums(segment, located, weights[located.query_terms], common, weighed=False)


def _sums(
    segment: Segment, located: Located, rare: Floats, common: NDArray[np.float32], *, weighed: bool
) -> NDArray[np.float32]:
    """For each lab the sum over the query's terms that it contains, a little too large, never too small.

    `rare` has what each entry of `located` adds, `common` what each common term adds: once to every lab that contains
    it or, if `weighed`, times the lab's number of steps.
    """
    bounds, count = segment.bounds, segment.rows.labs
    if not len(common):
        return (np.bincount(located.labs, rare, count) * (1 + SLACK)).astype(np.float32)
    positive = common > 0
    if positive.all():
        terms = located.common
    else:
        terms, common = located.common[positive], common[positive]
    rows = bounds.dense_row[terms]
    is_sparse = rows < 0
    cuts = [slice(bounds.starts.item(term), bounds.starts.item(term + 1)) for term in terms[is_sparse].tolist()]
    increments = np.repeat(common[is_sparse], [cut.stop - cut.start for cut in cuts])
    if weighed:
        increments *= np.concatenate((_NO_STEPS, *(bounds.steps[cut] for cut in cuts)))
    totals = np.bincount(
        np.concatenate((located.labs, *(bounds.labs[cut] for cut in cuts))), np.concatenate((rare, increments)), count
    ).astype(np.float32)
    if not is_sparse.all():
        is_dense = ~is_sparse
        _add_full(totals, bounds.dense, rows[is_dense], common[is_dense], weighed=weighed)
    totals *= np.float32(1 + SLACK)
    return totals


def _add_full(
    total: NDArray[np.float32],
    dense: NDArray[np.uint8],
    rows: NDArray[np.int32],
    factors: NDArray[np.float32],
    *,
    weighed: bool,
) -> None:
    """Add the terms stored in the rows `rows` of `dense` to `total`: one by one, or several by a matrix product.

    Every term adds its factor to the labs that contain it or, if `weighed`, the factor times the number of steps.
    """
    if len(rows) <= _FEW:
        for row, factor in zip(rows.tolist(), factors, strict=True):
            steps = dense[row] if weighed else dense[row] != 0
            total += np.multiply(steps, factor, dtype=np.float32)
        return
    size = max(1, min(_ROWS_AT_ONCE, _BOUNDS_AT_ONCE // max(1, len(total))))
    for first in range(0, len(rows), size):
        part = slice(first, first + size)
        steps = dense[rows[part]]
        total += factors[part] @ (steps if weighed else steps != 0).astype(np.float32)
