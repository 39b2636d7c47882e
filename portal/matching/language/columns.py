"""Records that grow, of which what was read stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_FEWEST = 1024


class Records:
    """Records of one kind, which may have fields; all of a record stands together in memory."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._values: NDArray[Any] = np.zeros(_FEWEST, dtype=kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, count: int, **fields: Sequence[int] | NDArray[Any] | np.uint64 | int) -> None:
        """Put so many records behind the others; of a field all values are given, or one for all; others are 0."""
        first = self._make_room(count)
        for name, values in fields.items():
            self._values[name][first : first + count] = values

    def append(self, values: Sequence[int]) -> None:
        """Put records without fields behind the others."""
        first = self._make_room(len(values))
        self._values[first : first + len(values)] = values

    def _make_room(self, count: int) -> int:
        first, self._count = self._count, self._count + count
        if self._count > len(self._values):
            self._values = np.concatenate((self._values, np.zeros(self._count, dtype=self._values.dtype)))
        return first

    @property
    def values(self) -> NDArray[Any]:
        """All records, with room behind them."""
        return self._values


def offset(kind: np.dtype[Any]) -> Callable[[str], int]:
    """Tells where the field of a name stands in records of this kind, in bytes.

    Raises:
        KeyError: there is none of that name.
    """
    fields = dict(kind.fields or {})
    return lambda name: fields[name][1]
