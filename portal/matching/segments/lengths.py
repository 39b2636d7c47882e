"""The lengths of the vectors of rows and labs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import compiled
from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.segments.grouping import blocks, by_lab
from portal.matching.segments.postings import LOG_COUNT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.segments.postings import Postings
    from portal.matching.segments.rows import Rows


class Lengths(NamedTuple):
    """1 / length of every row (0 for empty ones), and 1 / length of every lab's sum of rows.

    `of_row` is that of `Bounds`: what a coordinate of 1 in a row adds to the bound of its lab.
    """

    inverse_length: NDArray[np.float32]
    inverse_focus: NDArray[np.float32]
    of_row: NDArray[np.float32]

    @classmethod
    def of(cls, rows: Rows, inverse_length: NDArray[np.float32], inverse_focus: NDArray[np.float32]) -> Lengths:
        """Complete known lengths with `of_row`."""
        per_work = (1 - FOCUS_SHARE) / BEST_WORKS
        factors = FOCUS_SHARE * inverse_focus[rows.lab] + per_work
        profiles = rows.first[1:] - 1
        factors[profiles] = FOCUS_SHARE * PROFILE_WEIGHT * inverse_focus
        return cls(inverse_length, inverse_focus, (inverse_length * factors).astype(np.float32))


def lengths_of(rows: Rows, postings: Postings, idf: NDArray[np.float32]) -> Lengths:
    """Compute the lengths of all rows and labs. Every term of `postings` must have entries."""
    if rows.labs == 1:
        return _lengths_of_one(rows, postings, idf)
    inverse_length = _inverse(_squares(rows, postings, idf))
    return Lengths.of(rows, inverse_length, _inverse(_focus_squares(rows, postings, idf, inverse_length)))


def _lengths_of_one(rows: Rows, postings: Postings, idf: NDArray[np.float32]) -> Lengths:
    """`lengths_of` for a single lab, whose entries of one term are adjacent."""
    kernels = compiled.kernels()
    if kernels is not None:
        starts = postings.starts.astype(np.int64, copy=False)
        return Lengths(*kernels.lengths_of_lab(starts, postings.rows, postings.counts, idf, len(rows)))
    sizes = np.diff(postings.starts)
    weights = LOG_COUNT[postings.counts] * idf.astype(np.float64).repeat(sizes)
    inverse_length = _inverse(_added(np.zeros(len(rows)), postings.rows, weights * weights))
    values = weights * inverse_length[postings.rows]
    values[postings.rows == len(rows) - 1] *= PROFILE_WEIGHT
    sums = _added(np.zeros(len(sizes)), np.arange(len(sizes), dtype=np.int32).repeat(sizes), values)
    return Lengths.of(rows, inverse_length, _inverse(_added(np.zeros(1), np.zeros(len(sums), np.int32), sums**2)))


def _squares(rows: Rows, postings: Postings, idf: NDArray[np.float32]) -> NDArray[np.float64]:
    """The squared length of every row."""
    squares = np.zeros(len(rows))
    for block in blocks(postings.starts):
        weights = LOG_COUNT[postings.counts[block.entries]] * block.spread(idf)
        squares = _added(squares, postings.rows[block.entries], weights * weights)
    return squares


def _focus_squares(
    rows: Rows, postings: Postings, idf: NDArray[np.float32], inverse_length: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The squared length of every lab's sum of rows."""
    squares = np.zeros(rows.labs)
    for block in blocks(postings.starts):
        grouped = by_lab(block, rows, postings, idf, inverse_length)
        squares = _added(squares, grouped.labs, grouped.sums(PROFILE_WEIGHT) ** 2)
    return squares


def _added(total: NDArray[np.float64], places: NDArray[np.int32], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`total` plus the values at their places, added one by one (an all-zero `total` is replaced)."""
    if not total.any():
        return np.bincount(places, values, len(total)).astype(np.float64, copy=False)
    np.add.at(total, places, values)
    return total


def _inverse(squares: NDArray[np.float64]) -> NDArray[np.float32]:
    """1 / length for each squared length, 0 for 0."""
    inverse = np.zeros(len(squares), dtype=np.float32)
    is_nonzero = squares > 0
    inverse[is_nonzero] = 1 / np.sqrt(squares[is_nonzero])
    return inverse
