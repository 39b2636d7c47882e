"""Upper bounds of all labs' scores; see `portal.matching.segments.bounds`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, SURE
from portal.matching.kernels.layout import (
    P_BEGIN,
    P_NAMES,
    P_SURE,
    P_TERMS,
    P_VECTOR,
    P_WORDS,
    Q_NUMBERS,
    Q_PARTS,
    Q_TERMS,
    Q_VECTORS,
    S_BOUND_LABS,
    S_BOUND_LABS_BYTES,
    S_BOUND_STARTS,
    S_BOUND_STEP,
    S_BOUND_STEPS,
    S_COMMON_COUNT,
    S_DENSE,
    S_DENSE_ROW,
    S_LAB_OF_ROW,
    S_LABS,
    S_OF_ROW,
)
from portal.matching.kernels.memory import bytes_at, floats_at, ints_at, kernel, longs_at, shorts_at, words_at
from portal.matching.segments.bounds import SLACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.terms import Terms

    Longs = NDArray[np.int64]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]

_BLOCK = 2048
"""Labs per block: their sums stay in the processor's cache while the rows of all terms are added."""
_UP = 1 + SLACK


@kernel
def upper_bounds(segment: Longs, terms: Terms, vector: Doubles, bounds: Floats) -> None:
    """Write an upper bound of each lab's score for `vector` into `bounds`: 0 only if it shares no term with it."""
    of_row, labs = floats_at(segment[S_OF_ROW], 1), ints_at(segment[S_LAB_OF_ROW], 1)
    step = floats_at(segment[S_BOUND_STEP], 1)
    bounds[:] = 0
    for entry in range(len(terms.rare_query_terms)):
        row = terms.rare_rows[entry]
        increment = vector[terms.rare_query_terms[entry]] * terms.rare_weights[entry] * of_row[row]
        bounds[labs[row]] += np.float32(increment * _UP)
    factors = np.empty(len(terms.query_terms), np.float32)
    for place in range(len(factors)):
        factors[place] = vector[terms.query_terms[place]] * step[terms.places[place]] * _UP
    _add_common(segment, terms.places, factors, True, bounds)


@kernel
def upper_supports(segment: Longs, terms: Terms, weights: Doubles) -> Floats:
    """For each lab an upper bound of the total weight of the query's terms that it contains."""
    labs = ints_at(segment[S_LAB_OF_ROW], 1)
    supports = np.zeros(segment[S_LABS], np.float32)
    for entry in range(len(terms.rare_query_terms)):
        supports[labs[terms.rare_rows[entry]]] += np.float32(weights[terms.rare_query_terms[entry]] * _UP)
    factors = np.empty(len(terms.query_terms), np.float32)
    for place in range(len(factors)):
        factors[place] = weights[terms.query_terms[place]] * _UP
    _add_common(segment, terms.places, factors, False, supports)
    return supports


@kernel
def _add_common(segment: Longs, places: Longs, factors: Floats, weighed: bool, totals: Floats) -> None:  # noqa: FBT001 - called by kernels only
    """Add the common terms at `places` to the labs that contain them: `factors`, if `weighed` times the lab's steps."""
    starts = longs_at(segment[S_BOUND_STARTS], segment[S_COMMON_COUNT] + 1)
    dense_row = ints_at(segment[S_DENSE_ROW], 1)
    rows, of_rows = np.empty(len(places), np.int64), np.empty(len(places), np.float32)
    dense_count = 0
    for place in range(len(places)):
        term, factor = places[place], factors[place]
        if factor <= 0:
            continue
        if dense_row[term] >= 0:
            rows[dense_count], of_rows[dense_count] = dense_row[term], factor
            dense_count += 1
            continue
        begin, count = starts[term], starts[term + 1] - starts[term]
        steps = bytes_at(segment[S_BOUND_STEPS] + begin, count)
        size = segment[S_BOUND_LABS_BYTES]
        address = segment[S_BOUND_LABS] + begin * size
        if size == 2:  # noqa: PLR2004 - bytes
            labs = shorts_at(address, count)
            for entry in range(count):
                totals[labs[entry]] += factor * np.float32(steps[entry] if weighed else 1)
        else:
            more_labs = words_at(address, count)
            for entry in range(count):
                totals[more_labs[entry]] += factor * np.float32(steps[entry] if weighed else 1)
    if dense_count:
        _add_full(segment, rows[:dense_count], of_rows, weighed, totals)


@kernel
def _add_full(segment: Longs, rows: Longs, factors: Floats, weighed: bool, totals: Floats) -> None:  # noqa: FBT001 - called by kernels only
    """Add the terms stored as dense rows, four at a time."""
    labs, dense = len(totals), segment[S_DENSE]
    for begin in range(0, labs, _BLOCK):
        size = min(_BLOCK, labs - begin)
        block = totals[begin : begin + size]
        row = 0
        while row < len(rows):
            first = bytes_at(dense + rows[row] * labs + begin, size)
            factor = factors[row]
            if row + 4 > len(rows):
                if weighed:
                    for lab in range(size):
                        block[lab] += factor * np.float32(first[lab])
                else:
                    for lab in range(size):
                        block[lab] += factor if first[lab] else np.float32(0)
                row += 1
                continue
            second = bytes_at(dense + rows[row + 1] * labs + begin, size)
            third = bytes_at(dense + rows[row + 2] * labs + begin, size)
            fourth = bytes_at(dense + rows[row + 3] * labs + begin, size)
            second_factor, third_factor, fourth_factor = factors[row + 1], factors[row + 2], factors[row + 3]
            if weighed:
                for lab in range(size):
                    block[lab] += (
                        factor * np.float32(first[lab])
                        + second_factor * np.float32(second[lab])
                        + third_factor * np.float32(third[lab])
                        + fourth_factor * np.float32(fourth[lab])
                    )
            else:
                for lab in range(size):
                    block[lab] += (
                        factor * np.float32(first[lab] != 0)
                        + second_factor * np.float32(second[lab] != 0)
                        + third_factor * np.float32(third[lab] != 0)
                        + fourth_factor * np.float32(fourth[lab] != 0)
                    )
            row += 4


@kernel
def leave_out_unfit(segment: Longs, terms: Terms, ints: Longs, floats: Doubles, bounds: Floats) -> None:
    """Set the bounds of labs to 0 whose supports and bounds for all parts put them below the floor for certain.

    `bounds` are those for the first vector; where they are 0 already, they stay so.
    """
    count, may_fit = ints[Q_TERMS], np.zeros(len(bounds), np.bool_)
    part_at, word_at = Q_NUMBERS + count, ints[Q_VECTORS] * count
    for _ in range(ints[Q_PARTS]):
        names, members = ints[part_at + P_NAMES], ints[part_at + P_TERMS]
        first_term = part_at + P_BEGIN + names
        if ints[part_at + P_VECTOR] >= 0:
            weights = np.zeros(count, np.float64)
            for place in range(first_term, first_term + members):
                weights[ints[place]] += floats[word_at + 1 + ints[place + members]]
            scores = bounds
            if ints[part_at + P_VECTOR]:  # the bounds are those of the first vector
                scores = np.empty(len(bounds), np.float32)
                upper_bounds(segment, terms, floats[ints[part_at + P_VECTOR] * count :][:count], scores)
            _keep_by_words(upper_supports(segment, terms, weights), scores, floats[word_at], may_fit)
        if names:
            weights = np.zeros(count, np.float64)
            for place in range(part_at + P_BEGIN, first_term):
                weights[ints[place]] = 1.0
            may_fit |= upper_supports(segment, terms, weights) > 0
        word_at += 1 + ints[part_at + P_WORDS]
        part_at = first_term + 2 * members + ints[part_at + P_SURE]
    for lab in range(len(bounds)):
        if not may_fit[lab]:
            bounds[lab] = 0


@kernel
def _keep_by_words(supports: Floats, scores: Floats, least_score: np.float64, may_fit: Flags) -> None:
    """Mark the labs whose support and score for a part may suffice."""
    for lab in range(len(may_fit)):
        # Without branches, because they would be mispredicted.
        enough = (supports[lab] >= LEAST_SUPPORT) & (scores[lab] >= least_score)
        may_fit[lab] |= enough & (scores[lab] * supports[lab] >= SURE * LEAST_PRODUCT)
