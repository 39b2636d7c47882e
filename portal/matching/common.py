"""Terms of many rows, kept by row: the works of a few labs are scored by reading what these have, all terms at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.counts import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.postings import Postings

    Ints = NDArray[np.int64]

FEW_ROWS = 64
"""Terms of more rows are common."""
FEW_LABS = 48
"""So few labs are scored all at once: their terms are kept with those of few rows, whatever they are."""
MOST = 2**16 - 1
"""Common terms; so many that the place of one fits into 16 bits."""


@dataclass(frozen=True, slots=True)
class Common:
    """Row r has the common terms `ids[starts[r]:starts[r + 1]]`, which rise, as often as `counts` says.

    Common term i is the term `terms[i]` (rising) of the segment's table.
    """

    terms: NDArray[np.int64]
    starts: NDArray[np.uint32] | NDArray[np.uint64]
    ids: NDArray[np.uint16]
    counts: Counts

    def places(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of `terms` are common, and the place of each of these."""
        if not len(self.terms):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        places = np.minimum(self.terms.searchsorted(terms), len(self.terms) - 1)
        which = np.flatnonzero(self.terms[places] == terms)
        return which, places[which]


def common_terms(postings: Postings, labs: int) -> NDArray[np.int64]:
    """The terms that are in many rows of so many labs; if there are too many, those in most."""
    sizes = np.diff(postings.starts)
    found = np.flatnonzero(sizes > FEW_ROWS) if labs > FEW_LABS else sizes[:0]
    if len(found) > MOST:
        found = np.sort(found[np.argsort(-sizes[found], kind="stable")[:MOST]])
    return found


def by_row(terms: NDArray[np.int64], is_common: NDArray[np.bool_], postings: Postings, rows: int) -> Common:
    """The common terms `terms` row by row; `is_common` says which entries of the postings are theirs."""
    from scipy.sparse import csc_array

    sizes = postings.starts[terms + 1] - postings.starts[terms]
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    by_term = csc_array((postings.counts[is_common], postings.rows[is_common], edges), shape=(rows, len(terms)))
    turned = by_term.tocsr()
    starts = turned.indptr.astype(np.uint32 if edges[-1] < 2**32 else np.uint64)
    return Common(terms, starts, turned.indices.astype(np.uint16), Counts.of(turned.data))
