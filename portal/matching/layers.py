"""Labs as arrays: one layer of those that were fitted, and small ones of those that were edited since."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.language.terms import LONGEST_KEY
from portal.matching.records import LabDoc, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

KEYS = np.dtype(f"S{LONGEST_KEY}")
Alternatives = tuple[tuple[str, ...], ...]
"""The ways to write one term of a query: each is keys that a work must have all of."""


class UnknownLab(KeyError):
    """No lab has this key."""

    def __str__(self) -> str:
        return f"no lab has the key {self.args[0]!r}" if self.args else "no such lab"


@dataclass(frozen=True, eq=False)
class Layer:
    """Some labs. Rows are works, grouped by lab, and behind them the profiles that are not empty.

    `terms` are the keys of the columns, sorted. `rows` and `foci` hold the vectors of rows and labs, `rows_by_term` and
    `foci_by_term` the same by column. `first_work` has the first row of each lab and the number of works at its end,
    `profiles` the row of each lab's profile, -1 without one; `factors` the factor that made each focus of length 1.
    Sentence s of row r, for s from `first_sentence[r]`, has the chunks `chunks[s]` of the row's text and the words
    `words[first_word[s]:first_word[s + 1]]`, which are columns. `texts` are the bytes of the labs' texts, one after the
    other up to `text_ends`.
    """

    labs: tuple[str, ...]
    terms: Array
    rows: csr_array
    foci: csr_array
    rows_by_term: csr_array
    foci_by_term: csr_array
    first_work: Ints
    profiles: Ints
    factors: Floats
    first_sentence: Ints
    chunks: Array
    first_word: Ints
    words: Array
    texts: Array
    text_ends: Ints
    gone: frozenset[str] = frozenset()
    kept: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False)
    known: dict[str, int] = field(default_factory=dict, repr=False)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The number of each lab that is there, by key."""
        return {key: place for place, key in enumerate(self.labs) if key not in self.gone}

    @cached_property
    def present(self) -> Bools | None:
        """Which labs are there; None if all are."""
        return np.array([key not in self.gone for key in self.labs]) if self.gone else None

    def columns(self, keys: Sequence[str]) -> Ints:
        """The columns of terms, -1 for those that no lab has."""
        known = self.known
        found = [known.get(key) for key in keys]
        if None in found:
            new = list(dict.fromkeys(key for key, column in zip(keys, found, strict=True) if column is None))
            columns = dict(zip(new, self._find(new), strict=True))
            if len(known) + len(new) > _MOST_KNOWN:
                known.clear()
            known.update(columns)
            found = [columns[key] if column is None else column for key, column in zip(keys, found, strict=True)]
        return np.array(found, dtype=np.int64)

    def _find(self, keys: Sequence[str]) -> list[int]:
        if not len(self.terms):
            return [-1] * len(keys)
        wanted = np.array([key.encode("utf-8", "surrogatepass") for key in keys], dtype=KEYS)
        places = self.terms.searchsorted(wanted)
        places[places == len(self.terms)] = 0
        found: list[int] = np.where(self.terms[places] == wanted, places, -1).tolist()
        return found

    def keep(self, what: tuple[str, int], read: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever `read` returns
        """What was read of a text, kept while the layer is, up to a number."""
        known = self.kept.get(what)
        if known is None:
            known = read()
            while len(self.kept) >= _MOST_KEPT:
                with suppress(StopIteration, KeyError, RuntimeError):  # another thread was faster
                    del self.kept[next(iter(self.kept))]
            self.kept[what] = known
        return known

    def lab(self, place: int) -> LabDoc:
        """The lab at a place."""
        lab: LabDoc = self.keep(("lab", place), lambda: self._read_lab(place))
        return lab

    def place_of(self, row: int) -> int:
        """The place of the lab that a work belongs to."""
        return int(self.first_work.searchsorted(row, side="right")) - 1

    def text_of_row(self, row: int) -> str:
        """The text of a row as it was read: title and abstract of a work, or the profile."""
        if row >= int(self.first_work[-1]):
            place = int(np.flatnonzero(self.profiles == row)[0])
            return self._text(2 * place + 3 * int(self.first_work[place]) + 1)
        first = 2 * (self.place_of(row) + 1) + 3 * row
        return text_of_work(self._text(first + 1), self._text(first + 2))

    def work_key(self, row: int) -> str:
        """The key of the work at a row."""
        return self._text(2 * (self.place_of(row) + 1) + 3 * row)

    def _text(self, number: int) -> str:
        begin = int(self.text_ends[number - 1]) if number else 0
        return self.texts[begin : int(self.text_ends[number])].tobytes().decode("utf-8", "surrogatepass")

    def _read_lab(self, place: int) -> LabDoc:
        first = 2 * place + 3 * int(self.first_work[place])
        about = json.loads(self._text(first))
        works = tuple(
            WorkDoc(
                self._text(number), self._text(number + 1), self._text(number + 2), year, tuple(systems), tuple(authors)
            )
            for number, (year, systems, authors) in zip(count(first + 2, 3), about["works"], strict=False)
        )
        facets = {name: tuple(values) for name, values in about["facets"].items()}
        return LabDoc(self.labs[place], self._text(first + 1), works, facets)


_MOST_KNOWN = 65_536
"""Terms whose columns are kept: the same ones are looked up several times for a query."""
_MOST_KEPT = 8_192
"""Labs and sentences of works: some tens of megabytes."""


def text_of_work(title: str, abstract: str) -> str:
    """What is read of a work, besides the names of its systems."""
    return f"{title}\n\n{abstract}"


def texts_of(lab: LabDoc) -> Iterator[bytes]:
    """The texts of a lab as `Layer.texts` holds them: what is said about it, its profile, and three for each work."""
    about = {
        "facets": {name: list(values) for name, values in lab.facets.items()},
        "works": [[work.year, list(work.systems), list(work.authors)] for work in lab.works],
    }
    of_works = (text for work in lab.works for text in (work.key, work.title, work.abstract))
    for text in (json.dumps(about), lab.profile, *of_works):
        yield text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class State:
    """All labs at one moment, in layers; the first one holds those that were fitted."""

    layers: tuple[Layer, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of all labs, in order."""
        return tuple(sorted(key for layer in self.layers for key in layer.places))

    def __len__(self) -> int:
        return sum(len(layer.places) for layer in self.layers)

    def find(self, key: str) -> tuple[Layer, int]:
        """The layer of a lab, and its place there.

        Raises:
            UnknownLab: no lab has this key.
        """
        for layer in self.layers:
            place = layer.places.get(key)
            if place is not None:
                return layer, place
        raise UnknownLab(key)

    def edited(self) -> Iterator[LabDoc]:
        """The labs that were edited or added since the fit."""
        for layer in self.layers[1:]:
            yield from map(layer.lab, layer.places.values())


class Columns:
    """The columns of one query in one layer: `rows` and `foci` have one for each of the query's terms."""

    def __init__(self, layer: Layer, terms: Sequence[Alternatives]) -> None:
        self.layer = layer
        keys = list(dict.fromkeys(key for ways in terms for way in ways for key in way))
        self._column = dict(zip(keys, layer.columns(keys).tolist(), strict=True))
        single = [self._column[ways[0][0]] if len(ways) == 1 and len(ways[0]) == 1 else -1 for ways in terms]
        self._single = np.array(single, dtype=np.int64)
        self._written = {
            place: self._many(ways)
            for place, ways in enumerate(terms)
            if single[place] < 0 and (len(ways) > 1 or len(ways[0]) > 1)
        }
        self.rows = _chosen(layer.rows_by_term, single, {p: rows for p, (rows, _) in self._written.items()})
        self.foci = _chosen(layer.foci_by_term, single, {p: foci for p, (_, foci) in self._written.items()})

    def cells(self, of: str, numbers: Ints) -> Floats:
        """The values of some rows, or of the foci of some labs, in the columns of the query."""
        matrix = self.layer.rows if of == "rows" else self.layer.foci
        known = np.flatnonzero(self._single >= 0)
        values = np.zeros((len(numbers), len(self._single)))
        if len(known) and len(numbers):
            values[:, known] = _cells(matrix, numbers, self._single[known])
        for place, sparse in self._written.items():
            indices, data = sparse[0 if of == "rows" else 1]
            if len(indices):
                found = np.minimum(indices.searchsorted(numbers), len(indices) - 1)
                values[:, place] = np.where(indices[found] == numbers, data[found], 0.0)
        return values

    def _many(self, ways: Alternatives) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
        """The column of a term that can be written in several ways: in each row, the largest value of any way.

        A way of several keys has, in a row, the least of their values: all must be there.
        """
        layer = self.layer
        rows, data = _largest([self._all_of(way) for way in ways])
        works = int(layer.first_work[-1]) if len(layer.first_work) else 0
        is_work = rows < works
        labs = layer.first_work.searchsorted(rows, side="right") - 1
        weights = np.ones(len(rows))
        if not is_work.all():
            from portal.matching.formula import PROFILE_WEIGHT

            lab_of_profile = {int(row): place for place, row in enumerate(layer.profiles.tolist()) if row >= 0}
            for place in np.flatnonzero(~is_work).tolist():
                labs[place] = lab_of_profile[int(rows[place])]
                weights[place] = PROFILE_WEIGHT
        sums = np.bincount(labs, data * weights, minlength=len(layer.labs)) if len(rows) else np.zeros(0)
        having = np.flatnonzero(sums)
        return (rows, data), (having, sums[having] * layer.factors[having])

    def _all_of(self, way: tuple[str, ...]) -> tuple[Ints, Floats]:
        """The rows that have all keys of one way, and the least of their values."""
        rows, data = np.zeros(0, np.int64), np.zeros(0)
        matrix = self.layer.rows_by_term
        for number, key in enumerate(way):
            column = self._column[key]
            if column < 0:
                return np.zeros(0, np.int64), np.zeros(0)
            begin, end = int(matrix.indptr[column]), int(matrix.indptr[column + 1])
            indices, values = matrix.indices[begin:end].astype(np.int64), matrix.data[begin:end].astype(np.float64)
            if number == 0:
                rows, data = indices, values
                continue
            rows, here, there = np.intersect1d(rows, indices, assume_unique=True, return_indices=True)
            data = np.minimum(data[here], values[there])
        return rows, data


def _largest(columns: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """The union of some columns, with the largest value in each row."""
    rows = np.unique(np.concatenate([rows for rows, _ in columns]))
    data = np.zeros(len(rows))
    for some, values in columns:
        places = rows.searchsorted(some)
        data[places] = np.maximum(data[places], values)
    return rows, data


def _chosen(
    by_term: csr_array, single: Sequence[int], written: Mapping[int, tuple[Ints, Floats]]
) -> list[tuple[Array, Array]]:
    """The columns of a query, each as its rows and their values: those of `single`, and those that are given."""
    indices, data, indptr = by_term.indices, by_term.data, by_term.indptr
    nothing = indices[:0], data[:0]
    columns = [
        (indices[indptr[column] : indptr[column + 1]], data[indptr[column] : indptr[column + 1]])
        if column >= 0
        else nothing
        for column in single
    ]
    for place, (rows, values) in written.items():
        columns[place] = rows.astype(indices.dtype), values.astype(data.dtype)
    return columns


def product(columns: Sequence[tuple[Array, Array]], weights: Floats, size: int, *, ones: bool = False) -> Floats:
    """The sum of columns of `size` rows, each times its weight; with `ones`, of what is in a column only that it is.

    SciPy's own product of a matrix and a vector, called for one column after the other, as those of a query are
    anywhere in the matrix: to copy them into one takes ten times as long.
    """
    from scipy.sparse import _sparsetools

    sums = np.zeros(size, dtype=np.float32)
    present = np.ones(max((len(rows) for rows, _ in columns), default=0), dtype=np.float32) if ones else None
    for place in np.flatnonzero(weights).tolist():
        rows, values = columns[place]
        if len(rows):
            edges = np.array((0, len(rows)), dtype=rows.dtype)
            data = values if present is None else present[: len(rows)]
            _sparsetools.csc_matvec(size, 1, edges, rows, data, weights[place : place + 1].astype(np.float32), sums)
    return sums.astype(np.float64)


def _cells(matrix: csr_array, numbers: Ints, columns: Ints) -> Floats:
    """The values of some rows of a matrix in some columns."""
    indptr = matrix.indptr
    starts, stops = indptr[numbers].astype(np.int64), indptr[numbers + 1].astype(np.int64)
    order = np.argsort(columns, kind="stable")
    width = matrix.shape[1] + 1
    keys = np.concatenate(
        [
            matrix.indices[start:stop].astype(np.int64) + place * width
            for place, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True))
        ]
    )
    values = np.concatenate(
        [matrix.data[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    )
    wanted = (columns[order] + width * np.arange(len(numbers))[:, None]).ravel()
    cells = np.zeros((len(numbers), len(columns)))
    if len(keys):
        places = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
        found = np.where(keys[places] == wanted, values[places], 0.0)
        cells[:, order] = found.reshape(len(numbers), len(columns))
    return cells


def docs(layers: Iterable[Layer]) -> Iterator[LabDoc]:
    """All labs of some layers."""
    for layer in layers:
        yield from map(layer.lab, layer.places.values())
