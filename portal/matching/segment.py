"""A set of labs as matrices: rows of works and of labs over the columns of a vocabulary. Immutable."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.names import name_key, names_of
from portal.matching.terms import compact, keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.records import LabDoc, WorkDoc
    from portal.matching.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows: row r has `data[starts[r]:starts[r + 1]]` at `columns[…]`, float32, each of length 1 or 0."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    data: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Columns and values of one row."""
        part = slice(self.starts[number], self.starts[number + 1])
        return self.columns[part], self.data[part]

    def transposed(self, columns: int) -> Rows:
        """The same values by column: row c of the result lists the rows that have column c, in order."""
        order = np.argsort(self.columns, kind="stable")
        row_of = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        counts = np.bincount(self.columns, minlength=columns)
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return Rows(starts, row_of[order], self.data[order])


@dataclass(frozen=True, slots=True)
class Segment:
    """Labs in the order of their keys, their works in the order of theirs.

    `works` and `focus` are the vectors of single works and of whole labs (the centroid of works and
    profile); `work_postings` and `focus_postings` the same by column. `first_work[i]` is the row of the
    first work of lab i.
    """

    labs: tuple[LabDoc, ...]
    first_work: NDArray[np.int64]
    works: Rows
    focus: Rows
    work_postings: Rows
    focus_postings: Rows
    positions: dict[str, int]
    names: dict[str, frozenset[str]]

    @property
    def lab_of_work(self) -> NDArray[np.int64]:
        """For every work the position of its lab."""
        return np.repeat(np.arange(len(self.labs)), np.diff(self.first_work))


def in_order(labs: Iterable[LabDoc]) -> tuple[LabDoc, ...]:
    """`labs` by key, each with its works by key, so that nothing depends on the order of arrival.

    Raises:
        ValueError: two labs have the same key.
    """
    ordered = tuple(
        type(lab)(lab.key, lab.profile, tuple(sorted(lab.works, key=lambda work: work.key)), lab.facets)
        for lab in sorted(labs, key=lambda lab: lab.key)
    )
    twice = sorted(key for key, count in Counter(lab.key for lab in ordered).items() if count > 1)
    if twice:
        raise ValueError(f"more than one lab has the key {', '.join(twice)}")
    return ordered


def work_keys(work: WorkDoc, words: set[str] | None = None) -> list[str]:
    """The keys of all terms of a work: title, systems, abstract, and one term per system's name.

    The folded words are put into `words`.
    """
    return keys((work.title, *work.systems, work.abstract), words) + [
        name_key(name) for name in work.systems if compact(name)
    ]


def profile_keys(lab: LabDoc, words: set[str] | None = None) -> list[str]:
    """The keys of all terms of a lab's profile; the folded words are put into `words`."""
    return keys((lab.profile,), words)


def count_with(vocabulary: Vocabulary, bags: Sequence[Sequence[str]]) -> Rows:
    """Raw counts of the keys in `bags`, one row each, over the columns of `vocabulary`."""
    starts = [0]
    columns: list[int] = []
    data: list[int] = []
    for bag in bags:
        counted = Counter(column for key in bag if (column := vocabulary.column(key)) is not None)
        for column in sorted(counted):
            columns.append(column)
            data.append(counted[column])
        starts.append(len(columns))
    return Rows(np.array(starts, dtype=np.int64), np.array(columns, dtype=np.int32), np.array(data, dtype=np.float32))


def weighed(counts: Rows, vocabulary: Vocabulary) -> Rows:
    """Counts → (1 + ln count) × idf, every row scaled to length 1."""
    data = (1 + np.log(counts.data)) * vocabulary.weights(counts.columns.astype(np.int64))
    return Rows(counts.starts, counts.columns, _unit_rows(counts.starts, data))


def build_segment(labs: tuple[LabDoc, ...], works: Rows, profiles: Rows, columns: int) -> Segment:
    """A segment of `labs` (in order) from the weighed rows of their works and profiles."""
    first_work = np.array(list(accumulate((len(lab.works) for lab in labs), initial=0)), dtype=np.int64)
    focus = _centroids(first_work, works, profiles, columns)
    names: dict[str, frozenset[str]] = {}
    for lab in labs:
        for key, spelling in names_of(lab).items():
            names[key] = names.get(key, frozenset()) | {spelling}
    return Segment(
        labs,
        first_work,
        works,
        focus,
        works.transposed(columns),
        focus.transposed(columns),
        {lab.key: position for position, lab in enumerate(labs)},
        names,
    )


def segment_of(labs: Iterable[LabDoc], vocabulary: Vocabulary) -> Segment:
    """A segment of `labs` in the vocabulary of an index, which gains their new terms."""
    ordered = in_order(labs)
    bags = [work_keys(work) for lab in ordered for work in lab.works]
    profiles = [profile_keys(lab) for lab in ordered]
    vocabulary.add(key for bag in (*bags, *profiles) for key in bag)
    weigh: Callable[[list[list[str]]], Rows] = lambda bags: weighed(count_with(vocabulary, bags), vocabulary)  # noqa: E731
    return build_segment(ordered, weigh(bags), weigh(profiles), len(vocabulary))


def _unit_rows(starts: NDArray[np.int64], data: NDArray[np.float32]) -> NDArray[np.float32]:
    """`data` with every row divided by its length; empty rows stay empty."""
    row_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    lengths = np.sqrt(np.bincount(row_of, weights=data.astype(np.float64) ** 2, minlength=len(starts) - 1))
    return (data / lengths[row_of]).astype(np.float32)


def _centroids(first_work: NDArray[np.int64], works: Rows, profiles: Rows, columns: int) -> Rows:
    """Per lab the sum of the vectors of its works and its profile, scaled to length 1."""
    from scipy.sparse import csr_matrix

    labs = len(first_work) - 1
    membership = csr_matrix(
        (np.ones(len(works)), (np.repeat(np.arange(labs), np.diff(first_work)), np.arange(len(works)))),
        shape=(labs, len(works)),
    )
    total = membership @ _matrix(works, columns) + _matrix(profiles, columns)
    total.sort_indices()
    starts = total.indptr.astype(np.int64)
    return Rows(starts, total.indices.astype(np.int32), _unit_rows(starts, total.data.astype(np.float64)))


def _matrix(rows: Rows, columns: int):  # type: ignore[no-untyped-def] # noqa: ANN202 - scipy has no types
    from scipy.sparse import csr_matrix

    return csr_matrix((rows.data.astype(np.float64), rows.columns, rows.starts), shape=(len(rows), columns))
