"""What each term of a query adds to the scores of some labs; see `portal.matching.explanation.shares`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.explanation.shares import KINDS, NOTHING
from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.kernels.entries import gather, room_for
from portal.matching.kernels.layout import Q_TERMS, S_FIRST_ROW, S_INVERSE_FOCUS, S_MOST_ROWS
from portal.matching.kernels.memory import floats_at, kernel, longs_at
from portal.matching.kernels.ranking import sum_products
from portal.matching.kernels.terms import find_terms
from portal.matching.scoring import FINE, ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Doubles = NDArray[np.float64]


_FEW = 32
"""Up to so many values are sorted in place, without allocating memory."""


@kernel
def _best_works(sums: Longs, best: Longs, ordinal: Longs) -> None:
    """Write the three works with the largest cosines into `best`, in the order of the works, -1 for none.

    `sums` has the dot products of all rows, the last of which is the profile. Writes into `ordinal` for every row its
    place in `best`, -1 if it is not there or does not match.
    """
    works = len(sums) - 1
    best[:] = -1
    cosines = np.zeros(BEST_WORKS, np.float64)
    for work in range(works):
        cosine = np.rint(np.float64(sums[work]) / FINE * ROUNDING) / ROUNDING
        place = BEST_WORKS
        while place > 0 and (best[place - 1] < 0 or cosines[place - 1] < cosine):
            place -= 1
        for following in range(BEST_WORKS - 1, place, -1):
            best[following], cosines[following] = best[following - 1], cosines[following - 1]
        if place < BEST_WORKS:
            best[place], cosines[place] = work, cosine
    ordinal[: works + 1] = -1
    for place in range(BEST_WORKS):
        if best[place] >= 0 and cosines[place] > NOTHING:
            ordinal[best[place]] = 0
    count = min(works, BEST_WORKS)
    best[:count].sort()
    for place in range(count):
        if ordinal[best[place]] == 0:
            ordinal[best[place]] = place


@kernel
def _sort_few(values: Doubles, ordinals: Longs, count: int) -> None:
    """Sort the first `count` values stably, and `ordinals` along with them."""
    for place in range(1, count):
        value, ordinal = values[place], ordinals[place]
        target = place
        while target > 0 and values[target - 1] > value:
            values[target], ordinals[target] = values[target - 1], ordinals[target - 1]
            target -= 1
        values[target], ordinals[target] = value, ordinal


@kernel
def shares_in_segment(
    segment: Longs, ints: Longs, floats: Doubles, labs: Longs, query_terms: Longs, weights: Doubles
) -> tuple[Longs, Doubles, Longs, Longs, Longs]:
    """For some labs of a segment the shares of the terms `query_terms`, which have the coordinates `weights`.

    Returns, lab by lab and the largest share first: the place in `query_terms`, the share, and which works contain the
    term (a place in `_BEARERS` plus `KINDS` × the lab's place). Then, for every lab, where its shares end, and its best
    three works.
    """
    terms = find_terms(segment, ints)
    count = ints[Q_TERMS]
    entries, first = room_for(segment, terms), longs_at(segment[S_FIRST_ROW], 1)
    sums, ordinal = np.empty(segment[S_MOST_ROWS], np.int64), np.empty(segment[S_MOST_ROWS], np.int64)
    focus, carried = np.empty(count, np.float64), np.empty((BEST_WORKS, count), np.float64)
    term_places, shares = (
        np.empty(len(labs) * len(query_terms), np.int64),
        np.empty(len(labs) * len(query_terms), np.float64),
    )
    bearers, ends = np.empty(len(term_places), np.int64), np.empty(len(labs), np.int64)
    best = np.empty((len(labs), BEST_WORKS), np.int64)
    lab_shares, lab_terms = np.empty(len(query_terms), np.float64), np.empty(len(query_terms), np.int64)
    share_count = 0
    for lab_place in range(len(labs)):
        lab = labs[lab_place]
        inverse = np.float64(floats_at(segment[S_INVERSE_FOCUS], 1)[lab])
        entry_count, rows = gather(segment, terms, lab, entries), first[lab + 1] - first[lab]
        sum_products(entries, entry_count, floats, 0, sums, rows)
        _best_works(sums[:rows], best[lab_place], ordinal)
        focus[:] = 0.0
        carried[:] = 0.0
        for entry in range(entry_count):
            term, row, value = entries.query_terms[entry], entries.rows[entry], entries.values[entry]
            focus[term] += (value if row < rows - 1 else PROFILE_WEIGHT * value) * inverse
            if ordinal[row] >= 0:
                carried[ordinal[row], term] = value
        nonzero = 0
        for place in range(len(query_terms)):
            term = query_terms[place]
            sum_in_works = carried[0, term] + carried[1, term] + carried[2, term]
            share = (FOCUS_SHARE * focus[term] + (1 - FOCUS_SHARE) / BEST_WORKS * sum_in_works) * weights[place]
            if share:
                lab_shares[nonzero], lab_terms[nonzero] = -share, place
                nonzero += 1
        if nonzero > _FEW:
            order = np.argsort(lab_shares[:nonzero], kind="mergesort")
            ordered_shares, ordered_terms = lab_shares[order], lab_terms[order]
            for place in range(nonzero):  # numba compiles three seconds for the assignment of a slice
                lab_shares[place], lab_terms[place] = ordered_shares[place], ordered_terms[place]
        else:
            _sort_few(lab_shares, lab_terms, nonzero)
        for ranked in range(nonzero):
            term = query_terms[lab_terms[ranked]]
            in_first, in_second, in_third = carried[0, term], carried[1, term], carried[2, term]
            term_places[share_count], shares[share_count] = lab_terms[ranked], -lab_shares[ranked]
            kind = (
                ((in_first > 0) + (in_second > 0) + (in_third > 0)) << 3
                | (in_second >= in_third) << 2
                | (in_first >= in_third) << 1
                | (in_first >= in_second)
            )
            bearers[share_count] = lab_place * KINDS + kind
            share_count += 1
        ends[lab_place] = share_count
    return term_places[:share_count], shares[:share_count], bearers[:share_count], ends, best.ravel()
