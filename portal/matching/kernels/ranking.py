"""The best labs of one segment that fit; see `portal.matching.ranking`, `scoring` and `floor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.kernels.best import BestLabs, is_before, push, sink, swap
from portal.matching.kernels.bounds import leave_out_unfit, upper_bounds
from portal.matching.kernels.entries import Entries, fetch_labs, gather, room_for
from portal.matching.kernels.floor import fits
from portal.matching.kernels.layout import (
    Q_TERMS,
    Q_VECTORS,
    S_FIRST_ROW,
    S_INVERSE_FOCUS,
    S_KEY_ORDER,
    S_LABS,
    S_MOST_ROWS,
)
from portal.matching.kernels.memory import floats_at, ints_at, kernel, longs_at
from portal.matching.kernels.terms import find_terms
from portal.matching.scoring import FINE, ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.terms import Terms

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]

_SPARE = 8
"""So many more labs than wanted are scored at once, as bounds do not order labs exactly."""
_BATCH = 128
"""At most so many are scored at once after that; each time twice as many, as often a few decide."""
_GROUP = 64
_UNFIT, _UNFIT_IN = 16, 1024
"""After so many labs that do not fit (plus one per so many labs of the segment) the floor is checked for all labs."""


class Scratch(NamedTuple):
    """Scratch memory for scoring one lab: its entries, the terms it has, sums by row, scores by vector."""

    entries: Entries
    present: Flags
    sums: Longs
    scores: Doubles


@kernel
def sum_products(entries: Entries, count: int, floats: Doubles, begin: int, sums: Longs, rows: int) -> None:
    """For each row the dot product of a lab's entries with the vector that begins there, in multiples of 1/2^50."""
    for row in range(rows):
        sums[row] = 0
    for entry in range(count):
        product = floats[np.uint64(begin + entries.query_terms[entry])] * entries.values[entry]
        sums[entries.rows[entry]] += np.int64(np.rint(product * FINE))


@kernel
def _score(sums: Longs, works: int, inverse_focus: np.float32) -> np.float64:
    """The score of a lab with these dot products of its rows: its works and, last, its profile."""
    first = second = third = np.int64(0)
    total = sums[works] * PROFILE_WEIGHT
    for work in range(works):
        value = sums[work]
        total += value
        # By maxima and minima, because branches would be mispredicted.
        first, value = max(first, value), min(first, value)
        second, value = max(second, value), min(second, value)
        third = max(third, value)
    focus = np.float64(total) / FINE * inverse_focus
    best = np.float64(first + second + third) / FINE
    score: np.float64 = np.rint((FOCUS_SHARE * focus + (1 - FOCUS_SHARE) / BEST_WORKS * best) * ROUNDING) / ROUNDING
    return score


@kernel
def _largest(bounds: Ints, largest: Ints) -> None:
    """The largest bound in each group of labs."""
    for group in range(len(largest)):
        group_bounds = bounds[group * _GROUP : min((group + 1) * _GROUP, len(bounds))]
        most = np.int32(0)
        for lab in range(len(group_bounds)):
            most = max(most, group_bounds[lab])
        largest[group] = most


@kernel
def _edge(largest: Ints, size: int, least: float) -> np.int64:
    """The bits of a bound that about `size` labs (or a few more) reach; these are scored next."""
    as_float = np.full(1, least, np.float32)
    edge = np.int64(max(as_float.view(np.int32)[0] + (as_float[0] < least), 1))
    reaching = np.empty(len(largest), np.int32)
    count = 0
    for bound in largest:
        if bound >= edge:
            reaching[count] = bound
            count += 1
    if count <= size:
        return edge
    return _nth_largest(reaching[:count], size)


@kernel
def _reaches(least: float, edge: np.int64) -> bool:
    """Whether a score reaches a bound that is given by its bits."""
    bound: np.float32 = np.full(1, edge, np.int32).view(np.float32)[0]
    return bool(least >= bound)


@kernel
def _nth_largest(values: Ints, wanted: int) -> np.int64:
    """The `wanted`-th largest of some numbers. Reorders them."""
    low, high, target = 0, len(values) - 1, wanted - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        left, right = low, high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left, right = left + 1, right - 1
        if target <= right:
            high = right
        elif target >= left:
            low = left
        else:
            break
    return np.int64(values[target])


@kernel
def _candidates(bounds: Ints, largest: Ints, edge: np.int64) -> Longs:
    """The labs whose bounds reach `edge`, largest bounds first."""
    groups = 0
    for group in range(len(largest)):
        groups += largest[group] >= edge
    candidates = np.empty(groups * _GROUP, np.int64)
    count = 0
    for group in range(len(largest)):
        if largest[group] >= edge:
            for lab in range(group * _GROUP, min((group + 1) * _GROUP, len(bounds))):
                if bounds[lab] >= edge:
                    candidates[count] = np.int64(bounds[lab]) << 32 | lab
                    count += 1
    candidates = candidates[:count]
    candidates.sort()
    for place in range(count):
        candidates[place] &= 0xFFFFFFFF
    return candidates[::-1]


@kernel
def _score_lab(segment: Longs, terms: Terms, ints: Longs, floats: Doubles, lab: int, scratch: Scratch) -> int:
    """Collect the entries of a lab and compute its scores for all vectors. Returns the number of entries."""
    first = longs_at(segment[S_FIRST_ROW], 1)
    count = gather(segment, terms, lab, scratch.entries)
    rows = first[lab + 1] - first[lab]
    for vector in range(len(scratch.scores)):
        sum_products(scratch.entries, count, floats, vector * ints[Q_TERMS], scratch.sums, rows)
        scratch.scores[vector] = _score(scratch.sums, rows - 1, floats_at(segment[S_INVERSE_FOCUS], 1)[lab])
    return count


@kernel
def _lab_fits(ints: Longs, floats: Doubles, count: int, scratch: Scratch) -> bool:
    """Whether the lab that was scored is above the floor."""
    for entry in range(count):
        scratch.present[scratch.entries.query_terms[entry]] = True
    lab_fits = fits(ints, floats, scratch.present, scratch.scores)
    for entry in range(count):
        scratch.present[scratch.entries.query_terms[entry]] = False
    return lab_fits


@kernel
def _add_best(
    segment: Longs, terms: Terms, ints: Longs, floats: Doubles, bounds: Floats, least: float, best: BestLabs
) -> int:
    """Write the best labs that fit and reach `least` into `best`. Returns their number."""
    bits = bounds.view(np.int32)  # floats that are not negative are in the order of their bits
    largest = np.empty((len(bounds) + _GROUP - 1) // _GROUP, np.int32)
    wanted, count, unfit, narrowed = len(best.labs), 0, 0, False
    vectors, rows = np.empty(ints[Q_VECTORS], np.float64), np.empty(segment[S_MOST_ROWS], np.int64)
    scratch = Scratch(room_for(segment, terms), np.zeros(ints[Q_TERMS], np.bool_), rows, vectors)
    size = wanted + _SPARE
    while True:
        _largest(bits, largest)
        edge = _edge(largest, size, least)
        candidates = _candidates(bits, largest, edge)
        if not len(candidates):
            return count
        fetch_labs(segment, terms, candidates)
        for lab in candidates:
            if bounds[lab] < least:
                return count  # the bounds of all later labs are no larger
            bounds[lab] = 0
            entry_count = _score_lab(segment, terms, ints, floats, lab, scratch)
            score = scratch.scores[0]
            if score < least or (count == wanted and not is_before(score, lab, best.scores[0], best.labs[0], best)):
                continue
            if _lab_fits(ints, floats, entry_count, scratch):
                count = push(score, lab, count, best)
                least = best.scores[0] if count == wanted else least
                continue
            unfit += 1
            if not narrowed and unfit > _UNFIT + len(bounds) // _UNFIT_IN:
                leave_out_unfit(segment, terms, ints, floats, bounds)
                narrowed = True
                break
        else:
            if _reaches(least, edge):
                return count
        size = min(2 * size, _BATCH)


@kernel
def rank_segment(
    segment: Longs, ints: Longs, floats: Doubles, gone: Longs, wanted: int, least: float, space: Floats
) -> tuple[Doubles, Longs]:
    """The scores and positions of the `wanted` best labs of a segment that fit a query and reach `least`.

    Best first, equal ones by key, without the labs at the positions `gone`. Overwrites `space`, which must have room
    for all labs.
    """
    terms = find_terms(segment, ints)
    labs = segment[S_LABS]
    most = min(wanted, labs) if len(terms.places) or len(terms.rare_query_terms) else 0
    best = BestLabs(np.empty(most, np.float64), np.empty(most, np.int64), ints_at(segment[S_KEY_ORDER], labs))
    if not most:
        return best.scores, best.labs
    bounds = space[:labs]
    upper_bounds(segment, terms, floats[: ints[Q_TERMS]], bounds)
    for lab in gone:
        bounds[lab] = 0
    count = _add_best(segment, terms, ints, floats, bounds, least, best)
    for last in range(count - 1, 0, -1):
        swap(best, 0, last)
        sink(best, last)
    return best.scores[:count], best.labs[:count]
