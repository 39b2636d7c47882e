"""By term, an upper bound of what it brings to every lab's score: what is read first for a query.

For a query q with no negative coordinate, the score of a lab is

    ½ Σ q·focus + ½ · (sum over its best three works of Σ q·work) / 3  ≤  Σ q·bound,
    bound(lab, term) = ½ focus + ½ · (sum of the three largest values of the term among its works) / 3,

because no three works together have more of a term than the three that have most. Only labs whose bound
reaches the score of the best ones have to be scored exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.matrices import Rows, best_per_column

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

FOCUS_SHARE = 0.5
"""How much the lab's overall focus counts in the score; the rest is its best works."""
BEST_WORKS = 3
SLACK = 1e-5
"""Relative: float32 sums of some thousand terms are nearer to the true value than this."""
_DENSE_FROM = 0.2
"""A term that more than this share of the labs have is kept as a full row, which is added faster."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Bounds by column, for the columns in `present` (rising), of which `sparse` has a row each.

    The columns in `dense_columns` (rising) are full rows of `dense` instead.
    """

    present: NDArray[np.int32]
    sparse: Rows
    dense_columns: NDArray[np.int32]
    dense: NDArray[np.float32]
    labs: int

    def bounds(self, columns: NDArray[np.int32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
        """For every lab a number that its score does not exceed; 0 exactly when it shares no term."""
        total = np.zeros(self.labs, dtype=np.float32)
        places = np.searchsorted(self.present, columns)
        rows = np.searchsorted(self.dense_columns, columns)
        for column, weight, place, row in zip(
            columns.tolist(), weights.astype(np.float32), places.tolist(), rows.tolist(), strict=True
        ):
            if row < len(self.dense_columns) and self.dense_columns[row] == column:
                total += weight * self.dense[row]
            elif place < len(self.present) and self.present[place] == column:
                labs, values = self.sparse.row(place)
                total[labs] += weight * values
        return total * np.float32(1 + SLACK)


def bound_postings(first_work: NDArray[np.int64], works: Rows, focus: Rows, columns: int) -> Postings:
    """The postings of labs with these works and focus vectors, over `columns` columns at most."""
    best = best_per_column(first_work, works, BEST_WORKS)
    present = _distinct(focus.columns, columns)
    share = (1 - FOCUS_SHARE) / BEST_WORKS
    by_column = (FOCUS_SHARE * _matrix(focus, present) + share * _matrix(best, present)).tocsc()
    starts = by_column.indptr.astype(np.int64)
    labs = by_column.indices.astype(np.int32)
    values = by_column.data.astype(np.float32)
    counts = np.diff(starts)
    in_many = np.flatnonzero(counts > _DENSE_FROM * len(focus))
    dense = np.zeros((len(in_many), len(focus)), dtype=np.float32)
    for row, place in enumerate(in_many.tolist()):
        part = slice(starts[place], starts[place + 1])
        dense[row, labs[part]] = values[part]
    is_dense = np.zeros(len(present), dtype=bool)
    is_dense[in_many] = True
    kept = ~np.repeat(is_dense, counts)
    counts[in_many] = 0
    sparse = Rows(np.concatenate(([0], np.cumsum(counts))).astype(np.int64), labs[kept], values[kept])
    return Postings(present, sparse, present[in_many], dense, len(focus))


def _distinct(columns: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """The distinct values of `columns`, which are below `count`, in rising order."""
    if len(columns) < count:
        return np.unique(columns)
    used = np.zeros(count, dtype=bool)
    used[columns] = True
    return np.flatnonzero(used).astype(np.int32)


def _matrix(rows: Rows, present: NDArray[np.int32]) -> csr_matrix:
    """`rows` with the columns in `present` numbered anew."""
    from scipy.sparse import csr_matrix

    places = np.searchsorted(present, rows.columns)
    return csr_matrix((rows.data.astype(np.float64), places, rows.starts), shape=(len(rows), len(present)))
