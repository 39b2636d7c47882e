"""A growing array of records. Arrays read from it earlier stay valid and unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_FEWEST = 1024


class Records:
    """Records of one NumPy type, with or without fields, one after the other in memory."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._values: NDArray[Any] = np.zeros(_FEWEST, dtype=kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, count: int, **fields: Sequence[int] | NDArray[Any] | np.uint64 | int) -> None:
        """Append `count` records. A field has one value per record or one for all; the fields left out are 0."""
        first = self._make_room(count)
        for name, values in fields.items():
            self._values[name][first : first + count] = values

    def append(self, values: Sequence[int]) -> None:
        """Append records without fields."""
        first = self._make_room(len(values))
        self._values[first : first + len(values)] = values

    def _make_room(self, count: int) -> int:
        """Count `count` more records, growing the array if needed. Returns the place of the first."""
        first, self._count = self._count, self._count + count
        if self._count > len(self._values):
            self._values = np.concatenate((self._values, np.zeros(self._count, dtype=self._values.dtype)))
        return first

    @property
    def values(self) -> NDArray[Any]:
        """All records, followed by unused ones."""
        return self._values


def offset(kind: np.dtype[Any]) -> Callable[[str], int]:
    """A function from the name of a field to its offset in records of this type, in bytes.

    Raises:
        KeyError: from the function, if there is no such field.
    """
    fields = dict(kind.fields or {})
    return lambda name: fields[name][1]
