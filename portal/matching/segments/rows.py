"""The rows of labs: for each lab its works, sorted by key, and then its profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rows:
    """Lab i has the rows `first[i]` … `first[i + 1] - 1`; `lab[r]` is the lab of row r."""

    first: NDArray[np.int64]
    lab: NDArray[np.int32]

    @classmethod
    def of(cls, works: Sequence[int] | NDArray[np.int64]) -> Rows:
        """The rows of labs with these numbers of works."""
        if len(works) == 1:
            rows = int(works[0]) + 1
            return cls(np.array([0, rows]), np.zeros(rows, np.int32))
        counts = np.asarray(works, dtype=np.int64) + 1
        first = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=first[1:])
        return cls(first, np.repeat(np.arange(len(counts), dtype=np.int32), counts))

    def __len__(self) -> int:
        return len(self.lab)

    @property
    def labs(self) -> int:
        """How many labs there are."""
        return len(self.first) - 1

    def is_work(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """True for works, False for profiles."""
        is_work: NDArray[np.bool_] = rows != self.first[self.lab[rows] + 1] - 1
        return is_work


def ranges(begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Consecutive integers from each of `begins`, `lengths` of them, all ranges concatenated."""
    ends = lengths.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    shift: NDArray[np.int64] = np.subtract(begins + lengths, ends)
    concatenated: NDArray[np.int64] = np.arange(total) + shift.repeat(lengths)
    return concatenated
