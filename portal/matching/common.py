"""Terms of many rows, kept by lab: the works of a few labs are scored by reading what these have of a query's terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from portal.matching.counts import Counts
from portal.matching.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.postings import Postings
    from portal.matching.rows import Rows

    Ints = NDArray[np.int64]
    Unsigned = NDArray[np.unsignedinteger[Any]]

FEW_ROWS = 64
"""Terms of more rows are common."""
FEW_LABS = 48
"""So few labs are scored all at once: their terms are kept with those of few rows, whatever they are."""
MOST = 2**16 - 1
"""Common terms."""
_LOW = 8
"""Bits of a term's place that stand with every entry; the others say in which bucket of its lab it is."""
_BUCKET = 1 << _LOW
_NONE = np.zeros(0, dtype=np.int64)
_MANY = 96
"""So many terms are found faster by reading all that the labs have."""


class Found(NamedTuple):
    """Entries of some terms in some labs: which of the terms, which of the labs, the row in the lab, the count."""

    which: Ints
    lab: Ints
    row: Ints
    counts: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Common:
    """The entries of lab l stand from `starts[l]` on by term, and by row for each term.

    Common term i is the term `terms[i]` (rising) of the segment's table. Those of bucket b, i // 256 = b, begin
    `within[l, b]` behind the lab's start; `low` has i % 256 of every entry, `rows` its row within the lab.
    """

    terms: Ints
    starts: Unsigned
    within: Unsigned
    low: NDArray[np.uint8]
    rows: Unsigned
    counts: Counts

    @classmethod
    def none(cls) -> Common:
        """No terms."""
        empty = np.zeros(0, dtype=np.uint8)
        return cls(_NONE, np.zeros(1, np.uint32), np.zeros((0, 1), np.uint16), empty, empty, Counts.of(empty))

    def places(self, terms: Ints) -> tuple[Ints, Ints]:
        """Which of `terms` are common, and the place of each of these."""
        if not len(self.terms):
            return _NONE, _NONE
        places = np.minimum(self.terms.searchsorted(terms), len(self.terms) - 1)
        which = (self.terms[places] == terms).nonzero()[0]
        return which, places[which]

    def entries(self, wanted: Ints, labs: Ints) -> Found:
        """The entries of the common terms `wanted` in `labs`; for every term the labs rise, then the rows."""
        if len(wanted) > _MANY and len(labs):
            return self._read(wanted, labs)
        bucket, width = (wanted >> _LOW)[:, None], self.within.shape[1]
        within, at = self.within.reshape(-1), labs * width + bucket
        begins = within[at].astype(np.int64)
        sizes = (within[at + 1] - begins).ravel()
        entries = ranges((begins + self.starts[labs]).ravel(), sizes)
        cell = np.arange(len(sizes)).repeat(sizes)
        which = cell // len(labs)
        hits = (self.low[entries] == (wanted & (_BUCKET - 1)).astype(np.uint8)[which]).nonzero()[0]
        entries, which = entries[hits], which[hits]
        return Found(
            which, cell[hits] - which * len(labs), self.rows[entries].astype(np.int64), self.counts.at(entries)
        )

    def _read(self, wanted: Ints, labs: Ints) -> Found:
        """As `entries`, by reading all that the labs have."""
        begins, ends = self.starts[labs].astype(np.int64), self.starts[labs + 1].astype(np.int64)
        number = np.zeros(self.within.shape[1] << _LOW, dtype=np.uint16)
        number[wanted] = np.arange(1, len(wanted) + 1)
        cuts = map(slice, begins.tolist(), ends.tolist())
        found = number.take(self._ids(labs, np.concatenate([self.low[cut] for cut in cuts])))
        hits = (found != 0).nonzero()[0]
        sizes = ends - begins
        before = sizes.cumsum() - sizes
        lab = (before + sizes).searchsorted(hits, side="right")
        entries = hits + (begins - before)[lab]
        return Found(found[hits] - np.int64(1), lab, self.rows[entries].astype(np.int64), self.counts.at(entries))

    def _ids(self, labs: Ints, low: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """The common terms of all entries of `labs`."""
        within = self.within[labs]
        sizes = (within[:, 1:] - within[:, :-1]).ravel()
        high = np.arange(0, within.shape[1] - 1 << _LOW, _BUCKET, dtype=np.uint16)
        ids: NDArray[np.uint16] = np.broadcast_to(high, (len(labs), len(high))).ravel().repeat(sizes)
        ids |= low
        return ids

    def all_entries(self, rows: Rows) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint8]]:
        """The term's place in the table, the row and the count of every entry. The rows of a term rise."""
        starts = self.starts.astype(np.int64)
        sizes: Ints = starts[1:] - starts[:-1]
        in_rows = self.rows + rows.first[:-1].repeat(sizes)
        ids = self._ids(np.arange(rows.labs), self.low)
        return self.terms[ids], in_rows.astype(np.int32), self.counts.at(np.arange(len(ids)))


def common_terms(postings: Postings, labs: int) -> Ints:
    """The terms that are in many rows of so many labs; if there are too many, those in most."""
    sizes = np.diff(postings.starts)
    found = np.flatnonzero(sizes > FEW_ROWS) if labs > FEW_LABS else sizes[:0]
    if len(found) > MOST:
        found = np.sort(found[np.argsort(-sizes[found], kind="stable")[:MOST]])
    return found


def common_by_lab(terms: Ints, is_common: NDArray[np.bool_], postings: Postings, rows: Rows) -> Common:
    """The common terms `terms` lab by lab; `is_common` says which entries of the postings are theirs."""
    from scipy.sparse import csc_array

    sizes = postings.starts[terms + 1] - postings.starts[terms]
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    in_rows = postings.rows[is_common]
    lab = rows.lab[in_rows]
    in_rows -= rows.first.astype(np.int32)[lab]
    most = int(np.diff(rows.first).max(initial=0))
    both: type[np.unsignedinteger[Any]] = np.uint16 if most <= _BUCKET else np.uint64
    local: Unsigned = in_rows.astype(both)
    del in_rows
    local *= both(_BUCKET)
    local += postings.counts[is_common]
    by_term = csc_array((local, lab, edges), shape=(rows.labs, len(terms)))
    del local, lab
    turned = by_term.tocsr()
    del by_term
    local = turned.data
    return Common(
        terms,
        turned.indptr.astype(np.uint32 if edges[-1] < 2**32 else np.uint64),
        _within(turned.indptr, turned.indices, (len(terms) + _BUCKET - 1) >> _LOW),
        (turned.indices & (_BUCKET - 1)).astype(np.uint8),
        (local // both(_BUCKET)).astype(np.uint8 if most <= _BUCKET else np.uint32),
        Counts.of(local.astype(np.uint8)),
    )


def _within(starts: Ints, ids: Ints, buckets: int) -> Unsigned:
    """Where the buckets of every lab begin and end behind its start."""
    found = np.zeros(
        (len(starts) - 1, buckets + 1), dtype=np.uint16 if np.diff(starts).max(initial=0) < 1 << 16 else np.uint32
    )
    edges = np.arange(buckets + 1) << _LOW
    for lab, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        found[lab] = ids[begin:end].searchsorted(edges)
    return found
