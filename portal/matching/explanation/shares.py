"""What each term of a query adds to the scores of some labs, and which of their best works contain it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE
from portal.matching.results import TermShare
from portal.matching.scoring import DIGITS, cosines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from portal.matching.results import Source
    from portal.matching.scoring import Entries, Slots
    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

NOTHING = 1e-12
_PAIRS = tuple(combinations(range(BEST_WORKS), 2))


class QueryTerm(NamedTuple):
    """A term of the query, summed over its parts: its place in the query's vector, and its coordinate."""

    term: int
    weight: float
    written: str
    source: Source
    via: str


@dataclass(frozen=True, slots=True)
class BestWorks:
    """The best works of some labs: three slots per lab, sorted by the works' keys; `matches` marks those that match."""

    slots: Ints
    cosines: Floats
    matches: NDArray[np.bool_]

    @classmethod
    def of(cls, slots: Slots, entries: Entries, vector: Floats) -> BestWorks:
        """The best works of the labs of `slots` for a vector."""
        cosines = np.append(cosines_of(entries, vector, len(slots.lab)).round(DIGITS), 0.0)
        grid = slots.grid()
        order = (-cosines[grid]).argsort(axis=1, kind="stable")[:, :BEST_WORKS]
        order.sort(axis=1)
        best = grid[np.arange(len(grid))[:, None], order]
        best_cosines = cosines[best]
        return cls(best, best_cosines, best_cosines > NOTHING)


@dataclass(frozen=True, slots=True)
class Shares:
    """What the terms of a query add to the scores of some labs: `values[t, l]` × coordinate for term t in lab l.

    `bearers[t, l]` says which of the lab's best works contain the term, strongest first, as a place in `_BEARERS`.
    """

    values: Floats
    bearers: NDArray[np.uint8]

    @classmethod
    def of(cls, terms: int, segment: Segment, slots: Slots, entries: Entries, best: BestWorks) -> Shares:
        """The shares of `terms` terms in the labs of `slots`."""
        labs = len(slots.positions)
        cells, lab = terms * labs, slots.lab[entries.slots]
        cell = entries.query_terms * labs + lab
        inverse = segment.inverse_focus[slots.positions].astype(np.float64)
        focus = np.bincount(cell, slots.factors()[entries.slots] * entries.values * inverse[lab], cells)
        ordinal = np.full(len(slots.lab) + 1, -1, dtype=np.int64)
        ordinal[best.slots[best.matches]] = np.broadcast_to(np.arange(BEST_WORKS), best.slots.shape)[best.matches]
        best_work = ordinal[entries.slots]
        in_best_works = (best_work >= 0).nonzero()[0]
        carried = np.zeros((BEST_WORKS, cells))
        carried[best_work[in_best_works], cell[in_best_works]] = entries.values[in_best_works]
        bearers = (carried > 0).sum(axis=0, dtype=np.uint8) << np.uint8(len(_PAIRS))
        for bit, (first, second) in enumerate(_PAIRS):
            bearers |= (carried[first] >= carried[second]).view(np.uint8) << np.uint8(bit)
        values = FOCUS_SHARE * focus + (1 - FOCUS_SHARE) / BEST_WORKS * carried.sum(axis=0)
        return cls(values.reshape(terms, labs), bearers.reshape(terms, labs))

    def of_terms(self, query_terms: Sequence[QueryTerm], best: Sequence[Sequence[int]]) -> LabShares:
        """The shares of `query_terms`, which are sorted; `best` has the best works of every lab."""
        terms = np.array([term.term for term in query_terms], dtype=np.int64)
        values = self.values[terms] * np.array([term.weight for term in query_terms])[:, None]
        ordinal, lab = values.nonzero()
        shares = values[ordinal, lab]
        order = np.lexsort((-shares, lab))
        ordinal, lab = ordinal[order], lab[order]
        bearers = lab * KINDS + self.bearers[terms[ordinal], lab]
        ends = np.bincount(lab, minlength=len(best)).cumsum()
        return LabShares(ordinal.tolist(), shares[order].tolist(), bearers.tolist(), ends.tolist(), best)


class LabShares(NamedTuple):
    """The shares of terms, lab by lab, largest first.

    Share s is `shares[s]`, of the query term at `term_places[s]`. `bearers[s]` says which works contain the term:
    `KINDS` × the lab's ordinal + a place in `_BEARERS`. The shares of lab l end before `ends[l]`. `best` has the best
    works of each lab, as places among its works.
    """

    term_places: list[int]
    shares: list[float]
    bearers: list[int]
    ends: list[int]
    best: Sequence[Sequence[int]]

    def in_words(self, query_terms: Sequence[QueryTerm], works: Sequence[Sequence[str]]) -> list[tuple[TermShare, ...]]:
        """For each lab one share per term and source; they add up to the score.

        `works` has the work keys of every lab.
        """
        _, _, written, source, via = zip(*query_terms, strict=True) if query_terms else [()] * 5
        term_places, best = self.term_places, list(map(_best_of, self.best, works))
        columns = (
            map(written.__getitem__, term_places),
            self.shares,
            map(source.__getitem__, term_places),
            [_BEARERS[code % KINDS](best[code // KINDS]) for code in self.bearers],
            map(via.__getitem__, term_places),
        )
        shares = list(map(_share, zip(*columns, strict=True)))
        return [tuple(shares[begin:end]) for begin, end in zip([0, *self.ends], self.ends, strict=False)]


_share = partial(tuple.__new__, TermShare)
"""The same as `TermShare._make`, but entirely in C: a resume has thousands."""
KINDS = (BEST_WORKS + 1) << len(_PAIRS)


def _best_of(places: Sequence[int], works: Sequence[str]) -> tuple[str, ...]:
    """The keys of a lab's best works, given by place; all its works if it has no more than that."""
    keys: tuple[str, ...] = itemgetter(*places)(works) if len(works) > BEST_WORKS else tuple(works)
    return keys


def _pickers() -> list[Callable[[tuple[str, ...]], tuple[str, ...]]]:
    pickers: list[Callable[[tuple[str, ...]], tuple[str, ...]]] = []
    for count, *bits in product(range(BEST_WORKS + 1), *[(0, 1)] * len(_PAIRS)):
        wins = [0] * BEST_WORKS
        for (first, second), first_wins in zip(_PAIRS, reversed(bits), strict=True):
            wins[first if first_wins else second] += 1
        order = sorted(range(BEST_WORKS), key=lambda work: -wins[work])[:count]
        pickers.append(_picking(order))
    return pickers


def _picking(places: Sequence[int]) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """A function that picks the keys at these places, as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    first = next(iter(places), 0)
    return itemgetter(slice(first, first + len(places)))


_BEARERS = _pickers()
"""Functions that pick the best works with a term, indexed by how many contain it and by pairwise comparisons."""
