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
def _best_works(sums: Longs, best: Longs, number: Longs) -> None:
    """The three works with the largest cosines, in the order of the works, -1 for none; `number` is how many match.

    `sums` holds the dot products of all rows; the last row is the profile.
    """
    works = len(sums) - 1
    best[:] = -1
    cosines = np.zeros(BEST_WORKS, np.float64)
    for work in range(works):
        cosine = np.rint(np.float64(sums[work]) / FINE * ROUNDING) / ROUNDING
        place = BEST_WORKS
        while place > 0 and (best[place - 1] < 0 or cosines[place - 1] < cosine):
            place -= 1
        for behind in range(BEST_WORKS - 1, place, -1):
            best[behind], cosines[behind] = best[behind - 1], cosines[behind - 1]
        if place < BEST_WORKS:
            best[place], cosines[place] = work, cosine
    number[: works + 1] = -1
    for place in range(BEST_WORKS):
        if best[place] >= 0 and cosines[place] > NOTHING:
            number[best[place]] = 0
    count = min(works, BEST_WORKS)
    best[:count].sort()
    for place in range(count):
        if number[best[place]] == 0:
            number[best[place]] = place


@kernel
def _sort_few(values: Doubles, at: Longs, count: int) -> None:
    """Sort the first `count` values, and what belongs to them, stably."""
    for place in range(1, count):
        value, its = values[place], at[place]
        behind = place
        while behind > 0 and values[behind - 1] > value:
            values[behind], at[behind] = values[behind - 1], at[behind - 1]
            behind -= 1
        values[behind], at[behind] = value, its


@kernel
def shares_in_segment(
    segment: Longs, ints: Longs, floats: Doubles, labs: Longs, said: Longs, weights: Doubles
) -> tuple[Longs, Doubles, Longs, Longs, Longs]:
    """For some labs of a segment the shares of the terms `said`, which have the coordinates `weights`.

    Lab by lab, the largest share first: which of `said`, the share, and which works bear it (as a place in `BEARERS`,
    with `KINDS` × the lab's number added); where each lab's shares end; and the best three works of every lab.
    """
    terms = find_terms(segment, ints)
    count = ints[Q_TERMS]
    entries, first = room_for(segment, terms), longs_at(segment[S_FIRST_ROW], 1)
    sums, number = np.empty(segment[S_MOST_ROWS], np.int64), np.empty(segment[S_MOST_ROWS], np.int64)
    focus, carried = np.empty(count, np.float64), np.empty((BEST_WORKS, count), np.float64)
    which, shares = np.empty(len(labs) * len(said), np.int64), np.empty(len(labs) * len(said), np.float64)
    bearers, ends = np.empty(len(which), np.int64), np.empty(len(labs), np.int64)
    best = np.empty((len(labs), BEST_WORKS), np.int64)
    here, at = np.empty(len(said), np.float64), np.empty(len(said), np.int64)
    found = 0
    for place in range(len(labs)):
        lab = labs[place]
        inverse = np.float64(floats_at(segment[S_INVERSE_FOCUS], 1)[lab])
        there, rows = gather(segment, terms, lab, entries), first[lab + 1] - first[lab]
        sum_products(entries, there, floats, 0, sums, rows)
        _best_works(sums[:rows], best[place], number)
        focus[:] = 0.0
        carried[:] = 0.0
        for entry in range(there):
            term, row, value = entries.which[entry], entries.rows[entry], entries.values[entry]
            focus[term] += (value if row < rows - 1 else PROFILE_WEIGHT * value) * inverse
            if number[row] >= 0:
                carried[number[row], term] = value
        nonzero = 0
        for spoken in range(len(said)):
            term = said[spoken]
            in_works = carried[0, term] + carried[1, term] + carried[2, term]
            share = (FOCUS_SHARE * focus[term] + (1 - FOCUS_SHARE) / BEST_WORKS * in_works) * weights[spoken]
            if share:
                here[nonzero], at[nonzero] = -share, spoken
                nonzero += 1
        if nonzero > _FEW:
            order = np.argsort(here[:nonzero], kind="mergesort")
            here[:nonzero], at[:nonzero] = here[order], at[order]
        else:
            _sort_few(here, at, nonzero)
        for ranked in range(nonzero):
            term = said[at[ranked]]
            one, two, three = carried[0, term], carried[1, term], carried[2, term]
            which[found], shares[found] = at[ranked], -here[ranked]
            kind = ((one > 0) + (two > 0) + (three > 0)) << 3 | (two >= three) << 2 | (one >= three) << 1 | (one >= two)
            bearers[found] = place * KINDS + kind
            found += 1
        ends[place] = found
    return which[:found], shares[:found], bearers[:found], ends, best.ravel()
