"""Scores of labs for a query vector.

score = ½ · cosine with the lab's focus + ½ · (sum of the cosines of its three best works) / 3
"""

from __future__ import annotations

import heapq
import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.postings import BEST_WORKS, FOCUS_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary

QueryColumns = list[tuple[int, float]]
"""Columns of the query's terms with their coordinates, in the order of the terms' keys."""

_FIRST_BATCH = 64
_NOTHING = 1e-12
_GROWTH = 4


class _Scratch(threading.local):
    """A dense vector per thread that is all zero between two uses."""

    def __init__(self) -> None:
        self.vector: NDArray[np.float64] = np.zeros(0)

    def filled(self, query: QueryColumns, columns: int) -> NDArray[np.float64]:
        """The query as a dense vector; give it back with `clear`."""
        if len(self.vector) < columns:
            self.vector = np.zeros(columns)
        for column, weight in query:
            self.vector[column] = weight
        return self.vector

    def clear(self, query: QueryColumns) -> None:
        """Make the vector zero again."""
        for column, _ in query:
            self.vector[column] = 0.0


_scratch = _Scratch()


def query_columns(vector: Mapping[str, float], vocabulary: Vocabulary) -> QueryColumns:
    """The terms of a query that some lab uses, as columns."""
    found = ((vocabulary.column(key), weight) for key, weight in sorted(vector.items()))
    return [(column, weight) for column, weight in found if column is not None]


def best_first(segment: Segment, query: QueryColumns, columns: int) -> Iterator[tuple[float, int]]:
    """(score, position) of every lab that shares a term with the query, by score, then by key.

    Labs are scored exactly in the order of their bounds, and only until no other can be next.
    """
    bounds = segment.postings.bounds(query)
    ready: list[tuple[float, int]] = []
    for bound, position in _falling(bounds):
        while ready and -ready[0][0] > bound:
            score, found = heapq.heappop(ready)
            yield -score, found
        heapq.heappush(ready, (-lab_score(segment, position, query, columns), position))
    while ready:
        score, found = heapq.heappop(ready)
        yield -score, found


def _falling(bounds: NDArray[np.float32]) -> Iterator[tuple[float, int]]:
    """(bound, position) of all labs with a bound over 0, the largest first, sorted no further than asked for."""
    waiting = np.flatnonzero(bounds)
    size = _FIRST_BATCH
    while len(waiting):
        if len(waiting) > size:
            order = np.argpartition(-bounds[waiting], size)
            batch, waiting = waiting[order[:size]], waiting[order[size:]]
        else:
            batch, waiting = waiting, waiting[:0]
        batch = batch[np.argsort(-bounds[batch], kind="stable")]
        yield from zip(bounds[batch].tolist(), batch.tolist(), strict=True)
        size *= _GROWTH


def lab_score(segment: Segment, position: int, query: QueryColumns, columns: int) -> float:
    """The score of one lab, to 12 decimals, so that it does not depend on the order of summation."""
    dense = _scratch.filled(query, columns)
    try:
        found, values = segment.focus.row(position)
        focus = float(dense[found] @ values)
        first, last = int(segment.first_work[position]), int(segment.first_work[position + 1])
        cosines = segment.works.between(first, last).dots(dense)
    finally:
        _scratch.clear(query)
    return combined(focus, cosines)


def work_cosines(segment: Segment, position: int, query: QueryColumns, columns: int) -> NDArray[np.float64]:
    """The cosine of every work of one lab with the query, in the order of the works."""
    dense = _scratch.filled(query, columns)
    try:
        first, last = int(segment.first_work[position]), int(segment.first_work[position + 1])
        return segment.works.between(first, last).dots(dense)
    finally:
        _scratch.clear(query)


def combined(focus: float, cosines: NDArray[np.float64]) -> float:
    """The score from the cosine of the lab's focus and those of its works; missing works count as zero."""
    best = sorted(cosines.tolist(), reverse=True)[:BEST_WORKS]
    return round(FOCUS_SHARE * focus + (1 - FOCUS_SHARE) * math.fsum(best) / BEST_WORKS, 12)


def best_rows(cosines: NDArray[np.float64]) -> list[int]:
    """Positions of the at most three best works that share anything with the query, the best first."""
    order = np.argsort(-cosines.round(12), kind="stable")[:BEST_WORKS]
    return [int(row) for row in order if cosines[row] > _NOTHING]
