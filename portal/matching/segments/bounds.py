"""By common term, an upper bound of what it brings to a lab's score: what is read first for a query.

For a query q with no negative coordinate, the score of a lab is

    ½ Σ q·focus + ½ · (sum over its best three works of Σ q·work) / 3  ≤  Σ q·bound,
    bound(lab, term) = ½ focus + ½ · (sum of the three largest values of the term among its works) / 3,

because no three works together have more of a term than the three that have most. Only labs whose bound
reaches the score of the best ones have to be scored exactly. A bound is kept in eight bits, rounded up: as the
number of steps that make it, each 1/255 of the term's largest. Terms of few rows have none: there
the sum over all rows serves, which is found from the postings.
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
"""Relative: float32 sums of ten thousand terms are nearer to the true value than this."""
_DENSE_FROM = 0.2
"""A term that more than this share of the labs have is kept as a full row, which is added faster."""
_STEPS = 255
_AT_ONCE = 1 << 21
_ROWS_AT_ONCE = 16
"""Bounds of full rows that are handled at once."""
_FEW = 8
"""Full rows that are added one by one."""
_NO_STEPS = np.zeros(0, dtype=np.uint8)
_NO_ROWS = np.zeros((0, 0), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of the common terms, in steps of `step`. Term i has them for the labs `labs[starts[i]:starts[i + 1]]`.

    Where `dense_row[i]` is not -1 it names the row of `dense` with the bounds for all labs instead. `of_row` is what
    a row with coordinate 1 brings to the bound of its lab.
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
        """Those of few labs, where no term is common."""
        nothing, whole = np.zeros(0, np.float32), np.zeros(0, np.int32)
        return cls(nothing, np.zeros(1, np.int64), whole.astype(np.uint16), _NO_STEPS, whole, _NO_ROWS, of_row)

    def labs_with(self, term: int) -> NDArray[np.int64]:
        """The labs in which a common term occurs."""
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
    """The bounds of the common terms `terms`."""
    kind: type[np.unsignedinteger[Any]] = np.uint16 if rows.labs <= 1 << 16 else np.uint32
    labs: list[NDArray[np.unsignedinteger[Any]]] = [np.zeros(0, kind)]
    steps: list[NDArray[np.uint8]] = [np.zeros(0, np.uint8)]
    counts: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    step: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    dense: list[NDArray[np.uint8]] = []
    dense_row = np.full(len(terms), -1, dtype=np.int32)
    place = 0
    best = (1 - FOCUS_SHARE) / BEST_WORKS
    for block in blocks_of(terms, postings.starts):
        grouped = by_lab(block, rows, postings, idf, lengths.inverse_length)
        focus = FOCUS_SHARE * grouped.sums(PROFILE_WEIGHT) * lengths.inverse_focus[grouped.labs]
        bound = focus + best * grouped.largest(BEST_WORKS)
        sizes = np.bincount(np.searchsorted(block.terms, grouped.terms), minlength=len(block.terms))
        ends = np.cumsum(sizes)
        of_term = (np.maximum.reduceat(bound, ends - sizes) / _STEPS).astype(np.float32)
        rounded = np.ceil(bound / np.repeat(of_term, sizes)).clip(1, _STEPS).astype(np.uint8)
        in_many = sizes > _DENSE_FROM * rows.labs
        for offset in np.flatnonzero(in_many).tolist():
            part = slice(int(ends[offset] - sizes[offset]), int(ends[offset]))
            full = np.zeros(rows.labs, dtype=np.uint8)
            full[grouped.labs[part]] = rounded[part]
            dense_row[place + offset] = len(dense)
            dense.append(full)
        kept = ~np.repeat(in_many, sizes)
        labs.append(grouped.labs[kept].astype(kind))
        steps.append(rounded[kept])
        counts.append(np.where(in_many, 0, sizes))
        step.append(of_term)
        place += len(block.terms)
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
    """For every lab a number that its score for `vector` does not exceed, 0 only where it shares no term with it.

    The vector has a place for each of the query's terms.
    """
    bounds = segment.bounds
    rare = vector[located.which] * located.weights * bounds.of_row[located.rows]
    common = (vector[located.common_which] * bounds.step[located.common]).astype(np.float32)
    return _sums(segment, located, rare, common, weighed=True)


def upper_supports(segment: Segment, located: Located, weights: Floats) -> NDArray[np.float32]:
    """For every lab at least the sum of the weights of those of the query's terms that it has."""
    common = weights[located.common_which].astype(np.float32)
    return _sums(segment, located, weights[located.which], common, weighed=False)


def _sums(
    segment: Segment, located: Located, rare: Floats, common: NDArray[np.float32], *, weighed: bool
) -> NDArray[np.float32]:
    """By lab the sum of what the entries of rare terms and the common terms bring; these, if `weighed`, for a step."""
    bounds, count = segment.bounds, segment.rows.labs
    if not len(common):
        return (np.bincount(located.labs, rare, count) * (1 + SLACK)).astype(np.float32)
    there = common > 0
    if there.all():
        terms = located.common
    else:
        terms, common = located.common[there], common[there]
    rows = bounds.dense_row[terms]
    is_sparse = rows < 0
    cuts = [slice(bounds.starts.item(term), bounds.starts.item(term + 1)) for term in terms[is_sparse].tolist()]
    brings = np.repeat(common[is_sparse], [cut.stop - cut.start for cut in cuts])
    if weighed:
        brings *= np.concatenate((_NO_STEPS, *(bounds.steps[cut] for cut in cuts)))
    found = np.bincount(
        np.concatenate((located.labs, *(bounds.labs[cut] for cut in cuts))), np.concatenate((rare, brings)), count
    ).astype(np.float32)
    if not is_sparse.all():
        is_full = ~is_sparse
        _add_full(found, bounds.dense, rows[is_full], common[is_full], weighed=weighed)
    found *= np.float32(1 + SLACK)
    return found


def _add_full(
    total: NDArray[np.float32],
    dense: NDArray[np.uint8],
    rows: NDArray[np.int32],
    factors: NDArray[np.float32],
    *,
    weighed: bool,
) -> None:
    """Add what terms bring that have a full row: one by one, or some at a time by a product of matrices."""
    if len(rows) <= _FEW:
        for row, factor in zip(rows.tolist(), factors, strict=True):
            steps = dense[row] if weighed else dense[row] != 0
            total += np.multiply(steps, factor, dtype=np.float32)
        return
    size = max(1, min(_ROWS_AT_ONCE, _AT_ONCE // max(1, len(total))))
    for first in range(0, len(rows), size):
        part = slice(first, first + size)
        steps = dense[rows[part]]
        total += factors[part] @ (steps if weighed else steps != 0).astype(np.float32)
