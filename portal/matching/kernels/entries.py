"""What one lab has of a query's terms; see `portal.matching.common` and `portal.matching.scoring`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.kernels.layout import (
    S_COMMON_MOST,
    S_COMMON_ROWS,
    S_COMMON_ROWS_BYTES,
    S_COMMON_STARTS,
    S_FIRST_ROW,
    S_HALVES,
    S_INVERSE_LENGTH,
    S_LARGE,
    S_LARGE_COUNT,
    S_LARGE_PLACES,
    S_LOW,
    S_WITHIN,
    S_WITHIN_BYTES,
    S_WITHIN_WIDTH,
)
from portal.matching.kernels.memory import bytes_at, fetch, floats_at, kernel, longs_at, number_at, words_at
from portal.matching.kernels.terms import bisected, first_rare
from portal.matching.postings import LOG_COUNT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.memory import Whole
    from portal.matching.kernels.terms import Terms

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Doubles = NDArray[np.float64]

_LOW = 8
_LARGE = 15
_FEW = 32
"""So many terms are far apart in a lab; the processor sees by itself where many are."""


class Entries(NamedTuple):
    """Room for the entries of one lab: the term, the row within the lab, the coordinate. A term's rows rise.

    `spots` is room for where those of a common term are kept.
    """

    which: Ints
    rows: Ints
    values: Doubles
    spots: Longs


@kernel
def room_for(segment: Longs, terms: Terms) -> Entries:
    """Room for what any lab of a segment has of the terms."""
    most = segment[S_COMMON_MOST] + len(terms.rare_which)
    spots = np.empty(segment[S_COMMON_MOST] + 1, np.int64)
    return Entries(np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.float64), spots)


@kernel
def _count(segment: Longs, place: Whole) -> np.int64:
    """How often the term of an entry occurs; see `portal.matching.counts`."""
    found = np.int64(bytes_at(segment[S_HALVES], 1)[place >> 1]) >> ((place & 1) << 2) & _LARGE
    if found < _LARGE:
        return found
    at = bisected(longs_at(segment[S_LARGE_PLACES], segment[S_LARGE_COUNT]), place)
    return np.int64(bytes_at(segment[S_LARGE], 1)[at])


@kernel
def fetch_labs(segment: Longs, terms: Terms, labs: Longs) -> None:
    """Have what `gather` will read of a few terms in some labs brought nearer, for all at once rather than in turn."""
    if len(terms.places) > _FEW:
        return
    within, size, width = segment[S_WITHIN], segment[S_WITHIN_BYTES], segment[S_WITHIN_WIDTH]
    for lab in labs:
        fetch(segment[S_FIRST_ROW] + 8 * lab)
        fetch(segment[S_COMMON_STARTS] + 4 * lab)
        for at in terms.places:
            fetch(within + size * (lab * width + (at >> _LOW)))
    first, starts = longs_at(segment[S_FIRST_ROW], 1), words_at(segment[S_COMMON_STARTS], 1)
    for lab in labs:
        fetch(segment[S_INVERSE_LENGTH] + 4 * first[lab])
        fetch(segment[S_INVERSE_LENGTH] + 4 * first[lab + 1])
        for at in terms.places:
            place = np.int64(starts[lab]) + number_at(within, size, lab * width + (at >> _LOW))
            fetch(segment[S_LOW] + place)
            fetch(segment[S_COMMON_ROWS] + segment[S_COMMON_ROWS_BYTES] * place)
            fetch(segment[S_HALVES] + (place >> 1))


@kernel
def gather(segment: Longs, terms: Terms, lab: int, entries: Entries) -> int:
    """Put what a lab has of the terms into `entries`, and say how many there are."""
    first = longs_at(segment[S_FIRST_ROW], 1)[lab]
    lengths = floats_at(segment[S_INVERSE_LENGTH], 1)
    found = 0
    entry = first_rare(terms, lab)
    while entry >= 0:
        row = terms.rare_rows[entry]
        entries.which[found], entries.rows[found] = terms.rare_which[entry], row - first
        entries.values[found] = terms.rare_weights[entry] * lengths[row]
        found += 1
        entry = terms.following[entry]
    if not len(terms.places):
        return found
    start = np.int64(words_at(segment[S_COMMON_STARTS], 1)[lab])
    low = bytes_at(segment[S_LOW], 1)
    within, size = segment[S_WITHIN], segment[S_WITHIN_BYTES]
    bucket_at = lab * segment[S_WITHIN_WIDTH]
    spots = entries.spots
    for number in range(len(terms.places)):
        bucket, wanted = bucket_at + (terms.places[number] >> _LOW), terms.places[number] & ((1 << _LOW) - 1)
        hits = 0
        # Without a condition: the processor could not guess it.
        for place in range(start + number_at(within, size, bucket), start + number_at(within, size, bucket + 1)):
            spots[hits] = place
            hits += np.int64(low[place]) == wanted
        for hit in range(hits):
            place = spots[hit]
            row = number_at(segment[S_COMMON_ROWS], segment[S_COMMON_ROWS_BYTES], place)
            entries.which[found], entries.rows[found] = terms.which[number], row
            weight = terms.weights[number] * LOG_COUNT[_count(segment, place)]
            entries.values[found] = weight * lengths[first + row]
            found += 1
    return found
