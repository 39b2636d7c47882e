"""Term keys → columns and weights. The weights are frozen at fit; keys met later weigh as unseen ones."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_REMEMBERED = 200_000


class KeyTable:
    """Sorted keys as one block of UTF-8 with offsets: small, and shared between processes when mapped.

    `block` holds all keys one after another, `offsets` (one more than keys) where each begins.
    """

    def __init__(self, block: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.block = block
        self.offsets = offsets
        self._bytes = block.data
        self._find: Callable[[str], int | None] = lru_cache(maxsize=_REMEMBERED)(self._search)

    @classmethod
    def build(cls, keys: Sequence[str]) -> KeyTable:
        """A table of `keys`, which are sorted and distinct."""
        encoded = [key.encode() for key in keys]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(key) for key in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return (self._at(place).decode() for place in range(len(self)))

    def __getstate__(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        return np.asarray(self.block), np.asarray(self.offsets)

    def __setstate__(self, state: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def find(self, key: str) -> int | None:
        """The place of `key`, None when it is not in the table."""
        return self._find(key)

    def _at(self, place: int) -> bytes:
        return bytes(self._bytes[self.offsets[place] : self.offsets[place + 1]])

    def _search(self, key: str) -> int | None:
        wanted = key.encode(errors="surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._at(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._at(low) == wanted else None


class Vocabulary:
    """The columns of an index. `add` is the only method that changes it, and it only appends.

    `document_frequency` counts, per key of `table`, the works with it out of `works`.
    """

    def __init__(self, table: KeyTable, document_frequency: NDArray[np.int32], works: int) -> None:
        self.table = table
        self.works = works
        self.document_frequency = document_frequency
        self.fitted = len(table)
        self.idf: NDArray[np.float32] = (np.log((1 + works) / (1 + document_frequency)) + 1).astype(np.float32)
        self.unseen_idf = float(np.float32(math.log(1 + works) + 1))
        self._added: dict[str, int] = {}

    def __len__(self) -> int:
        return self.fitted + len(self._added)

    def __contains__(self, key: str) -> bool:
        return self.column(key) is not None

    def column(self, key: str) -> int | None:
        """The column of `key`, None when no lab uses it."""
        found = self.table.find(key)
        return found if found is not None else self._added.get(key)

    def weight(self, key: str) -> float:
        """The smoothed inverse document frequency of `key`: ln((1 + works) / (1 + works with it)) + 1."""
        column = self.table.find(key)
        return float(self.idf[column]) if column is not None else self.unseen_idf

    def weights(self, columns: NDArray[np.int32]) -> NDArray[np.float32]:
        """The weights of `columns`, float32."""
        weights = np.full(len(columns), self.unseen_idf, dtype=np.float32)
        known = columns < self.fitted
        weights[known] = self.idf[columns[known]]
        return weights

    def add(self, keys: Iterable[str]) -> None:
        """Give every new key a column behind the existing ones, in alphabetical order."""
        for key in sorted({key for key in keys if key not in self}):
            self._added[key] = self.fitted + len(self._added)
