"""A query's terms in a segment; see `portal.matching.segments.located`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.kernels.layout import (
    Q_NUMBERS,
    Q_TERMS,
    S_BUCKET_SHIFT,
    S_BUCKETS,
    S_COMMON_COUNT,
    S_COMMON_TERMS,
    S_COUNTS,
    S_IDF,
    S_LAB_OF_ROW,
    S_LABS,
    S_NUMBERS,
    S_NUMBERS_COUNT,
    S_OF_ROW,
    S_ROWS,
    S_SINGLE_COUNT,
    S_SINGLE_HIGH,
    S_SINGLE_IDF,
    S_SINGLE_LOW,
    S_SINGLE_PACKED,
    S_SINGLE_REST,
    S_SINGLE_STARTS,
    S_STARTS,
)
from portal.matching.kernels.memory import (
    bytes_at,
    doubles_at,
    fetch,
    floats_at,
    ints_at,
    kernel,
    longs_at,
    shorts_at,
    words_at,
)
from portal.matching.segments.postings import LOG_COUNT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.memory import Whole

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Doubles = NDArray[np.float64]

_HALF = 16
"""Bits of a row in `Singles.low`."""
_FEWEST_SLOTS = 64
_SCATTER = 0x9E3779B1
"""The factor that spreads labs over the slots of a hash table."""


class Terms(NamedTuple):
    """The terms of a query in a segment. Common term i is the query's `query_terms[i]`, at `places[i]` (rising).

    Entry e of the rare terms: term `rare_query_terms[e]` is in the row `rare_rows[e]` with the weight
    `rare_weights[e]`, not divided by the row's length. A lab's entries are a linked list: `first_rare`,
    `following[first_rare]` and so on until -1, sorted by term and row. `head` has the first entry of every lab; if few
    labs have any, `slots` names the labs to which the elements of `head` belong.
    """

    query_terms: Longs
    places: Longs
    weights: Doubles
    head: Ints
    slots: Ints
    following: Ints
    rare_query_terms: Ints
    rare_rows: Ints
    rare_weights: Doubles


@kernel
def place_of(segment: Longs, number: np.int64) -> Whole:
    """The place of a term in the segment's table, -1 if it is not there."""
    count = segment[S_NUMBERS_COUNT]
    numbers = longs_at(segment[S_NUMBERS], count)
    shift = segment[S_BUCKET_SHIFT]
    if shift >= 0:
        buckets = ints_at(segment[S_BUCKETS], 1)
        bucket = number >> shift
        for place in range(buckets[bucket], buckets[bucket + 1]):
            if numbers[place] == number:
                return place
        return -1
    place = bisected(numbers, number)
    if place < count and numbers[place] == number:
        return place
    return -1


@kernel
def bisected(numbers: Longs, number: Whole) -> int:
    """The place of the first of some rising numbers that is not less than `number`."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def place_of_single(segment: Longs, number: np.int64) -> np.int64:
    """The place of a term among the singles, which occur once in a single work; -1 if it is not there."""
    if not segment[S_SINGLE_COUNT]:
        return np.int64(-1)
    rest, high = segment[S_SINGLE_REST], segment[S_SINGLE_HIGH]
    starts, packed = words_at(segment[S_SINGLE_STARTS], 1), words_at(segment[S_SINGLE_PACKED], 1)
    bucket, wanted = number >> rest, number & ((1 << rest) - 1)
    for place in range(np.int64(starts[bucket]), np.int64(starts[bucket + 1])):
        if np.int64(packed[place]) >> high == wanted:
            return np.int64(place)
    return np.int64(-1)


@kernel
def _single(segment: Longs, number: np.int64) -> Whole:
    """The row of a term that occurs once in a single work, -1 if it is no such term."""
    place = place_of_single(segment, number)
    if place < 0:
        return -1
    packed = np.int64(words_at(segment[S_SINGLE_PACKED], 1)[place])
    low = np.int64(shorts_at(segment[S_SINGLE_LOW], 1)[place])
    row: np.int64 = ((packed & ((1 << segment[S_SINGLE_HIGH]) - 1)) << _HALF) | low
    return row


@kernel
def _heads(labs: Whole, entries: int) -> tuple[Ints, Ints]:
    """Room for `Terms.head` and `Terms.slots`: a hash table if few labs have entries, else one element per lab."""
    slots = _FEWEST_SLOTS
    while slots < 2 * entries:
        slots *= 2
    if 2 * slots < labs:
        return np.full(slots, -1, np.int32), np.full(slots, -1, np.int32)
    return np.full(labs, -1, np.int32), np.empty(0, np.int32)


@kernel
def _slot(slots: Ints, lab: Whole) -> np.int64:
    """The slot of a lab in a hash table, or the one it would be put into."""
    mask = len(slots) - 1
    slot = (np.int64(lab) * _SCATTER >> _HALF) & mask
    while slots[slot] >= 0 and slots[slot] != lab:
        slot = (slot + 1) & mask
    return np.int64(slot)


@kernel
def _first_of(slots: Ints, lab: Whole) -> Whole:
    """The place of a lab in `Terms.head`. Reserves one if the lab has none yet."""
    if not len(slots):
        return lab
    slot = _slot(slots, lab)
    slots[slot] = lab
    return slot


@kernel
def first_rare(terms: Terms, lab: Whole) -> Whole:
    """A lab's first entry of a rare term, -1 if it has none."""
    entry: Whole = terms.head[_slot(terms.slots, lab)] if len(terms.slots) else terms.head[lab]
    return entry


class _Located(NamedTuple):
    """Where the terms of a query are in a segment, by term.

    `sizes` rows of a term begin at `begins`; the only row r of a term among the singles is given as -1 - r. Such terms
    and those in more rows than one are rare. A common term has `sizes` 0 and its number among the common ones in
    `common`, which is -1 for others. `weights` are those of the segment.
    """

    begins: Longs
    sizes: Longs
    common: Longs
    weights: Doubles


@kernel
def fetch_beginning(table: Longs, number: np.int64) -> None:
    """Prefetch the beginnings of the buckets in which a term would be."""
    if table[S_BUCKET_SHIFT] >= 0:
        fetch(table[S_BUCKETS] + 4 * (number >> table[S_BUCKET_SHIFT]))
    if table[S_SINGLE_COUNT]:
        fetch(table[S_SINGLE_STARTS] + 4 * (number >> table[S_SINGLE_REST]))


@kernel
def fetch_bucket(table: Longs, number: np.int64) -> None:
    """Prefetch the contents of these buckets."""
    if table[S_BUCKET_SHIFT] >= 0:
        place = np.int64(ints_at(table[S_BUCKETS], 1)[number >> table[S_BUCKET_SHIFT]])
        fetch(table[S_NUMBERS] + 8 * place)
        fetch(table[S_IDF] + 4 * place)
        fetch(table[S_STARTS] + 4 * place)
    if table[S_SINGLE_COUNT]:
        begin = np.int64(words_at(table[S_SINGLE_STARTS], 1)[number >> table[S_SINGLE_REST]])
        fetch(table[S_SINGLE_PACKED] + 4 * begin)
        fetch(table[S_SINGLE_LOW] + 2 * begin)


@kernel
def _located(segment: Longs, numbers: Longs) -> _Located:
    """Look up terms by number, and prefetch their rows."""
    terms = len(numbers)
    starts, idf = words_at(segment[S_STARTS], 1), floats_at(segment[S_IDF], 1)
    common_terms = longs_at(segment[S_COMMON_TERMS], segment[S_COMMON_COUNT])
    begins, sizes, common = np.empty(terms, np.int64), np.zeros(terms, np.int64), np.full(terms, -1, np.int64)
    weights = np.empty(terms, np.float64)
    # Each step reads what the one before has prefetched for all terms, so that they wait for memory together.
    for number in numbers:
        fetch_beginning(segment, number)
    for number in numbers:
        fetch_bucket(segment, number)
    for term in range(terms):
        place = place_of(segment, numbers[term])
        if place < 0:
            row = _single(segment, numbers[term])
            begins[term], sizes[term] = -1 - row, row >= 0
            continue
        begins[term] = np.int64(starts[place])
        sizes[term] = np.int64(starts[place + 1]) - begins[term]
        weights[term] = np.float64(idf[place])
        if not sizes[term]:  # the entries of common terms are stored by lab
            common[term] = bisected(common_terms, place)
            continue
        fetch(segment[S_ROWS] + 4 * begins[term])
        fetch(segment[S_COUNTS] + begins[term])
    return _Located(begins, sizes, common, weights)


@kernel
def _common(located: _Located) -> tuple[Longs, Longs, Doubles]:
    """The query's terms that are common in a segment by rising place, with the places and their weights."""
    order, count = np.empty(len(located.common), np.int64), 0
    for term in range(len(order)):
        if located.common[term] >= 0:
            order[count] = located.common[term] << 32 | term
            count += 1
    order[:count].sort()
    query_terms, places, weights = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.float64)
    for slot in range(count):
        term = order[slot] & 0xFFFFFFFF
        query_terms[slot], places[slot], weights[slot] = term, order[slot] >> 32, located.weights[term]
    return query_terms, places, weights


@kernel
def find_terms(segment: Longs, ints: Longs) -> Terms:
    """Look up the terms of a query in a segment."""
    located = _located(segment, ints[Q_NUMBERS : Q_NUMBERS + ints[Q_TERMS]])
    begins, sizes = located.begins, located.sizes
    rows, lab_of_row = ints_at(segment[S_ROWS], 1), ints_at(segment[S_LAB_OF_ROW], 1)
    counts = bytes_at(segment[S_COUNTS], 1)
    entries = sizes.sum()
    head, slots = _heads(segment[S_LABS], entries)
    following, rare_query_terms = np.empty(entries, np.int32), np.empty(entries, np.int32)
    rare_rows, rare_weights = np.empty(entries, np.int32), np.empty(entries, np.float64)
    entry = 0
    for term in range(len(sizes) - 1, -1, -1):
        begin = begins[term]
        for step in range(sizes[term] - 1, -1, -1):
            if begin < 0:
                row, weight = np.int64(-1 - begin), doubles_at(segment[S_SINGLE_IDF], 1)[0]
            else:
                row, weight = np.int64(rows[begin + step]), LOG_COUNT[counts[begin + step]] * located.weights[term]
            fetch(segment[S_LAB_OF_ROW] + 4 * row)
            fetch(segment[S_OF_ROW] + 4 * row)
            rare_query_terms[entry], rare_rows[entry], rare_weights[entry] = term, row, weight
            entry += 1
    for place in range(entries):
        first = _first_of(slots, lab_of_row[rare_rows[place]])
        following[place], head[first] = head[first], place
    query_terms, places, weights = _common(located)
    return Terms(query_terms, places, weights, head, slots, following, rare_query_terms, rare_rows, rare_weights)
