"""Scores of labs for a query vector.

score = ½ · cosine with the lab's focus + ½ · (sum of the cosines of its three best works) / 3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from portal.matching.segment import Rows, Segment
    from portal.matching.vocabulary import Vocabulary

FOCUS_SHARE = 0.5
"""How much the lab's overall focus counts; the rest is its best works."""
BEST_WORKS = 3

QueryColumns = list[tuple[int, float]]
"""Columns of the query's terms with their coordinates, in the order of the terms' keys."""


def query_columns(vector: Mapping[str, float], vocabulary: Vocabulary) -> QueryColumns:
    """The terms of a query that some lab uses, as columns."""
    found = ((vocabulary.column(key), weight) for key, weight in sorted(vector.items()))
    return [(column, weight) for column, weight in found if column is not None]


def lab_scores(segment: Segment, query: QueryColumns) -> NDArray[np.float64]:
    """The score of every lab of a segment."""
    focus = _cosines(segment.focus_postings, query, len(segment.labs))
    works = _cosines(segment.work_postings, query, len(segment.works))
    return FOCUS_SHARE * focus + (1 - FOCUS_SHARE) * _best_sums(segment, works) / BEST_WORKS


def work_cosines(segment: Segment, position: int, query: QueryColumns) -> NDArray[np.float64]:
    """The cosine of every work of one lab with the query, in the order of the works."""
    wanted = dict(query)
    first, last = segment.first_work[position], segment.first_work[position + 1]
    return np.array([row_cosine(segment.works, row, wanted) for row in range(first, last)])


def row_cosine(rows: Rows, number: int, query: dict[int, float]) -> float:
    """The cosine of one row with the query, summed in the order of the query's terms."""
    columns, values = rows.row(number)
    found = dict(zip(columns.tolist(), values.tolist(), strict=True))
    return float(sum(weight * found[column] for column, weight in query.items() if column in found))


def best_rows(cosines: NDArray[np.float64]) -> list[int]:
    """Positions of the at most three best works that share anything with the query, the best first."""
    order = np.argsort(-cosines, kind="stable")[:BEST_WORKS]
    return [int(row) for row in order if cosines[row] > 0]


def _cosines(postings: Rows, query: QueryColumns, count: int) -> NDArray[np.float64]:
    """Term by term over the postings of the query's terms only."""
    scores = np.zeros(count)
    for column, weight in query:
        if column < len(postings):
            rows, values = postings.row(column)
            scores[rows] += weight * values.astype(np.float64)
    return scores


def _best_sums(segment: Segment, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per lab the sum of its best three cosines; missing works count as zero."""
    sums = np.zeros(len(segment.labs))
    found = np.flatnonzero(cosines)
    if not len(found):
        return sums
    labs = segment.lab_of_work[found]
    order = np.lexsort((-cosines[found], labs))
    labs, values = labs[order], cosines[found][order]
    starts = np.flatnonzero(np.concatenate(([True], labs[1:] != labs[:-1])))
    place = np.arange(len(labs)) - np.repeat(starts, np.diff(np.append(starts, len(labs))))
    best = place < BEST_WORKS
    np.add.at(sums, labs[best], values[best])
    return sums
