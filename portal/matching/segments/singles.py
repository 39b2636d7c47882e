"""Terms that occur once in a single work. In large corpora most terms do, so they are stored in six bytes each.

The high bits of a term's number select its bucket. The low bits share a 32-bit word with the high bits of the row; the
low 16 bits of the row are stored separately.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.hashing import BITS
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PER_BUCKET = 8
_WORTH_IT = 2
"""Terms per bucket: as planned, and the least for which this layout saves memory."""
_HALF, _WORD = 16, 32
"""Bits of `Singles.low` and of `Singles.packed`."""
_FEW = 16
"""Up to so many terms are faster looked up one by one."""


@dataclass(frozen=True)
class Singles:
    """Bucket b has the entries `starts[b]` … `starts[b + 1] - 1`; `packed` holds `high` bits of each row."""

    starts: NDArray[np.uint32]
    packed: NDArray[np.uint32]
    low: NDArray[np.uint16]
    high: int

    @staticmethod
    @cache
    def none() -> Singles:
        """No terms."""
        return Singles(np.zeros(2, np.uint32), np.zeros(0, np.uint32), np.zeros(0, np.uint16), 0)

    @staticmethod
    def is_worth_it(terms: int, rows: int) -> bool:
        """Whether so many terms in so many rows take less memory here than in the postings."""
        return terms >= _WORTH_IT << _bits(terms, rows)

    @classmethod
    def of(cls, numbers: NDArray[np.uint64], rows: NDArray[np.int32], count: int) -> Singles:
        """The terms with these numbers (rising), each in one of `count` rows."""
        if not len(numbers):
            return cls.none()
        high = _high(count)
        bits = _bits(len(numbers), count)
        rest = BITS - bits
        edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(rest)
        starts = np.searchsorted(numbers, edges).astype(np.uint32)
        remainders = (numbers & np.uint64((1 << rest) - 1)).astype(np.uint32)
        packed = remainders << np.uint32(high) | (rows >> _HALF).astype(np.uint32)
        return cls(starts, packed, (rows & ((1 << _HALF) - 1)).astype(np.uint16), high)

    def __reduce__(self) -> tuple[type[Singles], tuple[object, ...]]:
        return Singles, (np.asarray(self.starts), np.asarray(self.packed), np.asarray(self.low), self.high)

    def __len__(self) -> int:
        return len(self.packed)

    def find(self, number: int) -> int:
        """The row of the term with this number, -1 if it is not there."""
        starts, packed, low, rest, high = self._views
        bucket, wanted = number >> rest, (number & ((1 << rest) - 1)) << high
        end = starts[bucket + 1]
        place = bisect_left(packed, wanted, starts[bucket], end)
        if place == end or (row := packed[place] - wanted) >> high:
            return -1
        return row << _HALF | low[place]

    def find_all(self, numbers: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places in `numbers` that were found, and the row of each."""
        if len(numbers) <= _FEW:
            places_and_rows = [
                (place, row) for place, number in enumerate(numbers.tolist()) if (row := self.find(number)) >= 0
            ]
            columns = np.array(places_and_rows, dtype=np.int64).reshape(len(places_and_rows), 2)
            return columns[:, 0], columns[:, 1]
        return self._find_many(numbers)

    def _find_many(self, numbers: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same as `find_all`, by arrays."""
        rest = np.uint64(self._rest)
        bucket = (numbers >> rest).astype(np.int64)
        begins = self.starts[bucket].astype(np.int64)
        sizes = self.starts[bucket + 1] - begins
        wanted = (numbers & np.uint64((1 << self._rest) - 1)).astype(np.uint32)
        entries = ranges(begins, sizes)
        packed = self.packed[entries]
        matching = np.flatnonzero(packed >> np.uint32(self.high) == np.repeat(wanted, sizes))
        rows = (packed[matching] & np.uint32((1 << self.high) - 1)).astype(np.int64) << _HALF | self.low[
            entries[matching]
        ]
        return np.repeat(np.arange(len(numbers)), sizes)[matching], rows

    @property
    def _rest(self) -> int:
        """How many low bits of a term's number do not select its bucket."""
        return BITS - (len(self.starts) - 1).bit_length() + 1

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview, memoryview, int, int]:
        """The arrays, from which single elements are read faster like this, `_rest` and `high`."""
        starts, packed, low = map(np.ascontiguousarray, (self.starts, self.packed, self.low))
        return starts.data, packed.data, low.data, self._rest, self.high


def _high(rows: int) -> int:
    """How many bits of the number of one of `rows` rows do not fit into `Singles.low`."""
    return max(0, (rows - 1).bit_length() - _HALF)


def _bits(terms: int, rows: int) -> int:
    """How many bits of a term's number select its bucket: enough that the others fit into `Singles.packed`."""
    return max(BITS - _WORD + _high(rows), (terms // _PER_BUCKET).bit_length())
