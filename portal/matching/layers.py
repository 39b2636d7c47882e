"""Labs as arrays: one layer of those that were fitted, and small ones of those that were edited since."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.formula import of_equal_works
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
    def of_equal_works(self) -> Floats:
        """What the best works of each lab count together if all of them are as good."""
        return of_equal_works(self.first_work)

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


def is_new(rising: Array) -> Bools:
    """Which of some rising numbers differ from the one before."""
    new = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=new[1:])
    return new


def distinct(numbers: Array) -> Array:
    """The different ones of some numbers, rising; as `np.unique`, which takes some twenty times as long."""
    rising = np.sort(numbers)
    return rising[is_new(rising)]


def docs(layers: Iterable[Layer]) -> Iterator[LabDoc]:
    """All labs of some layers."""
    for layer in layers:
        yield from (layer.lab(place) for place, key in enumerate(layer.labs) if key not in layer.gone)
