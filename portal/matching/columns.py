"""The columns of a query's terms in a layer: what the rows and labs have of each, for scores and for explanations."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.layers import distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from portal.matching.layers import Alternatives, Layer

    Array = NDArray[Any]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_REMAINDERS = 1 << 13
_VALUES_PER_COLUMN = 200
"""So many values of rows, which are far away in memory, are read in the time of searching one column for rows."""


@cache
def _csc_matvec() -> Callable[..., None]:
    from scipy.sparse import _sparsetools

    multiply: Callable[..., None] = _sparsetools.csc_matvec
    return multiply


class Columns:
    """The columns of the terms of one query in one layer."""

    def __init__(self, layer: Layer, terms: Sequence[Alternatives]) -> None:
        self.layer = layer
        self._terms = terms
        keys = list(dict.fromkeys(key for ways in terms for way in ways for key in way))
        self._column = dict(zip(keys, layer.columns(keys).tolist(), strict=True))
        self._columns = single = [
            self._column[ways[0][0]] if len(ways) == 1 and len(ways[0]) == 1 else -1 for ways in terms
        ]
        self._single = np.array(single, dtype=np.int64)
        self._written = {
            place: self._many(ways)
            for place, ways in enumerate(terms)
            if single[place] < 0 and (len(ways) > 1 or len(ways[0]) > 1)
        }

    def product(self, weights: Floats, *, foci: bool = False) -> NDArray[np.float32]:
        """The cosines of all rows, or of all foci, with a vector of the query's terms.

        SciPy's own product of a matrix and a vector, which is told where the columns of the query begin and end, the
        last one first: so what is between two of them is empty, and none is copied.
        """
        matrix = self.layer.foci_by_term if foci else self.layer.rows_by_term
        indices, data, indptr, size = matrix.indices, matrix.data, matrix.indptr, matrix.shape[1]
        sums = np.zeros(size, dtype=np.float32)
        known, sought = self._known
        weighing = weights[known].nonzero()[0][::-1]
        if len(weighing):
            columns = sought.columns[weighing]
            edges, factors = np.empty(2 * len(columns), dtype=indptr.dtype), np.zeros(2 * len(columns), np.float32)
            edges[::2], edges[1::2], factors[::2] = indptr[columns], indptr[columns + 1], weights[known[weighing]]
            _csc_matvec()(size, len(edges) - 1, edges, indices, data, factors, sums)
        for place, columns_of_term in self._written.items():
            if weights[place]:
                rows, values = columns_of_term[foci]
                edges, factor = np.array((0, len(rows))), np.array((weights[place],), dtype=np.float32)
                _csc_matvec()(size, 1, edges, rows, values.astype(np.float32), factor, sums)
        return sums

    def having(self, weights: Floats) -> Floats:
        """For each lab, the sum of the weights of the query's terms that it has."""
        matrix = self.layer.foci_by_term
        sums, ones = np.zeros(matrix.shape[1], dtype=np.float32), np.ones(matrix.shape[1], dtype=np.float32)
        factors = weights.astype(np.float32)
        for place in np.flatnonzero(weights).tolist():
            column = self._columns[place]
            labs = self._written[place][1][0] if place in self._written else matrix.indices[:0]
            if column >= 0:
                labs = matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]
            edges = np.array((0, len(labs)), dtype=labs.dtype)
            _csc_matvec()(len(sums), 1, edges, labs, ones[: len(labs)], factors[place : place + 1], sums)
        return sums.astype(np.float64)

    @cached_property
    def _known(self) -> tuple[Ints, Sought]:
        """The terms with a column of their own, by column, and these columns."""
        known = (self._single >= 0).nonzero()[0]
        known = known[self._single[known].argsort()]
        return known, Sought(self._single[known])

    def cells(self, of: str, numbers: Ints) -> Floats:
        """The values of some rows, -1 for none, or of the foci of some labs, in the columns of the query."""
        layer, (known, sought) = self.layer, self._known
        matrix, by_term = (layer.rows, layer.rows_by_term) if of == "rows" else (layer.foci, layer.foci_by_term)
        values = np.zeros((len(numbers), len(self._single)))
        if len(known) and len(numbers):
            begins = matrix.indptr[numbers]
            counts = np.maximum(matrix.indptr[numbers + 1] - begins, 0)
            if counts.sum() < _VALUES_PER_COLUMN * len(known):
                all_of_rows = ranges(begins, counts)
                places, columns = sought.among(matrix.indices[all_of_rows])
                rows = counts.cumsum().searchsorted(places, side="right")
                values[rows, known[columns]] = matrix.data[all_of_rows[places]]
            else:
                values[:, known] = _cells(by_term, sought.columns, numbers).T
        for place, sparse in self._written.items():
            indices, data = sparse[0 if of == "rows" else 1]
            if len(indices):
                found = np.minimum(indices.searchsorted(numbers), len(indices) - 1)
                values[:, place] = np.where(indices[found] == numbers, data[found], 0.0)
        return values

    def entries(self) -> tuple[Ints, Ints, Floats]:
        """The columns of all ways to write the terms; for each, the term and its part of the way."""
        known, sought = self._known
        if not self._written:
            return sought.columns, known, np.ones(len(known))
        of_ways = [
            (self._column[key], place, 1 / len(way))
            for place in self._written
            for way in self._terms[place]
            for key in way
            if self._column[key] >= 0
        ]
        columns, terms, parts = np.array(of_ways).reshape(-1, 3).T
        columns = np.concatenate((sought.columns, columns.astype(np.int64)))
        terms = np.concatenate((known, terms.astype(np.int64)))
        order = terms.argsort(kind="stable")
        return columns[order], terms[order], np.concatenate((np.ones(len(known)), parts))[order]

    def is_anywhere(self, place: int) -> bool:
        """Whether any row has a term of the query."""
        return self._columns[place] >= 0 or (place in self._written and len(self._written[place][0][0]) > 0)

    def _many(self, ways: Alternatives) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
        """The column of a term that can be written in several ways: in each row, the largest value of any way.

        A way of several keys has, in a row, the least of their values: all must be there.
        """
        layer = self.layer
        rows, data = _largest([self._all_of(way) for way in ways])
        works = int(layer.first_work[-1]) if len(layer.first_work) else 0
        is_work = rows < works
        labs = layer.first_work.searchsorted(rows, side="right") - 1
        weights = np.ones(len(rows))
        if not is_work.all():
            lab_of_profile = {int(row): place for place, row in enumerate(layer.profiles.tolist()) if row >= 0}
            for place in np.flatnonzero(~is_work).tolist():
                labs[place] = lab_of_profile[int(rows[place])]
                weights[place] = PROFILE_WEIGHT
        sums = np.bincount(labs, data * weights, minlength=len(layer.labs)) if len(rows) else np.zeros(0)
        having = np.flatnonzero(sums)
        return (rows, data), (having, sums[having] * layer.factors[having])

    def _all_of(self, way: tuple[str, ...]) -> tuple[Ints, Floats]:
        """The rows that have all keys of one way, and the least of their values."""
        rows, data = np.zeros(0, np.int64), np.zeros(0)
        matrix = self.layer.rows_by_term
        for number, key in enumerate(way):
            column = self._column[key]
            if column < 0:
                return np.zeros(0, np.int64), np.zeros(0)
            begin, end = int(matrix.indptr[column]), int(matrix.indptr[column + 1])
            indices, values = matrix.indices[begin:end].astype(np.int64), matrix.data[begin:end].astype(np.float64)
            if number == 0:
                rows, data = indices, values
                continue
            rows, here, there = np.intersect1d(rows, indices, assume_unique=True, return_indices=True)
            data = np.minimum(data[here], values[there])
        return rows, data


def _largest(columns: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """The union of some columns, with the largest value in each row."""
    rows = distinct(np.concatenate([rows for rows, _ in columns]))
    data = np.zeros(len(rows))
    for some, values in columns:
        places = rows.searchsorted(some)
        data[places] = np.maximum(data[places], values)
    return rows, data


def _cells(by_term: csr_array, columns: Ints, rows: Ints) -> Floats:
    """The values of some columns in some rows."""
    order = rows.argsort(kind="stable")
    wanted = rows[order].astype(by_term.indices.dtype)
    indices, begins, ends = by_term.indices, by_term.indptr[columns], by_term.indptr[columns + 1]
    edges = zip(begins.tolist(), ends.tolist(), strict=True)
    places = np.array([indices[begin:end].searchsorted(wanted) for begin, end in edges]) + begins[:, None]
    inside = places < ends[:, None]
    places *= inside
    cells = np.zeros(places.shape)
    cells[:, order] = by_term.data[places] * (inside & (indices[places] == wanted))
    return cells


class Sought:
    """Some columns, rising, to be found among many."""

    def __init__(self, columns: Ints) -> None:
        self.columns = columns
        self._maybe = np.zeros(_REMAINDERS, dtype=bool)
        self._maybe[columns & (_REMAINDERS - 1)] = True

    def among(self, columns: Array) -> tuple[Ints, Ints]:
        """The places where one of those that are sought stands, and the number of this one."""
        # Most are no candidates, and this takes a fraction of the time of searching each.
        candidates = np.flatnonzero(self._maybe[columns & (_REMAINDERS - 1)])
        found = columns[candidates]
        numbers = np.minimum(self.columns.searchsorted(found), max(len(self.columns) - 1, 0))
        hits = self.columns[numbers] == found if len(self.columns) else numbers < 0
        return candidates[hits], numbers[hits]


def ranges(begins: Ints, counts: Ints) -> Ints:
    """The numbers from each beginning on, so many of each."""
    ends = counts.cumsum()
    return np.repeat(begins - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
