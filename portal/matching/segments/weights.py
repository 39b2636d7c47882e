"""Looks up term numbers in sorted arrays, and holds the weights of terms, which are frozen when an index is fitted."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.language.hashing import BITS, cache_numbers, term_number
from portal.matching.language.word_cache import LONGEST_WORD
from portal.matching.segments.kernel_arrays import Unsupported, WeightArrays
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from portal.matching.segments.singles import Singles

_CACHED = 500_000
_FEWEST_KEYS = 2
"""Weights of fewer terms are not looked up all at once."""
_FEW = 16
"""Up to so many numbers are looked up one by one in a table."""
_MANY = 64
"""More numbers than this are looked up in a large table by arrays."""
_LARGE = 1 << 16
"""A table of so many terms is divided into buckets."""
_NOWHERE = -1.0
"""Stands for the weight of a term that does not occur; no weight is negative."""


class TermTable:
    """Distinct term numbers in rising order."""

    def __init__(self, numbers: NDArray[np.uint64]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __reduce__(self) -> tuple[type[TermTable], tuple[NDArray[np.uint64]]]:
        return TermTable, (np.asarray(self.numbers),)

    def find(self, number: int) -> int:
        """The place of one number, -1 if it is not there."""
        if len(self.numbers) < _LARGE:
            place = bisect_left(self._view, number)
            return place if place < len(self._view) and self._view[place] == number else -1
        view, shift, first = self._buckets
        bucket = number >> shift
        for place in range(first[bucket], first[bucket + 1]):
            if view[place] == number:
                return place
        return -1

    def find_all(self, numbers: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The places of `numbers`, -1 for those that are not there."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, dtype=np.int64)
        if len(numbers) <= _FEW:
            return np.array(list(map(self.find, numbers.tolist())), dtype=np.int64)
        if len(numbers) > _MANY and len(self.numbers) > _LARGE:
            return self._find_many(numbers)
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        known_places: NDArray[np.int64] = np.where(self.numbers[places] == numbers, places, -1)
        return known_places

    def _find_many(self, numbers: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The same as `find_all`, by buckets: about two memory accesses per number instead of twenty by bisection."""
        _, shift, first = self._buckets
        edges = np.asarray(first)
        bucket = (numbers >> np.uint64(shift)).astype(np.int64)
        begins = edges[bucket].astype(np.int64)
        sizes = edges[bucket + 1] - begins
        entries = ranges(begins, sizes)
        matching = np.flatnonzero(self.numbers[entries] == np.repeat(numbers, sizes))
        places = np.full(len(numbers), -1, dtype=np.int64)
        places[np.repeat(np.arange(len(numbers)), sizes)[matching]] = entries[matching]
        return places

    def buckets(self) -> tuple[NDArray[np.int32], int] | None:
        """Where each bucket begins, and the shift that turns a number into its bucket. None if there are few terms."""
        if len(self.numbers) < _LARGE:
            return None
        _, shift, first = self._buckets
        return np.asarray(first), shift

    @cached_property
    def _view(self) -> memoryview:
        return np.ascontiguousarray(self.numbers).data

    @cached_property
    def _buckets(self) -> tuple[memoryview, int, memoryview]:
        """The numbers, the shift that turns one into its bucket, and where each bucket begins."""
        shift = max(0, BITS - max(0, len(self.numbers).bit_length() - 1))
        first = np.zeros((1 << (BITS - shift)) + 1, np.int32)
        sizes = np.bincount((self.numbers >> np.uint64(shift)).view(np.int64), minlength=len(first) - 1)
        np.cumsum(sizes, out=first[1:])
        return self._view, shift, first.data


class Weights:
    """The smoothed inverse document frequency of terms: ln((1 + works) / (1 + works with it)) + 1.

    `idf` (float32) holds it for the terms of `table`. Those in `singles` occur in one work; unknown terms weigh as if
    they occurred in none.
    """

    def __init__(self, table: TermTable, idf: NDArray[np.float32], singles: Singles, works: int) -> None:
        self.table = table
        self.idf = idf
        self.singles = singles
        self.works = works
        self.unseen = float(np.float32(math.log(1 + works) + 1))
        self.of_singles = idf_of_singles(works)
        self._weight_of: dict[str, float] = {}
        self._occurs: dict[str, bool] = {}

    def __reduce__(self) -> tuple[type[Weights], tuple[TermTable, NDArray[np.float32], Singles, int]]:
        return Weights, (self.table, np.asarray(self.idf), self.singles, self.works)

    def __contains__(self, key: str) -> bool:
        occurs = self._occurs.get(key)
        if occurs is None:
            number = term_number(key)
            occurs = self.table.find(number) >= 0 or self.singles.find(number) >= 0
            if len(key) <= LONGEST_WORD:
                if len(self._occurs) >= _CACHED:
                    self._occurs.clear()
                self._occurs[key] = occurs
        return occurs

    def __len__(self) -> int:
        return len(self.table) + len(self.singles)

    def of(self, key: str) -> float:
        """The weight of the term with this key."""
        weight = self._weight_of.get(key)
        if weight is None:
            number = term_number(key)
            place = self.table.find(number)
            if place >= 0:
                weight = float(self.idf[place])
            else:
                weight = self.of_singles if self.singles.find(number) >= 0 else self.unseen
            if len(key) <= LONGEST_WORD:
                if len(self._weight_of) >= _CACHED:
                    self._weight_of.clear()
                self._weight_of[key] = weight
        return weight

    def of_few(self, keys: Collection[str]) -> list[float]:
        """The weights of several terms by their keys."""
        self.look_up(keys)
        weights = self._weight_of
        # Another thread may have emptied the cache meanwhile.
        return [weights[key] if key in weights else self.of(key) for key in keys]

    def look_up(self, keys: Iterable[str]) -> None:
        """Cache the weights of several terms at once, in a fraction of the time of one after another, with kernels."""
        weights, occurs = self._weight_of, self._occurs
        missing = [key for key in keys if key not in weights]
        kernels = compiled.kernels()
        if len(missing) < _FEWEST_KEYS or kernels is None or self._arrays is None:
            return
        text = "\n".join((*missing, ""))
        if not text.isascii() or text.count("\n") > len(missing):
            return
        encoded = np.frombuffer(text.encode(), np.uint8)
        numbers, found_weights = kernels.weights_of_keys(
            self._arrays.table, encoded, len(missing), self.of_singles, _NOWHERE
        )
        cache_numbers(missing, numbers.tolist())
        if len(weights) >= _CACHED:
            weights.clear()
            occurs.clear()
        for key, weight in zip(missing, found_weights.tolist(), strict=True):
            if len(key) > LONGEST_WORD:
                continue
            occurs[key] = is_known = weight != _NOWHERE
            weights[key] = weight if is_known else self.unseen

    def of_all(self, numbers: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The weights of several terms by their numbers."""
        kernels = compiled.kernels()
        if kernels is not None and len(numbers) > _FEW and self._arrays is not None:
            return kernels.weights_of(self._arrays.table, numbers, self.of_singles, self.unseen)
        places = self.table.find_all(numbers)
        weights = self.idf[places] if len(self.idf) else np.zeros(len(numbers), np.float32)
        missing = np.flatnonzero(places < 0)
        weights[missing] = self.unseen
        if len(self.singles):
            weights[missing[self.singles.find_all(numbers[missing])[0]]] = self.of_singles
        return weights

    @cached_property
    def _arrays(self) -> WeightArrays | None:
        """The weights as kernels read them; None if kernels cannot."""
        try:
            return WeightArrays(self.table, self.idf, self.singles)
        except Unsupported:
            return None


def idf_of_singles(works: int) -> float:
    """The weight of a term that occurs in exactly one of `works` works."""
    return float(smoothed(np.ones(1, np.int64), works)[0])


def smoothed(frequency: NDArray[np.int64], works: int) -> NDArray[np.float32]:
    """The weights of terms that occur in `frequency` of `works` works."""
    return (np.log((1 + works) / (1 + frequency)) + 1).astype(np.float32)
