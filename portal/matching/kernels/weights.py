"""Weights of terms, counts in rows, lengths of rows; see `weights`, `postings` and `lengths` of the segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.kernels.counting import number_of
from portal.matching.kernels.layout import S_IDF
from portal.matching.kernels.memory import floats_at, kernel
from portal.matching.kernels.terms import fetch_beginning, fetch_bucket, place_of, place_of_single
from portal.matching.language.hashing import BASE
from portal.matching.segments.postings import LOG_COUNT, MOST_COUNTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.uint64]
    Ints = NDArray[np.int32]
    Bytes = NDArray[np.uint8]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]

_FOCUS, _FOCUS_OF_PROFILE = np.float32(FOCUS_SHARE), np.float32(FOCUS_SHARE * PROFILE_WEIGHT)
_BEST = np.float32((1 - FOCUS_SHARE) / BEST_WORKS)
_BASE, _ONE, _NEW_LINE = np.uint64(BASE), np.uint64(1), np.uint8(10)
_FAR, _NEAR = 32, 16
"""How many terms ahead the beginnings of buckets are prefetched, and the contents of the buckets."""


@kernel
def weights_of(table: Longs, numbers: Numbers, of_singles: float, unseen: float) -> Floats:
    """The weights of terms by number: from the table, `of_singles`, or `unseen`."""
    weights = np.empty(len(numbers), np.float32)
    idf = floats_at(table[S_IDF], 1)
    for term in range(len(numbers)):
        if term + _FAR < len(numbers):
            fetch_beginning(table, np.int64(numbers[term + _FAR]))
        if term + _NEAR < len(numbers):
            fetch_bucket(table, np.int64(numbers[term + _NEAR]))
        number = np.int64(numbers[term])
        place = place_of(table, number)
        if place >= 0:
            weights[term] = idf[place]
        elif place_of_single(table, number) >= 0:
            weights[term] = of_singles
        else:
            weights[term] = unseen
    return weights


@kernel
def weights_of_keys(table: Longs, keys: Bytes, count: int, of_singles: float, unseen: float) -> tuple[Numbers, Floats]:
    """The numbers of `count` terms and their weights, by keys of ASCII characters that end with a new line each."""
    numbers, term, value = np.empty(count, np.uint64), 0, np.uint64(0)
    for code in keys:
        if code != _NEW_LINE:
            value = value * _BASE + np.uint64(code) + _ONE
            continue
        numbers[term], value = number_of(value), np.uint64(0)
        fetch_beginning(table, np.int64(numbers[term]))
        term += 1
    for number in numbers:
        fetch_bucket(table, np.int64(number))
    return numbers, weights_of(table, numbers, of_singles, unseen)


@kernel
def _inverse(squares: Doubles) -> Floats:
    """1 / length for each squared length, 0 for 0."""
    inverse = np.zeros(len(squares), np.float32)
    for place in range(len(squares)):
        if squares[place] > 0:
            inverse[place] = 1 / np.sqrt(squares[place])
    return inverse


@kernel
def lengths_of_lab(
    starts: Longs, in_rows: Ints, counts: Bytes, idf: Floats, rows: int
) -> tuple[Floats, Floats, Floats]:
    """The three arrays of `segments.lengths.Lengths` for a single lab. Every term must have an entry."""
    squares, weights = np.zeros(rows, np.float64), np.empty(len(in_rows), np.float64)
    term = np.int64(0)
    for entry in range(len(in_rows)):
        term += entry == starts[term + 1]
        weights[entry] = LOG_COUNT[counts[entry]] * np.float64(idf[term])
        squares[in_rows[entry]] += weights[entry] * weights[entry]
    lengths, factors = _inverse(squares), np.ones(rows, np.float64)
    factors[rows - 1] = PROFILE_WEIGHT
    focus_squared, total, term = np.zeros(1, np.float64), 0.0, np.int64(0)
    for entry in range(len(in_rows)):
        is_next = entry == starts[term + 1]
        term += is_next
        focus_squared[0] += total * total if is_next else 0.0
        value = weights[entry] * np.float64(lengths[in_rows[entry]]) * factors[in_rows[entry]]
        total = value if is_next else total + value
    focus_squared[0] += total * total
    inverse_focus, per_row = _inverse(focus_squared), np.empty(rows, np.float32)
    per_row[:] = _FOCUS * inverse_focus[0] + _BEST
    per_row[rows - 1] = _FOCUS_OF_PROFILE * inverse_focus[0]
    return lengths, inverse_focus, lengths * per_row


@kernel
def count_sorted(packed: Numbers, row_bits: int, prefix: np.uint64) -> tuple[Numbers, Longs, Ints, Bytes]:
    """Turn sorted occurrences, each a term with a row in its low `row_bits` bits, into terms with their entries.

    Returns the numbers of the terms (plus `prefix`), where the rows of each begin and end, these rows, and the counts.
    """
    bits = np.uint64(row_bits)
    row_mask = (np.uint64(1) << bits) - np.uint64(1)
    terms = entries = np.int64(len(packed) > 0)
    for place in range(1, len(packed)):
        entries += packed[place] != packed[place - 1]
        terms += packed[place] >> bits != packed[place - 1] >> bits
    numbers, starts = np.empty(terms, np.uint64), np.zeros(terms + 1, np.int64)
    rows, counts = np.empty(entries, np.int32), np.empty(entries, np.uint8)
    term = entry = np.int64(-1)
    count, previous = np.int64(0), ~packed[0] if entries else np.uint64(0)
    # Without branches, which would often be mispredicted.
    for value in packed:
        is_new = value != previous
        term += value >> bits != previous >> bits
        entry += is_new
        count = np.int64(1) if is_new else count + 1
        numbers[term] = (value >> bits) + prefix
        starts[term + 1] = entry + 1
        rows[entry] = np.int32(value & row_mask)
        counts[entry] = np.uint8(min(count, np.int64(MOST_COUNTED)))
        previous = value
    return numbers, starts, rows, counts
