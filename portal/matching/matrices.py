"""Sparse rows of float32 and what is computed from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.vocabulary import Vocabulary

_BATCH = 2_000_000
"""Values handled at once where a temporary copy is made."""
PROFILE_WEIGHT = 3
"""As how many works a profile counts in a lab's focus. docs/matching.md has the figures behind it."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Row r has the values `data[starts[r]:starts[r + 1]]` in `columns[…]`, which are in rising order."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    data: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Columns and values of one row."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.columns[part], self.data[part]

    def between(self, first: int, last: int) -> Rows:
        """The rows from `first` up to `last`, numbered anew."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        return Rows(self.starts[first : last + 1] - begin, self.columns[begin:end], self.data[begin:end])

    def row_numbers(self) -> NDArray[np.int32]:
        """For every value the number of its row."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))


def empty_rows(count: int = 0) -> Rows:
    """`count` rows without a value."""
    return Rows(np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))


def count_with(vocabulary: Vocabulary, bags: Sequence[Sequence[str]]) -> Rows:
    """How often the keys of the vocabulary occur in `bags`, one row each."""
    starts = [0]
    columns: list[int] = []
    data: list[int] = []
    for bag in bags:
        counted = Counter(column for key in bag if (column := vocabulary.column(key)) is not None)
        columns += sorted(counted)
        data += (counted[column] for column in sorted(counted))
        starts.append(len(columns))
    return Rows(np.array(starts, np.int64), np.array(columns, np.int32), np.array(data, np.float32))


def weighed(counts: Rows, vocabulary: Vocabulary) -> Rows:
    """Counts → (1 + ln count) × idf, every row scaled to length 1."""
    data = np.empty_like(counts.data)
    for first, last in _batches(counts):
        part = counts.between(first, last)
        values = (1 + np.log(part.data)) * vocabulary.weights(part.columns)
        data[counts.starts[first] : counts.starts[last]] = unit_rows(part.starts, values)
    return Rows(counts.starts, counts.columns, data)


def unit_rows(starts: NDArray[np.int64], data: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float32]:
    """`data` with every row divided by its length; empty rows stay empty."""
    row_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    squares = np.bincount(row_of, weights=data.astype(np.float64) ** 2, minlength=len(starts) - 1)
    return (data / np.sqrt(squares)[row_of]).astype(np.float32)


def centroids(first_work: NDArray[np.int64], works: Rows, profiles: Rows) -> Rows:
    """Per lab the sum of the vectors of its works and, `PROFILE_WEIGHT` times, of its profile, scaled to length 1."""
    profiles = Rows(profiles.starts, profiles.columns, profiles.data * np.float32(PROFILE_WEIGHT))
    of_lab = Rows(works.starts[first_work], works.columns, works.data)
    return stacked(
        [
            _sums(_side_by_side(of_lab.between(first, last), profiles.between(first, last)))
            for first, last in _batches(of_lab)
        ]
    )


def _sums(rows: Rows) -> Rows:
    """Rows whose columns may repeat → distinct columns with the sum of their values, scaled to length 1."""
    numbers, columns, data, heads = _grouped(rows)
    sums = np.add.reduceat(data, heads) if len(heads) else data
    counts = np.bincount(numbers[heads], minlength=len(rows))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Rows(starts, columns[heads], unit_rows(starts, sums))


def _side_by_side(first: Rows, second: Rows) -> Rows:
    """Row r has the values of row r of both."""
    numbers = np.concatenate((first.row_numbers(), second.row_numbers()))
    order = np.argsort(numbers, kind="stable")
    return Rows(
        first.starts + second.starts,
        np.concatenate((first.columns, second.columns))[order],
        np.concatenate((first.data, second.data))[order],
    )


def stacked(parts: list[Rows]) -> Rows:
    """The rows of all parts, one below another."""
    if not parts:
        return empty_rows()
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return Rows(
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.data for part in parts]),
    )


def best_per_column(first_work: NDArray[np.int64], works: Rows, best: int) -> Rows:
    """Per lab and column the sum of the `best` largest values among the lab's works."""
    of_lab = Rows(works.starts[first_work], works.columns, works.data)
    return stacked([_best_of(of_lab.between(first, last), best) for first, last in _batches(of_lab)])


def _best_of(rows: Rows, best: int) -> Rows:
    """Rows whose columns may repeat → distinct columns with the sum of the `best` largest values of each."""
    numbers, columns, data, heads = _grouped(rows)
    place = np.arange(len(data)) - np.repeat(heads, np.diff(np.append(heads, len(data))))
    sums = np.add.reduceat(np.where(place < best, data, 0.0), heads) if len(heads) else data
    counts = np.bincount(numbers[heads], minlength=len(rows))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Rows(starts, columns[heads], sums.astype(np.float32))


def _grouped(
    rows: Rows,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Row numbers, columns and values by row, column and falling value, and where each (row, column) begins."""
    numbers = rows.row_numbers()
    order = np.lexsort((-rows.data, rows.columns, numbers))
    numbers, columns, data = numbers[order], rows.columns[order], rows.data[order].astype(np.float64)
    changes = (numbers[1:] != numbers[:-1]) | (columns[1:] != columns[:-1])
    heads = np.flatnonzero(np.concatenate(([True], changes))) if len(data) else np.zeros(0, np.int64)
    return numbers, columns, data, heads


def _batches(rows: Rows) -> list[tuple[int, int]]:
    """Ranges of rows with about `_BATCH` values each."""
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(rows):
        limit = rows.starts[first] + _BATCH
        last = max(first + 1, int(np.searchsorted(rows.starts, limit, side="right")) - 1)
        found.append((first, min(last, len(rows))))
        first = last
    return found
