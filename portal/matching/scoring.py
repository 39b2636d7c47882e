"""Scores of labs for a query vector.

score = ½ · cosine with the lab's focus + ½ · (sum of the cosines of its three best works) / 3
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.postings import BEST_WORKS, FOCUS_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from portal.matching.matrices import Rows
    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary

_FIRST_BATCH = 32
_GROWTH = 4
_NOTHING = 1e-12
_DIGITS = 12
"""Scores are rounded, so that they do not depend on the order in which columns came to an index."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query vector: the columns that some lab uses with their coordinates, and the same as a dense vector."""

    columns: NDArray[np.int32]
    weights: NDArray[np.float64]
    dense: NDArray[np.float64]


def asked(vector: Mapping[str, float], vocabulary: Vocabulary) -> Asked:
    """The vector of a query over the columns of a vocabulary."""
    found = [(vocabulary.column(key), weight) for key, weight in sorted(vector.items())]
    known = [(column, weight) for column, weight in found if column is not None]
    columns = np.array([column for column, _ in known], dtype=np.int32)
    weights = np.array([weight for _, weight in known], dtype=np.float64)
    dense = np.zeros(len(vocabulary))
    dense[columns] = weights
    return Asked(columns, weights, dense)


def best_first(segment: Segment, query: Asked) -> Iterator[tuple[float, int]]:
    """(score, position) of every lab that shares a term with the query, by score, then by key.

    Labs are scored exactly in the order of their bounds, in growing batches, until no other can be next.
    """
    bounds = segment.postings.bounds(query.columns, query.weights)
    waiting = np.flatnonzero(bounds)
    ready: list[tuple[float, int]] = []
    size = _FIRST_BATCH
    while len(waiting):
        batch, waiting = _largest(waiting, bounds, size)
        size *= _GROWTH
        scores = lab_scores(segment, batch, query)
        ready += zip((-scores).tolist(), batch.tolist(), strict=True)
        heapq.heapify(ready)
        ceiling = float(bounds[waiting].max()) if len(waiting) else -1.0
        while ready and -ready[0][0] > ceiling:
            score, position = heapq.heappop(ready)
            yield -score, position


def _largest(
    waiting: NDArray[np.int64], bounds: NDArray[np.float32], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The `size` labs of `waiting` with the largest bounds, and the others."""
    if len(waiting) <= size:
        return waiting, waiting[:0]
    order = np.argpartition(-bounds[waiting], size)
    return np.sort(waiting[order[:size]]), waiting[order[size:]]


def lab_score(segment: Segment, position: int, query: Asked) -> float:
    """The score of one lab."""
    return float(lab_scores(segment, np.array([position]), query)[0])


def lab_scores(segment: Segment, positions: NDArray[np.int64], query: Asked) -> NDArray[np.float64]:
    """The scores of the labs at `positions`; fewer than three works are padded with zeros."""
    focus = _row_dots(segment.focus, positions, query.dense)
    counts = segment.first_work[positions + 1] - segment.first_work[positions]
    rows = _ranges(segment.first_work[positions], counts)
    cosines = _row_dots(segment.works, rows, query.dense)
    lab_of_row = np.repeat(np.arange(len(positions)), counts)
    order = np.lexsort((-cosines, lab_of_row))
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    best = order[place < BEST_WORKS]
    sums = np.bincount(lab_of_row[best], weights=cosines[best], minlength=len(positions))
    return (FOCUS_SHARE * focus + (1 - FOCUS_SHARE) * sums / BEST_WORKS).round(_DIGITS)


def work_cosines(segment: Segment, position: int, query: Asked) -> NDArray[np.float64]:
    """The cosine of every work of one lab with the query, in the order of the works."""
    rows = np.arange(segment.first_work[position], segment.first_work[position + 1])
    return _row_dots(segment.works, rows, query.dense).round(_DIGITS)


def best_rows(cosines: NDArray[np.float64]) -> list[int]:
    """Positions of the at most three best works that share anything with the query, the best first."""
    order = np.argsort(-cosines, kind="stable")[:BEST_WORKS]
    return [int(row) for row in order if cosines[row] > _NOTHING]


def _row_dots(rows: Rows, numbers: NDArray[np.int64], dense: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of the rows with these numbers with a dense vector; every row is summed by itself."""
    begins = rows.starts[numbers]
    lengths = rows.starts[numbers + 1] - begins
    values = _ranges(begins, lengths)
    products = dense[rows.columns[values]] * rows.data[values]
    dots = np.zeros(len(numbers))
    filled = lengths > 0
    if filled.any():
        dots[filled] = np.add.reduceat(products, (np.cumsum(lengths) - lengths)[filled])
    return dots


def _ranges(begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each of `begins`, as many as `lengths` says, one range after another."""
    before = np.cumsum(lengths) - lengths
    found: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(begins - before, lengths)
    return found
