"""By term, an upper bound of what it brings to a lab's score: what is read first for a query.

For a query q with no negative coordinate, the score of a lab is

    ½ Σ q·focus + ½ · (sum over its best three works of Σ q·work) / 3  ≤  Σ q·bound,
    bound(lab, term) = ½ focus + ½ · (sum of the three largest values of the term among its works) / 3,

because no three works together have more of a term than the three that have most. Only labs whose bound
reaches the score of the best ones have to be scored exactly. Terms of few rows have no bounds of their own: there
the sum over all rows serves, which is found from the postings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.grouping import blocks_of, by_lab
from portal.matching.kernels import add_multiple, add_postings
from portal.matching.postings import LOG_COUNT
from portal.matching.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.postings import Postings
    from portal.matching.rows import Rows
    from portal.matching.segment import Segment

SLACK = 1e-5
"""Relative: float32 sums of some thousand terms are nearer to the true value than this."""
_FEW_ROWS = 64
_DENSE_FROM = 0.2
"""A term that more than this share of the labs have is kept as a full row, which is added faster."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of the terms `terms` (rising). Term i has them for the labs `labs[starts[i]:starts[i + 1]]`.

    Where `dense_row[i]` is not -1 it names the row of `dense` with the bounds for all labs instead. `of_row` is what
    a row with coordinate 1 brings to the bound of its lab.
    """

    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    labs: NDArray[np.int32]
    values: NDArray[np.float32]
    dense_row: NDArray[np.int32]
    dense: NDArray[np.float32]
    of_row: NDArray[np.float32]


def bounds_of(
    rows: Rows,
    postings: Postings,
    idf: NDArray[np.float32],
    inverse_length: NDArray[np.float32],
    inverse_focus: NDArray[np.float32],
) -> Bounds:
    """The bounds of the terms that are in many rows."""
    terms = np.flatnonzero(np.diff(postings.starts) > _FEW_ROWS)
    labs: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    values: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    counts: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    dense: list[NDArray[np.float32]] = []
    dense_row = np.full(len(terms), -1, dtype=np.int32)
    place = 0
    best = (1 - FOCUS_SHARE) / BEST_WORKS
    for block in blocks_of(terms, postings.starts):
        grouped = by_lab(block, rows, postings, idf, inverse_length)
        focus = FOCUS_SHARE * grouped.sums(PROFILE_WEIGHT) * inverse_focus[grouped.labs]
        bound = (focus + best * grouped.largest(BEST_WORKS)).astype(np.float32)
        sizes = np.bincount(np.searchsorted(block.terms, grouped.terms), minlength=len(block.terms))
        in_many = sizes > _DENSE_FROM * rows.labs
        ends = np.cumsum(sizes)
        for offset in np.flatnonzero(in_many).tolist():
            part = slice(int(ends[offset] - sizes[offset]), int(ends[offset]))
            full = np.zeros(rows.labs, dtype=np.float32)
            full[grouped.labs[part]] = bound[part]
            dense_row[place + offset] = len(dense)
            dense.append(full)
        kept = ~np.repeat(in_many, sizes)
        labs.append(grouped.labs[kept])
        values.append(bound[kept])
        counts.append(np.where(in_many, 0, sizes))
        place += len(block.terms)
    is_work = rows.is_work(np.arange(len(rows), dtype=np.int32))
    of_row = inverse_length * np.where(
        is_work, FOCUS_SHARE * inverse_focus[rows.lab] + best, FOCUS_SHARE * PROFILE_WEIGHT * inverse_focus[rows.lab]
    )
    return Bounds(
        terms,
        np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(counts)))),
        np.concatenate(labs),
        np.concatenate(values),
        dense_row,
        np.array(dense, dtype=np.float32).reshape(len(dense), rows.labs),
        of_row.astype(np.float32),
    )


def upper_bounds(segment: Segment, terms: NDArray[np.int64], coordinates: NDArray[np.float64]) -> NDArray[np.float32]:
    """For every lab a number that its score does not exceed, 0 only where it shares no term with the query.

    `terms` are the query's terms that occur in the segment, `coordinates` theirs in the query.
    """
    postings, bounds, rows = segment.postings, segment.bounds, segment.rows
    total = np.zeros(rows.labs, dtype=np.float32)
    asks = coordinates > 0
    terms, coordinates = terms[asks], coordinates[asks]
    begins, ends = postings.starts[terms], postings.starts[terms + 1]
    few = ends - begins <= _FEW_ROWS
    if few.any():
        lengths = (ends - begins)[few]
        entries = ranges(begins[few], lengths)
        found = postings.rows[entries]
        brings = np.repeat((coordinates * segment.idf[terms])[few], lengths) * LOG_COUNT[postings.counts[entries]]
        np.add.at(total, rows.lab[found], (brings * bounds.of_row[found]).astype(np.float32))
    many = np.flatnonzero(~few)
    if len(many):
        places = np.searchsorted(bounds.terms, terms[many])
        factors = coordinates[many].astype(np.float32)
        full = bounds.dense_row[places]
        for row, factor in zip(full[full >= 0].tolist(), factors[full >= 0].tolist(), strict=True):
            add_multiple(total, bounds.dense[row], factor)
        sparse = places[full < 0]
        if len(sparse):
            begins, ends = bounds.starts[sparse], bounds.starts[sparse + 1]
            add_postings(total, begins, ends, bounds.labs, bounds.values, factors[full < 0])
    total *= np.float32(1 + SLACK)
    return total


def labs_with(segment: Segment, term: int) -> NDArray[np.int32] | NDArray[np.int64]:
    """The labs in which a term of the segment occurs; some may be there twice."""
    postings, bounds = segment.postings, segment.bounds
    begin, end = int(postings.starts[term]), int(postings.starts[term + 1])
    if end - begin <= _FEW_ROWS:
        found: NDArray[np.int32] = segment.rows.lab[postings.rows[begin:end]]
        return found
    place = int(np.searchsorted(bounds.terms, term))
    row = int(bounds.dense_row[place])
    if row >= 0:
        return np.flatnonzero(bounds.dense[row])
    return bounds.labs[int(bounds.starts[place]) : int(bounds.starts[place + 1])]
