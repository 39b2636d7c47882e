"""Labs as arrays: one layer of those that were fitted, and small ones of those that were edited since."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cache, cached_property
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

WORD_BITS = 16
"""Where a word begins in its sentence has so many bits; its length comes above."""
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
    `texts` are the bytes of the labs' texts, one after the other up to `text_ends`. Row r has the sentences
    `first_sentence[r]` up to that of r + 1, each between two `ends` among the bytes, and sentence s the words
    `first_word[s]` up to that of s + 1. Each of the `words` has its column and that of the pair with the word behind
    it, -1 for none; `places` have where it begins in the sentence, with 65,536 times its length. `whole` and `part` are
    those of `Counted`.
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
    ends: Array
    first_word: Ints
    words: Array
    places: Array
    whole: Array
    part: Array
    texts: Array
    text_ends: Ints
    gone: frozenset[str] = frozenset()
    kept: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False)
    known: dict[str, int] = field(default_factory=dict, repr=False)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {key: place for place, key in enumerate(self.labs)}

    def __len__(self) -> int:
        """The number of labs that are there."""
        return len(self.labs) - len(self.gone)

    def place(self, key: str) -> int | None:
        """The number of a lab; None if it is not there."""
        return None if key in self.gone else self._places.get(key)

    def without(self, key: str) -> Layer:
        """The layer without a lab. What was found out of the others is kept."""
        new = copy(self)
        new.__dict__.update(gone=self.gone | {key})
        new.__dict__.pop("present", None)
        return new

    def columns_of_labs(self, keys: Iterable[str]) -> Ints:
        """The columns, rising, that some labs have, whether they are still there or not."""
        places = [self._places[key] for key in keys if key in self._places]
        indptr = self.foci.indptr
        columns = [self.foci.indices[indptr[place] : indptr[place + 1]] for place in places]
        return distinct(np.concatenate(columns)) if len(columns) > 1 else np.array(columns, dtype=np.int64).ravel()

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
        # In order, so that neighbours are looked for in memory that was just read.
        keys_in_order = sorted((key.encode("utf-8", "surrogatepass"), number) for number, key in enumerate(keys))
        wanted = np.array([key for key, _ in keys_in_order], dtype=KEYS)
        places = np.minimum(self.terms.searchsorted(wanted), len(self.terms) - 1)
        found = np.empty(len(keys), dtype=np.int64)
        found[[number for _, number in keys_in_order]] = np.where(self.terms[places] == wanted, places, -1)
        in_order: list[int] = found.tolist()
        return in_order

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

    def sentences(self, numbers: Ints) -> list[str]:
        """The texts of some sentences."""
        return self._passages(self.ends[numbers].tolist())

    def title(self, row: int) -> str:
        """The title of a work, as far as its first empty line."""
        number = 3 * row + 2 * int(self.first_work.searchsorted(row, side="right")) + 1
        return self._text(number).split("\n\n", 1)[0]

    def work_keys(self, rows: Sequence[int]) -> list[str]:
        """The keys of the works at some rows."""
        of_works = np.array(rows, dtype=np.int64)
        numbers = 3 * of_works + 2 * self.first_work.searchsorted(of_works, side="right")
        return self._passages(zip(self.text_ends[numbers - 1].tolist(), self.text_ends[numbers].tolist(), strict=True))

    def _text(self, number: int) -> str:
        begin = int(self.text_ends[number - 1]) if number else 0
        return self._passages([(begin, int(self.text_ends[number]))])[0]

    def _passages(self, bounds: Iterable[tuple[int, int]]) -> list[str]:
        texts = self.texts.data
        return [str(texts[begin:end], "utf-8", "surrogatepass") for begin, end in bounds]

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
"""Labs, and how they write their terms: some tens of megabytes."""
_REMAINDERS = 1 << 13
_VALUES_PER_COLUMN = 200
"""So many values of rows, which are far away in memory, are read in the time of searching one column for rows."""


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
        return tuple(sorted(key for layer in self.layers for key in layer.labs if key not in layer.gone))

    def __len__(self) -> int:
        return sum(map(len, self.layers))

    def find(self, key: str) -> tuple[Layer, int]:
        """The layer of a lab, and its place there.

        Raises:
            UnknownLab: no lab has this key.
        """
        for layer in self.layers:
            place = layer.place(key)
            if place is not None:
                return layer, place
        raise UnknownLab(key)

    def edited(self) -> Iterator[LabDoc]:
        """The labs that were edited or added since the fit."""
        return docs(self.layers[1:])


@cache
def _csc_matvec() -> Callable[..., None]:
    from scipy.sparse import _sparsetools

    multiply: Callable[..., None] = _sparsetools.csc_matvec
    return multiply


class Columns:
    """The columns of the terms of one query in one layer."""

    def __init__(self, layer: Layer, terms: Sequence[Alternatives]) -> None:
        self.layer = layer
        self._terms = terms
        keys = list(dict.fromkeys(key for ways in terms for way in ways for key in way))
        self._column = dict(zip(keys, layer.columns(keys).tolist(), strict=True))
        self._columns = single = [
            self._column[ways[0][0]] if len(ways) == 1 and len(ways[0]) == 1 else -1 for ways in terms
        ]
        self._single = np.array(single, dtype=np.int64)
        self._written = {
            place: self._many(ways)
            for place, ways in enumerate(terms)
            if single[place] < 0 and (len(ways) > 1 or len(ways[0]) > 1)
        }

    def product(self, weights: Floats, *, foci: bool = False) -> NDArray[np.float32]:
        """The cosines of all rows, or of all foci, with a vector of the query's terms.

        SciPy's own product of a matrix and a vector, which is told where the columns of the query begin and end, the
        last one first: so what is between two of them is empty, and none is copied.
        """
        matrix = self.layer.foci_by_term if foci else self.layer.rows_by_term
        indices, data, indptr, size = matrix.indices, matrix.data, matrix.indptr, matrix.shape[1]
        sums = np.zeros(size, dtype=np.float32)
        known, sought = self._known
        weighing = weights[known].nonzero()[0][::-1]
        if len(weighing):
            columns = sought.columns[weighing]
            edges, factors = np.empty(2 * len(columns), dtype=indptr.dtype), np.zeros(2 * len(columns), np.float32)
            edges[::2], edges[1::2], factors[::2] = indptr[columns], indptr[columns + 1], weights[known[weighing]]
            _csc_matvec()(size, len(edges) - 1, edges, indices, data, factors, sums)
        for place, columns_of_term in self._written.items():
            if weights[place]:
                rows, values = columns_of_term[foci]
                edges, factor = np.array((0, len(rows))), np.array((weights[place],), dtype=np.float32)
                _csc_matvec()(size, 1, edges, rows, values.astype(np.float32), factor, sums)
        return sums

    def having(self, weights: Floats) -> Floats:
        """For each lab, the sum of the weights of the query's terms that it has."""
        matrix = self.layer.foci_by_term
        sums, ones = np.zeros(matrix.shape[1], dtype=np.float32), np.ones(matrix.shape[1], dtype=np.float32)
        factors = weights.astype(np.float32)
        for place in np.flatnonzero(weights).tolist():
            column = self._columns[place]
            labs = self._written[place][1][0] if place in self._written else matrix.indices[:0]
            if column >= 0:
                labs = matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]
            edges = np.array((0, len(labs)), dtype=labs.dtype)
            _csc_matvec()(len(sums), 1, edges, labs, ones[: len(labs)], factors[place : place + 1], sums)
        return sums.astype(np.float64)

    @cached_property
    def _known(self) -> tuple[Ints, Sought]:
        """The terms with a column of their own, by column, and these columns."""
        known = (self._single >= 0).nonzero()[0]
        known = known[self._single[known].argsort()]
        return known, Sought(self._single[known])

    def cells(self, of: str, numbers: Ints) -> Floats:
        """The values of some rows, -1 for none, or of the foci of some labs, in the columns of the query."""
        layer, (known, sought) = self.layer, self._known
        matrix, by_term = (layer.rows, layer.rows_by_term) if of == "rows" else (layer.foci, layer.foci_by_term)
        values = np.zeros((len(numbers), len(self._single)))
        if len(known) and len(numbers):
            begins = matrix.indptr[numbers]
            counts = np.maximum(matrix.indptr[numbers + 1] - begins, 0)
            if counts.sum() < _VALUES_PER_COLUMN * len(known):
                all_of_rows = ranges(begins, counts)
                places, columns = sought.among(matrix.indices[all_of_rows])
                rows = counts.cumsum().searchsorted(places, side="right")
                values[rows, known[columns]] = matrix.data[all_of_rows[places]]
            else:
                values[:, known] = _cells(by_term, sought.columns, numbers).T
        for place, sparse in self._written.items():
            indices, data = sparse[0 if of == "rows" else 1]
            if len(indices):
                found = np.minimum(indices.searchsorted(numbers), len(indices) - 1)
                values[:, place] = np.where(indices[found] == numbers, data[found], 0.0)
        return values

    def entries(self) -> tuple[Ints, Ints, Floats]:
        """The columns of all ways to write the terms; for each, the term and its part of the way."""
        known, sought = self._known
        if not self._written:
            return sought.columns, known, np.ones(len(known))
        of_ways = [
            (self._column[key], place, 1 / len(way))
            for place in self._written
            for way in self._terms[place]
            for key in way
            if self._column[key] >= 0
        ]
        columns, terms, parts = np.array(of_ways).reshape(-1, 3).T
        columns = np.concatenate((sought.columns, columns.astype(np.int64)))
        terms = np.concatenate((known, terms.astype(np.int64)))
        order = terms.argsort(kind="stable")
        return columns[order], terms[order], np.concatenate((np.ones(len(known)), parts))[order]

    def is_anywhere(self, place: int) -> bool:
        """Whether any row has a term of the query."""
        return self._columns[place] >= 0 or (place in self._written and len(self._written[place][0][0]) > 0)

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
    rows = distinct(np.concatenate([rows for rows, _ in columns]))
    data = np.zeros(len(rows))
    for some, values in columns:
        places = rows.searchsorted(some)
        data[places] = np.maximum(data[places], values)
    return rows, data


def _cells(by_term: csr_array, columns: Ints, rows: Ints) -> Floats:
    """The values of some columns in some rows."""
    order = rows.argsort(kind="stable")
    wanted = rows[order].astype(by_term.indices.dtype)
    indices, begins, ends = by_term.indices, by_term.indptr[columns], by_term.indptr[columns + 1]
    edges = zip(begins.tolist(), ends.tolist(), strict=True)
    places = np.array([indices[begin:end].searchsorted(wanted) for begin, end in edges]) + begins[:, None]
    inside = places < ends[:, None]
    places *= inside
    cells = np.zeros(places.shape)
    cells[:, order] = by_term.data[places] * (inside & (indices[places] == wanted))
    return cells


class Sought:
    """Some columns, rising, to be found among many."""

    def __init__(self, columns: Ints) -> None:
        self.columns = columns
        self._maybe = np.zeros(_REMAINDERS, dtype=bool)
        self._maybe[columns & (_REMAINDERS - 1)] = True

    def among(self, columns: Array) -> tuple[Ints, Ints]:
        """The places where one of those that are sought stands, and the number of this one."""
        # Most are no candidates, and this takes a fraction of the time of searching each.
        candidates = np.flatnonzero(self._maybe[columns & (_REMAINDERS - 1)])
        found = columns[candidates]
        numbers = np.minimum(self.columns.searchsorted(found), max(len(self.columns) - 1, 0))
        hits = self.columns[numbers] == found if len(self.columns) else numbers < 0
        return candidates[hits], numbers[hits]


def is_new(rising: Array) -> Bools:
    """Which of some rising numbers differ from the one before."""
    new = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=new[1:])
    return new


def distinct(numbers: Array) -> Array:
    """The different ones of some numbers, rising; as `np.unique`, which takes some twenty times as long."""
    rising = np.sort(numbers)
    return rising[is_new(rising)]


def ranges(begins: Ints, counts: Ints) -> Ints:
    """The numbers from each beginning on, so many of each."""
    ends = counts.cumsum()
    return np.repeat(begins - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def docs(layers: Iterable[Layer]) -> Iterator[LabDoc]:
    """All labs of some layers."""
    for layer in layers:
        yield from (layer.lab(place) for place, key in enumerate(layer.labs) if key not in layer.gone)
