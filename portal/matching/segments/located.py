"""Where the terms of a query occur in a segment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.segments.postings import LOG_COUNT
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Located:
    """The entries of the query's rare terms, and its common terms.

    Entry e: the query's term `query_terms[e]` is in the row `rows[e]` of the lab `labs[e]` with the weight
    `weights[e]`, not divided by the row's length. Rows rise within each term. The common term `common[i]` is the
    query's term `common_query_terms[i]` and has the weight `common_weights[i]`.
    """

    query_terms: Ints
    rows: Ints | NDArray[np.int32]
    labs: Ints | NDArray[np.int32]
    weights: Floats
    common_query_terms: Ints
    common: Ints
    common_weights: Floats

    @classmethod
    def of(cls, segment: Segment, numbers: NDArray[np.uint64]) -> Located:
        """Look up the terms with these numbers."""
        postings = segment.postings
        places_in_table = postings.table.find_all(numbers)
        known_terms = (places_in_table >= 0).nonzero()[0]
        terms = places_in_table[known_terms]
        idf = segment.idf[terms].astype(np.float64)
        begins = postings.starts[terms].astype(np.int64)
        sizes = postings.starts[terms + 1] - begins
        entries = ranges(begins, sizes)
        query_terms = known_terms.repeat(sizes)
        rows = postings.rows[entries]
        weights = LOG_COUNT[postings.counts[entries]] * idf.repeat(sizes)
        if len(segment.singles):
            single, row = segment.singles.find_all(numbers)
            if len(single):
                query_terms, rows = np.concatenate((query_terms, single)), np.concatenate((rows, row))
                weights = np.concatenate((weights, np.full(len(single), segment.idf_of_singles)))
        common, places = segment.common.places(terms)
        return cls(query_terms, rows, segment.rows.lab[rows], weights, known_terms[common], places, idf[common])

    def __bool__(self) -> bool:
        return bool(len(self.query_terms) or len(self.common))

    def labs_with(self, segment: Segment, wanted: Ints) -> Ints:
        """The labs that contain one of the query's terms `wanted`; a lab may be listed twice."""
        common = self.common[np.isin(self.common_query_terms, wanted)].tolist()
        return np.concatenate(
            [self.labs[np.isin(self.query_terms, wanted)], *(segment.bounds.labs_with(term) for term in common)]
        )
