"""Splits postings into blocks of terms, and groups the entries of a block by lab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.segments.postings import LOG_COUNT
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from portal.matching.segments.postings import Postings
    from portal.matching.segments.rows import Rows

_ENTRIES = 4_000_000
"""Entries handled at once where temporary copies are made."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some terms, the places of their entries, and in `sizes` the number of entries of each term."""

    terms: NDArray[np.int64]
    entries: NDArray[np.int64] | slice
    sizes: NDArray[np.int64]

    def spread(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Repeat one value per term for each of its entries."""
        return np.repeat(values[self.terms].astype(np.float64), self.sizes)


def blocks(starts: NDArray[np.integer[Any]]) -> Iterator[Block]:
    """All terms, in blocks of at most a few million entries (a block has at least one term)."""
    for first, last in _cuts(starts):
        sizes = np.diff(starts[first : last + 1])
        yield Block(np.arange(first, last), slice(int(starts[first]), int(starts[last])), sizes)


def blocks_of(terms: NDArray[np.int64], starts: NDArray[np.integer[Any]]) -> Iterator[Block]:
    """The terms `terms`, in blocks of at most a few million entries (a block has at least one term)."""
    begins = starts[terms].astype(np.int64)
    sizes = starts[terms + 1] - begins
    for first, last in _cuts(np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))):
        yield Block(terms[first:last], ranges(begins[first:last], sizes[first:last]), sizes[first:last])


def _cuts(starts: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(starts, int(starts[first]) + _ENTRIES, side="right")) - 1
        last = min(max(first + 1, last), len(starts) - 1)
        yield first, last
        first = last


@dataclass(frozen=True, slots=True)
class ByLab:
    """Entries grouped by term and lab: group g begins at `heads[g]` and belongs to lab `labs[g]`, term `terms[g]`.

    `values` are the coordinates of the rows; `is_work` is False for profiles.
    """

    heads: NDArray[np.int64]
    labs: NDArray[np.int32]
    terms: NDArray[np.int64]
    values: NDArray[np.float64]
    is_work: NDArray[np.bool_]

    def sums(self, profile_weight: float) -> NDArray[np.float64]:
        """For each group, the sum of the works' values plus `profile_weight` × the profile's value."""
        return _sums(np.where(self.is_work, self.values, profile_weight * self.values), self.heads)

    def largest(self, count: int) -> NDArray[np.float64]:
        """For each group, the sum of the `count` largest values of works."""
        values = np.where(self.is_work, self.values, 0.0)
        sizes = np.diff(np.append(self.heads, len(values)))
        places = np.flatnonzero(np.repeat(sizes > count, sizes))
        if len(places):
            groups = np.repeat(np.arange(len(sizes)), sizes)[places]
            order = np.lexsort((-values[places], groups))
            begins = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
            rank = np.arange(len(places)) - np.repeat(begins, np.diff(np.append(begins, len(places))))
            values[places[order[rank >= count]]] = 0.0
        return _sums(values, self.heads)


def _sums(values: NDArray[np.float64], heads: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each group, the sum of its values, added one by one in the order in which kernels add them."""
    sizes = np.diff(np.append(heads, len(values)))
    return np.bincount(np.arange(len(heads)).repeat(sizes), values, len(heads)).astype(np.float64, copy=False)


def by_lab(
    block: Block, rows: Rows, postings: Postings, idf: NDArray[np.float32], inverse_length: NDArray[np.float32]
) -> ByLab:
    """The entries of a block, grouped by term and lab."""
    entry_rows = postings.rows[block.entries]
    labs = rows.lab[entry_rows]
    terms = np.repeat(block.terms, block.sizes)
    changes = (labs[1:] != labs[:-1]) | (terms[1:] != terms[:-1])
    heads = np.flatnonzero(np.concatenate((np.ones(min(1, len(labs)), dtype=bool), changes)))
    values = LOG_COUNT[postings.counts[block.entries]] * block.spread(idf) * inverse_length[entry_rows]
    return ByLab(heads, labs[heads], terms[heads], values, rows.is_work(entry_rows))
