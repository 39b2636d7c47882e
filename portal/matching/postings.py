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

from portal.matching.matrices import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOCUS_SHARE = 0.5
"""How much the lab's overall focus counts in the score; the rest is its best works."""
BEST_WORKS = 3
SLACK = 1e-5
"""Relative: float32 sums of some thousand terms are nearer to the true value than this."""
_DENSE_FROM = 0.2
"""A term that more than this share of the labs have is kept as a full row, which is added faster."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Bounds by column: full rows for the columns in `dense_columns` (rising), `sparse` for the others."""

    sparse: Rows
    dense_columns: NDArray[np.int32]
    dense: NDArray[np.float32]
    labs: int

    def bounds(self, query: list[tuple[int, float]]) -> NDArray[np.float32]:
        """For every lab a number that its score does not exceed; 0 exactly when it shares no term."""
        total = np.zeros(self.labs, dtype=np.float32)
        for column, weight in query:
            if column >= len(self.sparse):
                continue
            place = int(np.searchsorted(self.dense_columns, column))
            if place < len(self.dense_columns) and self.dense_columns[place] == column:
                total += np.float32(weight) * self.dense[place]
            else:
                labs, values = self.sparse.row(column)
                total[labs] += np.float32(weight) * values
        return total * np.float32(1 + SLACK)


def bound_postings(focus: Rows, best: Rows, columns: int) -> Postings:
    """The postings of labs with these focus vectors and, per column, sums of the best works' values."""
    from scipy.sparse import csr_matrix

    shape = (len(focus), columns)
    bound = FOCUS_SHARE * csr_matrix((focus.data, focus.columns, focus.starts), shape=shape) + (
        1 - FOCUS_SHARE
    ) / BEST_WORKS * csr_matrix((best.data, best.columns, best.starts), shape=shape)
    by_column = bound.astype(np.float32).tocsc()
    starts = by_column.indptr.astype(np.int64)
    labs = by_column.indices.astype(np.int32)
    counts = np.diff(starts)
    dense_columns = np.flatnonzero(counts > _DENSE_FROM * len(focus)).astype(np.int32)
    dense = np.zeros((len(dense_columns), len(focus)), dtype=np.float32)
    for place, column in enumerate(dense_columns):
        part = slice(starts[column], starts[column + 1])
        dense[place, labs[part]] = by_column.data[part]
    is_dense = np.zeros(columns, dtype=bool)
    is_dense[dense_columns] = True
    kept = ~np.repeat(is_dense, counts)
    counts[dense_columns] = 0
    sparse = Rows(np.concatenate(([0], np.cumsum(counts))).astype(np.int64), labs[kept], by_column.data[kept])
    return Postings(sparse, dense_columns, dense, len(focus))
