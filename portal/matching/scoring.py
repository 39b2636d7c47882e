"""Scores of labs for a query vector, and what of the postings they are made of.

score = ½ · cosine with the lab's focus + ½ · (sum of the cosines of its three best works) / 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.formula import BEST_WORKS, FOCUS_SHARE, PROFILE_WEIGHT
from portal.matching.hashing import term_numbers
from portal.matching.postings import LOG_COUNT
from portal.matching.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.segment import Segment

_DIGITS = 12
"""Scores are rounded, so that they do not depend on the order of sums."""
_WIDEST = 64
_FEW_PER_LAB = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """The terms of a query with their coordinates: `vectors[0]` is the whole query, the others are parts of it."""

    keys: Sequence[str]
    numbers: NDArray[np.uint64]
    vectors: NDArray[np.float64]

    @classmethod
    def of(cls, keys: Sequence[str], vectors: NDArray[np.float64]) -> Asked:
        """The terms with these keys, which are sorted; `vectors` has a column for each."""
        return cls(keys, term_numbers(keys), vectors)


@dataclass(frozen=True, slots=True)
class Located:
    """The terms of a query that occur in a segment: `which` of the query, and `terms` of the segment's postings."""

    which: NDArray[np.int64]
    terms: NDArray[np.int64]

    @classmethod
    def of(cls, segment: Segment, asked: Asked) -> Located:
        """Find the terms of a query."""
        places = segment.postings.table.find_all(asked.numbers)
        which = np.flatnonzero(places >= 0)
        return cls(which, places[which])


@dataclass(frozen=True, slots=True)
class Entries:
    """What some labs have of a query's terms.

    Entry e: the term `which[e]` of the query stands in row `rows[e]` of the lab `labs[e]` (a place in the list
    of labs that was asked for), with the coordinate `values[e]`. By term, then by row.
    """

    which: NDArray[np.int64]
    labs: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Labs with their scores: `scores[v, i]` for vector v, and whether lab i has term t in `present[t, i]`."""

    scores: NDArray[np.float64]
    present: NDArray[np.bool_]


def entries_of(segment: Segment, located: Located, positions: NDArray[np.int64]) -> Entries:
    """What the labs at `positions` (rising) have of the located terms."""
    postings, rows = segment.postings, segment.rows
    begins, ends = postings.starts[located.terms], postings.starts[located.terms + 1]
    sizes = ends - begins
    few = sizes <= _FEW_PER_LAB * len(positions)
    of_term = np.repeat(np.flatnonzero(few), sizes[few])
    entries = ranges(begins[few], sizes[few])
    labs = rows.lab[postings.rows[entries]]
    place = np.minimum(np.searchsorted(positions, labs), len(positions) - 1)
    kept = positions[place] == labs
    found = [(of_term[kept], place[kept], entries[kept])]
    many = np.flatnonzero(~few)
    if len(many):
        edges = np.empty(2 * len(positions), dtype=np.int32)
        edges[0::2], edges[1::2] = rows.first[positions], rows.first[positions + 1]
        cuts = np.array(
            [
                postings.rows[begin:end].searchsorted(edges)
                for begin, end in zip(begins[many].tolist(), ends[many].tolist(), strict=True)
            ]
        )
        lengths = (cuts[:, 1::2] - cuts[:, 0::2]).ravel()
        firsts = (cuts[:, 0::2] + begins[many][:, None]).ravel()
        found.append(
            (
                np.repeat(np.repeat(many, len(positions)), lengths),
                np.repeat(np.tile(np.arange(len(positions)), len(many)), lengths),
                ranges(firsts, lengths),
            )
        )
    terms, places, at = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if len(many) and len(many) < len(few):
        order = np.argsort(terms, kind="stable")
        terms, places, at = terms[order], places[order], at[order]
    in_rows = postings.rows[at].astype(np.int64)
    values = LOG_COUNT[postings.counts[at]] * segment.idf[located.terms[terms]].astype(np.float64)
    return Entries(located.which[terms], places, in_rows, values * segment.inverse_length[in_rows])


def lab_scores(segment: Segment, positions: NDArray[np.int64], asked: Asked, located: Located) -> Scored:
    """The scores of the labs at `positions` (rising); fewer than three works are padded with zeros."""
    entries = entries_of(segment, located, positions)
    first = segment.rows.first[positions]
    counts = segment.rows.first[positions + 1] - first
    offsets = np.cumsum(counts) - counts
    slots = offsets[entries.labs] + entries.rows - first[entries.labs]
    total = int(counts.sum())
    layout = _Layout.of(counts, offsets)
    scores = np.empty((len(asked.vectors), len(positions)))
    for number, vector in enumerate(asked.vectors):
        cosines = _sums(slots, vector[entries.which] * entries.values, total)
        focus = layout.focus(cosines) * segment.inverse_focus[positions]
        scores[number] = (FOCUS_SHARE * focus + (1 - FOCUS_SHARE) * layout.best(cosines) / BEST_WORKS).round(_DIGITS)
    present = np.zeros((len(asked.numbers), len(positions)), dtype=bool)
    present[entries.which, entries.labs] = True
    return Scored(scores, present)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The rows of some labs in one array: lab i has `counts[i]` from `offsets[i]` on, the last one is its profile."""

    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    factors: NDArray[np.float64]
    grid: NDArray[np.int64] | None

    @classmethod
    def of(cls, counts: NDArray[np.int64], offsets: NDArray[np.int64]) -> _Layout:
        factors = np.ones(int(counts.sum()))
        factors[offsets + counts - 1] = PROFILE_WEIGHT
        widest = int(counts.max(initial=0)) - 1
        grid = None
        if widest <= _WIDEST:
            steps = np.arange(max(widest, BEST_WORKS))
            grid = np.where(steps < (counts - 1)[:, None], offsets[:, None] + steps, len(factors))
        return cls(counts, offsets, factors, grid)

    def focus(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """By lab the sum of its rows' cosines, the profile's weighed."""
        if not len(cosines):
            return np.zeros(0)
        found: NDArray[np.float64] = np.add.reduceat(cosines * self.factors, self.offsets)
        return found

    def best(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """By lab the sum of the cosines of its best works, added from the best on."""
        if self.grid is not None:
            by_work = np.sort(np.append(cosines, 0.0)[self.grid], axis=1)
            found: NDArray[np.float64] = by_work[:, -1] + by_work[:, -2] + by_work[:, -3]
            return found
        lab = np.repeat(np.arange(len(self.counts)), self.counts)
        works = np.where(np.arange(len(cosines)) == (self.offsets + self.counts - 1)[lab], -1.0, cosines)
        order = np.lexsort((-works, lab))
        place = np.arange(len(works)) - self.offsets[lab]
        best = order[(place < BEST_WORKS) & (works[order] >= 0)]
        return _sums(lab[best], works[best], len(self.counts))


def _sums(places: NDArray[np.int64], values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """By place the sum of the values, added in their order."""
    return np.bincount(places, weights=values, minlength=count).astype(np.float64, copy=False)


def scores_of_one(segment: Segment, position: int, asked: Asked) -> Scored:
    """The scores of one lab."""
    return lab_scores(segment, np.array([position]), asked, Located.of(segment, asked))


def focus_of(segment: Segment, position: int, asked: Asked) -> NDArray[np.float64]:
    """What a lab's focus has of each of the terms."""
    entries = entries_of(segment, Located.of(segment, asked), np.array([position]))
    profile = segment.rows.first[position + 1] - 1
    factors = np.where(entries.rows == profile, PROFILE_WEIGHT, 1.0) * segment.inverse_focus[position]
    return _sums(entries.which, factors * entries.values, len(asked.keys))
