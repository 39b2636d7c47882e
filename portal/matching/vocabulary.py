"""Term keys → columns and weights. The weights are frozen at fit; keys met later weigh as unseen ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Vocabulary:
    """The columns of an index. `add` is the only method that changes it, and it only appends."""

    def __init__(self, keys: Sequence[str], document_frequency: NDArray[np.int64], works: int) -> None:
        self.works = works
        self.document_frequency = document_frequency
        self._ids = {key: column for column, key in enumerate(keys)}
        self.fitted = len(keys)
        self.idf: NDArray[np.float32] = (np.log((1 + works) / (1 + document_frequency)) + 1).astype(np.float32)
        self.unseen_idf = math.log(1 + works) + 1

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, key: str) -> bool:
        return key in self._ids

    def column(self, key: str) -> int | None:
        """The column of `key`, None when no lab uses it."""
        return self._ids.get(key)

    def keys(self) -> list[str]:
        """All keys in the order of their columns."""
        return list(self._ids)

    def weight(self, key: str) -> float:
        """The smoothed inverse document frequency of `key`: ln((1 + works) / (1 + works with it)) + 1."""
        column = self._ids.get(key)
        return float(self.idf[column]) if column is not None and column < self.fitted else self.unseen_idf

    def weights(self, columns: NDArray[np.int64]) -> NDArray[np.float32]:
        """The weights of `columns`, float32."""
        weights = np.full(len(columns), self.unseen_idf, dtype=np.float32)
        known = columns < self.fitted
        weights[known] = self.idf[columns[known]]
        return weights

    def frequency(self, key: str) -> int:
        """In how many of the works fitted on `key` occurs."""
        column = self._ids.get(key)
        return int(self.document_frequency[column]) if column is not None and column < self.fitted else 0

    def add(self, keys: Iterable[str]) -> None:
        """Give every new key a column behind the existing ones, in alphabetical order."""
        for key in sorted(set(keys) - self._ids.keys()):
            self._ids[key] = len(self._ids)
