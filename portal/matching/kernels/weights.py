"""What terms weigh, and how long rows of them are; see `portal.matching.segments.weights` and `segment`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.kernels.layout import (
    S_BUCKET_SHIFT,
    S_BUCKETS,
    S_IDF,
    S_NUMBERS,
    S_SINGLE_COUNT,
    S_SINGLE_PACKED,
    S_SINGLE_REST,
    S_SINGLE_STARTS,
)
from portal.matching.kernels.memory import fetch, floats_at, ints_at, kernel, words_at
from portal.matching.kernels.terms import place_of, place_of_single
from portal.matching.segments.postings import LOG_COUNT, MOST_COUNTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.uint64]
    Ints = NDArray[np.int32]
    Bytes = NDArray[np.uint8]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]

_FAR, _NEAR = 32, 16
"""Terms; so far ahead of where they are looked up the beginnings of their buckets are fetched, and what is in these."""


@kernel
def _fetch_beginning(table: Longs, number: np.int64) -> None:
    """Have the beginnings of the buckets brought nearer that a term would be in."""
    if table[S_BUCKET_SHIFT] >= 0:
        fetch(table[S_BUCKETS] + 4 * (number >> table[S_BUCKET_SHIFT]))
    if table[S_SINGLE_COUNT]:
        fetch(table[S_SINGLE_STARTS] + 4 * (number >> table[S_SINGLE_REST]))


@kernel
def _fetch_bucket(table: Longs, number: np.int64) -> None:
    """Have what is in these buckets brought nearer."""
    if table[S_BUCKET_SHIFT] >= 0:
        place = np.int64(ints_at(table[S_BUCKETS], 1)[number >> table[S_BUCKET_SHIFT]])
        fetch(table[S_NUMBERS] + 8 * place)
        fetch(table[S_IDF] + 4 * place)
    if table[S_SINGLE_COUNT]:
        begin = words_at(table[S_SINGLE_STARTS], 1)[number >> table[S_SINGLE_REST]]
        fetch(table[S_SINGLE_PACKED] + 4 * np.int64(begin))


@kernel
def weights_of(table: Longs, numbers: Numbers, of_singles: float, unseen: float) -> Floats:
    """The weights of terms by their numbers: those of the table, `of_singles`, or `unseen`."""
    found = np.empty(len(numbers), np.float32)
    idf = floats_at(table[S_IDF], 1)
    for term in range(len(numbers)):
        if term + _FAR < len(numbers):
            _fetch_beginning(table, np.int64(numbers[term + _FAR]))
        if term + _NEAR < len(numbers):
            _fetch_bucket(table, np.int64(numbers[term + _NEAR]))
        number = np.int64(numbers[term])
        place = place_of(table, number)
        if place >= 0:
            found[term] = idf[place]
        elif place_of_single(table, number) >= 0:
            found[term] = of_singles
        else:
            found[term] = unseen
    return found


@kernel
def _inverse(squares: Doubles) -> Floats:
    """One over each length by its square, 0 for 0."""
    found = np.zeros(len(squares), np.float32)
    for place in range(len(squares)):
        if squares[place] > 0:
            found[place] = 1 / np.sqrt(squares[place])
    return found


@kernel
def lengths_of_lab(starts: Longs, in_rows: Ints, counts: Bytes, idf: Floats, rows: int) -> tuple[Floats, Floats]:
    """One over the lengths of the rows of a lab, and over that of their sum, the profile counted several times."""
    squares, weights = np.zeros(rows, np.float64), np.empty(len(in_rows), np.float64)
    for term in range(len(idf)):
        of_term = np.float64(idf[term])
        for entry in range(starts[term], starts[term + 1]):
            weights[entry] = LOG_COUNT[counts[entry]] * of_term
            squares[in_rows[entry]] += weights[entry] * weights[entry]
    lengths, of_sum = _inverse(squares), np.zeros(1, np.float64)
    for term in range(len(idf)):
        total = 0.0
        for entry in range(starts[term], starts[term + 1]):
            value = weights[entry] * np.float64(lengths[in_rows[entry]])
            total += value * PROFILE_WEIGHT if in_rows[entry] == rows - 1 else value
        of_sum[0] += total * total
    return lengths, _inverse(of_sum)


@kernel
def count_sorted(packed: Numbers, row_bits: int, prefix: np.uint64) -> tuple[Numbers, Longs, Ints, Bytes]:
    """Occurrences that are sorted, each a term and, in its last `row_bits` bits, a row, as terms with their entries.

    Gives the numbers of the terms, `prefix` added, how many rows each has, these rows, and how often it stands there.
    """
    bits = np.uint64(row_bits)
    of_row = (np.uint64(1) << bits) - np.uint64(1)
    terms = entries = 0
    for place in range(len(packed)):
        is_new = not place or packed[place] != packed[place - 1]
        entries += is_new
        terms += is_new and (not place or packed[place] >> bits != packed[place - 1] >> bits)
    numbers, sizes = np.empty(terms, np.uint64), np.zeros(terms, np.int64)
    rows, counts = np.empty(entries, np.int32), np.empty(entries, np.uint8)
    term = entry = -1
    count = np.int64(0)
    for place in range(len(packed)):
        value = packed[place]
        if place and value == packed[place - 1]:
            count += 1
            counts[entry] = np.uint8(min(count, np.int64(MOST_COUNTED)))
            continue
        if not place or value >> bits != packed[place - 1] >> bits:
            term += 1
            numbers[term] = (value >> bits) + prefix
        entry += 1
        count = np.int64(1)
        sizes[term] += 1
        rows[entry], counts[entry] = np.int32(value & of_row), 1
    return numbers, sizes, rows, counts
