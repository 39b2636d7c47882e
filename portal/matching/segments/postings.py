"""Postings: for each term, the rows (works and profiles) that contain it, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from portal.matching import compiled
from portal.matching.language.hashing import BITS
from portal.matching.segments.weights import TermTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Entries = tuple["NDArray[np.uint64]", "NDArray[np.int32]", "NDArray[np.uint8]", "NDArray[np.float32]"]
"""For every entry: the number of its term, the row, the count, the weight of the term."""
Scalar = TypeVar("Scalar", bound=np.generic)
_WORD_BITS = 64
_FITS = 2**32
"""Fewer entries than this are counted by 32-bit integers."""
_IN_MEMORY = 48_000_000
"""Occurrences kept in memory; further batches go to disk until all are collected."""
MOST_ROWS_AT_ONCE = 1 << _WORD_BITS - BITS
"""The most rows whose numbers fit into 64 bits together with a term's number."""
MOST_COUNTED = 255
"""Counts are capped at this, so that they fit into a byte."""
LOG_COUNT: NDArray[np.float64] = np.concatenate(([0.0], 1 + np.log(np.arange(1, MOST_COUNTED + 1))))
"""1 + ln of a count, 0 for none."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Term t of `table` is in the rows `rows[starts[t]:starts[t + 1]]` (rising), `counts` times (capped at 255)."""

    table: TermTable
    starts: NDArray[np.integer[Any]]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]

    def without(self, is_emptied: NDArray[np.bool_], is_kept: NDArray[np.bool_]) -> Postings:
        """A copy that keeps only the terms of `is_kept`, and no entries for the terms of `is_emptied`."""
        sizes = np.diff(self.starts)
        entry_is_kept = np.repeat(is_kept & ~is_emptied, sizes)
        ends = np.cumsum(np.where(is_emptied, 0, sizes)[is_kept])
        kind: type[np.integer[Any]] = np.uint32 if len(entry_is_kept) < _FITS else np.int64
        starts = np.concatenate((np.zeros(1, np.int64), ends)).astype(kind)
        return Postings(
            TermTable(self.table.numbers[is_kept]), starts, self.rows[entry_is_kept], self.counts[entry_is_kept]
        )


class Collector:
    """Collects occurrences of terms in batches and turns them into postings. Beyond 48 million, batches go to disk."""

    def __init__(self) -> None:
        self._batches: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        self._in_memory = 0
        self._disk: TemporaryDirectory[str] | None = None

    def add(self, numbers: NDArray[np.uint64], rows: NDArray[np.int32]) -> None:
        """Add a batch."""
        order = np.argsort(numbers)
        batch = numbers[order], rows[order]
        self._in_memory += len(numbers)
        if self._in_memory > _IN_MEMORY:
            batch = self._on_disk(batch)
        self._batches.append(batch)

    def postings(self, rows: int) -> Postings:
        """The postings of all batches, over `rows` rows. Nothing can be added afterwards."""
        parts = (_counted(*part, rows) for part in self._partitions(rows))
        terms, starts, in_rows, counts = map(list, zip(*parts, strict=True))
        self._batches.clear()
        if self._disk is not None:
            self._disk.cleanup()
        edges = np.cumsum(_concatenated([np.zeros(1, np.int64), *map(np.diff, starts)], np.int64))
        # One column after the other, to hold few copies at a time.
        return Postings(
            TermTable(_concatenated_and_emptied(terms, np.uint64)),
            edges,
            _concatenated_and_emptied(in_rows, np.int32),
            _concatenated_and_emptied(counts, np.uint8),
        )

    def _on_disk(
        self, batch: tuple[NDArray[np.uint64], NDArray[np.int32]]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Write a batch to a temporary folder, and map it into memory."""
        if self._disk is None:
            self._disk = TemporaryDirectory(prefix="index-")
        names = [Path(self._disk.name) / f"{len(self._batches)}-{kind}.npy" for kind in ("numbers", "rows")]
        np.save(names[0], batch[0], allow_pickle=False)
        np.save(names[1], batch[1], allow_pickle=False)
        return np.load(names[0], mmap_mode="r"), np.load(names[1], mmap_mode="r")

    def _partitions(self, rows: int) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int32], int]]:
        """The occurrences, split by the high bits of their numbers so that the low bits and a row fit into 64 bits."""
        bits = max(0, BITS + _row_bits(rows) - _WORD_BITS)
        edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(BITS - bits)
        cuts = [np.searchsorted(numbers, edges) for numbers, _ in self._batches]
        for part in range(1 << bits):
            slices = [slice(int(cut[part]), int(cut[part + 1])) for cut in cuts]
            yield (
                _concatenated(
                    [numbers[part_of_batch] for (numbers, _), part_of_batch in zip(self._batches, slices, strict=True)],
                    np.uint64,
                ),
                _concatenated(
                    [
                        rows_of_batch[part_of_batch]
                        for (_, rows_of_batch), part_of_batch in zip(self._batches, slices, strict=True)
                    ],
                    np.int32,
                ),
                part << (BITS - bits),
            )


def _row_bits(rows: int) -> int:
    """How many bits the number of one of `rows` rows takes."""
    return max(1, (rows - 1).bit_length())


def _concatenated(parts: list[NDArray[Scalar]], kind: type[Scalar]) -> NDArray[Scalar]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([np.zeros(0, kind), *parts])


def _concatenated_and_emptied(parts: list[NDArray[Scalar]], kind: type[Scalar]) -> NDArray[Scalar]:
    """Concatenate the parts. Empties the list."""
    joined = _concatenated(parts, kind)
    parts.clear()
    return joined


def _counted(
    numbers: NDArray[np.uint64], rows_of_occurrences: NDArray[np.int32], prefix: int, rows: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """Count occurrences of terms, whose `numbers` all begin with the bits of `prefix`, in some of `rows` rows.

    Returns the distinct numbers, where the entries of each begin and end, and the row and the count of every entry.
    Number and row are packed into one integer for sorting.
    """
    bits = np.uint64(_row_bits(rows))
    packed = (numbers - np.uint64(prefix)) << bits
    packed |= rows_of_occurrences.astype(np.uint64)
    packed.sort()
    kernels = compiled.kernels()
    if kernels is not None:
        return kernels.count_sorted(packed, int(bits), prefix)
    heads = np.flatnonzero(np.concatenate((np.ones(min(1, len(packed)), bool), packed[1:] != packed[:-1])))
    counts = np.minimum(np.diff(np.append(heads, len(packed))), MOST_COUNTED).astype(np.uint8)
    entries = packed[heads]
    terms = entries >> bits
    firsts = np.flatnonzero(np.concatenate((np.ones(min(1, len(terms)), bool), terms[1:] != terms[:-1])))
    in_rows = (entries & np.uint64((1 << int(bits)) - 1)).astype(np.int32)
    return terms[firsts] + np.uint64(prefix), np.append(firsts, len(terms)), in_rows, counts


def merged(parts: list[Entries]) -> tuple[Postings, NDArray[np.float32]]:
    """Merge entries into postings, with the weights of their terms. Rows must rise from part to part."""
    numbers = _concatenated([part[0] for part in parts], np.uint64)
    # Each part is nearly sorted, which a stable sort exploits; it also keeps the rows in order.
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    firsts = np.flatnonzero(np.concatenate((np.ones(min(1, len(numbers)), bool), numbers[1:] != numbers[:-1])))
    postings = Postings(
        TermTable(numbers[firsts]),
        np.append(firsts, len(numbers)).astype(np.int64),
        _concatenated([part[1] for part in parts], np.int32)[order],
        _concatenated([part[2] for part in parts], np.uint8)[order],
    )
    return postings, _concatenated([part[3] for part in parts], np.float32)[order[firsts]]


def postings_of(numbers: NDArray[np.uint64], in_rows: NDArray[np.int32], rows: int) -> Postings:
    """The postings of some occurrences of terms over `rows` rows, at most `MOST_ROWS_AT_ONCE`."""
    terms, starts, rows_of_entries, counts = _counted(numbers, in_rows, 0, rows)
    return Postings(TermTable(terms), starts, rows_of_entries, counts)
