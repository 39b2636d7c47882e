"""Frequent terms, stored by lab, so that scoring the works of a few labs reads only the entries of these labs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from portal.matching.segments.cells import MOST_ROWS, Cells
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.segments.postings import Postings
    from portal.matching.segments.rows import Rows

    Ints = NDArray[np.int64]
    Unsigned = NDArray[np.unsignedinteger[Any]]

FEW_ROWS = 64
"""A term in more rows than this is common."""
FEW_LABS = 48
"""Up to so many labs are scored all at once, so no term of theirs is treated as common."""
MOST = 2**16 - 1
"""The largest number of common terms."""
_NONE = np.zeros(0, dtype=np.int64)
_COUNTS = 256
"""Every count is less than this."""
_MANY = 96
"""For more terms than this, reading all entries of the labs is faster than looking terms up."""


class CommonEntries(NamedTuple):
    """Entries of some terms in some labs: the ordinals of the term and of the lab, the row in the lab, the count."""

    term: Ints
    lab: Ints
    row: Ints
    counts: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Common:
    """The entries of lab l begin at `starts[l]`, sorted by term and then by row.

    Common term i is the term `terms[i]` (rising) of the segment's table. Each entry's cell holds the low bits of i;
    the high bits are the bucket, and the entries of bucket b begin `within[l, b]` after the lab's start.
    """

    terms: Ints
    starts: Unsigned
    within: Unsigned
    cells: Cells

    @staticmethod
    @cache
    def none() -> Common:
        """No terms."""
        cells = Cells.of(_NONE, np.zeros(0, np.uint16), np.zeros(0, np.uint8), 0)
        return Common(_NONE, np.zeros(1, np.uint32), np.zeros((0, 1), np.uint16), cells)

    def places(self, terms: Ints) -> tuple[Ints, Ints]:
        """Which of `terms` are common, and the place of each of these."""
        if not len(self.terms):
            return _NONE, _NONE
        places = np.minimum(self.terms.searchsorted(terms), len(self.terms) - 1)
        ordinals = (self.terms[places] == terms).nonzero()[0]
        return ordinals, places[ordinals]

    def entries(self, terms: Ints, labs: Ints) -> CommonEntries:
        """The entries of the common terms `terms` in `labs`, sorted by lab and row within each term."""
        if len(terms) > _MANY and len(labs):
            return self._entries_by_scan(terms, labs)
        low_bits = self.cells.low_bits
        bucket, width = (terms >> low_bits)[:, None], self.within.shape[1]
        within, edges = self.within.reshape(-1), labs * width + bucket
        begins = within[edges].astype(np.int64)
        sizes = (within[edges + 1] - begins).ravel()
        entries = ranges((begins + self.starts[labs]).ravel(), sizes)
        cell = np.arange(len(sizes)).repeat(sizes)
        ordinals = cell // len(labs)
        matching = (self.cells.low(self.cells.packed[entries]) == (terms & ((1 << low_bits) - 1))[ordinals]).nonzero()[
            0
        ]
        entries, ordinals = entries[matching], ordinals[matching]
        return CommonEntries(
            ordinals, cell[matching] - ordinals * len(labs), self.cells.rows_at(entries), self.cells.counts_at(entries)
        )

    def _entries_by_scan(self, terms: Ints, labs: Ints) -> CommonEntries:
        """The same as `entries`, by reading all entries of the labs."""
        begins, ends = self.starts[labs].astype(np.int64), self.starts[labs + 1].astype(np.int64)
        cells = self.cells
        ordinal = np.zeros(self.within.shape[1] << cells.low_bits, dtype=np.uint16)
        ordinal[terms] = np.arange(1, len(terms) + 1)
        cuts = map(slice, begins.tolist(), ends.tolist())
        ordinals = ordinal.take(self._ids(labs, np.concatenate([cells.packed[cut] for cut in cuts])))
        matching = (ordinals != 0).nonzero()[0]
        sizes = ends - begins
        before = sizes.cumsum() - sizes
        lab = (before + sizes).searchsorted(matching, side="right")
        entries = matching + (begins - before)[lab]
        return CommonEntries(ordinals[matching] - np.int64(1), lab, cells.rows_at(entries), cells.counts_at(entries))

    def _ids(self, labs: Ints, packed: Unsigned) -> NDArray[np.uint16]:
        """The common terms of all entries of `labs`, whose cells are `packed`."""
        within = self.within[labs]
        sizes = (within[:, 1:] - within[:, :-1]).ravel()
        low_bits = self.cells.low_bits
        high = np.arange(0, within.shape[1] - 1 << low_bits, 1 << low_bits, dtype=np.uint16)
        ids: NDArray[np.uint16] = np.broadcast_to(high, (len(labs), len(high))).ravel().repeat(sizes)
        ids |= self.cells.low(packed).astype(np.uint16)
        return ids

    def all_entries(self, rows: Rows) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint8]]:
        """The term's place in the table, the row and the count of every entry. Rows rise within each term."""
        starts = self.starts.astype(np.int64)
        sizes: Ints = starts[1:] - starts[:-1]
        ids = self._ids(np.arange(rows.labs), self.cells.packed)
        entries = np.arange(len(ids))
        in_rows = self.cells.rows_at(entries) + rows.first[:-1].repeat(sizes)
        return self.terms[ids], in_rows.astype(np.int32), self.cells.counts_at(entries)


def common_terms(postings: Postings, rows: Rows) -> Ints:
    """The terms in many rows and many labs; if these are too many, the ones in the most rows."""
    sizes = np.diff(postings.starts)
    are_many = rows.labs > FEW_LABS and _most(rows) <= MOST_ROWS
    terms = np.flatnonzero(sizes > FEW_ROWS) if are_many else sizes[:0]
    if len(terms) > MOST:
        terms = np.sort(terms[np.argsort(-sizes[terms], kind="stable")[:MOST]])
    return terms


def common_by_lab(terms: Ints, is_common: NDArray[np.bool_], postings: Postings, rows: Rows) -> Common:
    """The common terms `terms` by lab; `is_common` marks their entries in the postings."""
    from scipy.sparse import csc_array

    sizes = postings.starts[terms + 1] - postings.starts[terms]
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    in_rows = postings.rows[is_common]
    lab = rows.lab[in_rows]
    in_rows -= rows.first.astype(np.int32)[lab]
    kind: type[np.unsignedinteger[Any]] = np.uint16 if _most(rows) <= _COUNTS else np.uint64
    packed: Unsigned = in_rows.astype(kind)
    del in_rows
    packed *= kind(_COUNTS)
    packed += postings.counts[is_common]
    by_term = csc_array((packed, lab, edges), shape=(rows.labs, len(terms)))
    del packed, lab
    by_lab = by_term.tocsr()
    del by_term
    rows_in_lab, counts = by_lab.data // kind(_COUNTS), (by_lab.data % kind(_COUNTS)).astype(np.uint8)
    cells = Cells.of(by_lab.indices, rows_in_lab, counts, _most(rows))
    buckets = -(-len(terms) >> cells.low_bits)
    starts = by_lab.indptr.astype(np.uint32 if edges[-1] < 2**32 else np.uint64)
    return Common(terms, starts, _within(by_lab.indptr, by_lab.indices, buckets, cells.low_bits), cells)


def _most(rows: Rows) -> int:
    """The largest number of rows of one lab."""
    return int(np.diff(rows.first).max(initial=0))


def _within(starts: Ints, ids: Ints, buckets: int, low_bits: int) -> Unsigned:
    """Where the buckets of every lab begin and end, counted from the lab's start."""
    within = np.zeros(
        (len(starts) - 1, buckets + 1), dtype=np.uint16 if np.diff(starts).max(initial=0) < 1 << 16 else np.uint32
    )
    edges = np.arange(buckets + 1) << low_bits
    for lab, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        within[lab] = ids[begin:end].searchsorted(edges)
    return within
