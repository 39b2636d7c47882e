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
from portal.matching.grouping import blocks_of, by_lab
from portal.matching.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.located import Located
    from portal.matching.postings import Postings
    from portal.matching.rows import Rows
    from portal.matching.segment import Segment

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
    inverse_length: NDArray[np.float32],
    inverse_focus: NDArray[np.float32],
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
        grouped = by_lab(block, rows, postings, idf, inverse_length)
        focus = FOCUS_SHARE * grouped.sums(PROFILE_WEIGHT) * inverse_focus[grouped.labs]
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
    is_work = rows.is_work(np.arange(len(rows), dtype=np.int32))
    of_row = inverse_length * np.where(
        is_work, FOCUS_SHARE * inverse_focus[rows.lab] + best, FOCUS_SHARE * PROFILE_WEIGHT * inverse_focus[rows.lab]
    )
    return Bounds(
        np.concatenate(step),
        np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(counts)))),
        np.concatenate(labs),
        np.concatenate(steps),
        dense_row,
        np.array(dense, dtype=np.uint8).reshape(len(dense), rows.labs),
        of_row.astype(np.float32),
    )


def upper_bounds(
    segment: Segment, located: Located, vectors: Floats, weights: Floats
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """By row of `vectors` for every lab a number that its score does not exceed, 0 only where it shares no term with
    the vector; and by row of `weights` at least the sum of the weights of the terms that the lab has.

    Columns are the query's terms.
    """
    bounds, labs, count = segment.bounds, segment.rows.labs, len(vectors)
    factors = np.concatenate((np.maximum(vectors, 0.0), weights))
    total = np.zeros((len(factors), labs), dtype=np.float32)
    if len(located.which):
        few = factors[:, located.which]
        few[:count] *= located.weights * bounds.of_row[located.rows]
        for number, found in enumerate(few):
            total[number] = np.bincount(located.labs, weights=found, minlength=labs)
    if len(located.common):
        many = factors[:, located.common_which].astype(np.float32)
        many[:count] *= bounds.step[located.common]
        rows = bounds.dense_row[located.common]
        full = np.flatnonzero(rows >= 0)
        size = max(1, min(_ROWS_AT_ONCE, _AT_ONCE // max(1, labs)))
        for first in range(0, len(full), size):
            part = full[first : first + size]
            steps = bounds.dense[rows[part]]
            total[:count] += many[:count, part] @ steps.astype(np.float32)
            total[count:] += many[count:, part] @ (steps != 0).astype(np.float32)
        _add_sparse(total, bounds, np.flatnonzero(rows < 0), located.common, many, count)
    total *= np.float32(1 + SLACK)
    return total[:count], total[count:]


def _add_sparse(
    total: NDArray[np.float32], bounds: Bounds, sparse: Ints, terms: Ints, factors: NDArray[np.float32], count: int
) -> None:
    """Add what the terms bring that have no full row; only the first `count` of `factors` are multiplied by steps."""
    if not len(sparse):
        return
    begins = bounds.starts[terms[sparse]]
    lengths = bounds.starts[terms[sparse] + 1] - begins
    entries = ranges(begins, lengths)
    labs = bounds.labs[entries].astype(np.int64)
    steps = bounds.steps[entries]
    for number, row in enumerate(factors[:, sparse]):
        brings = np.repeat(row, lengths)
        total[number] += np.bincount(labs, brings * steps if number < count else brings, total.shape[1])
