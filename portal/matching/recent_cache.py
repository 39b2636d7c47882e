"""A small cache of the values used last, which is not pickled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


class RecentCache(Generic[Value]):
    """Caches the `most` values used last, by an integer key. Safe to use from any number of threads."""

    __slots__ = ("_most", "_using", "_values")

    def __init__(self, most: int) -> None:
        self._most = most
        self._using = threading.Lock()
        self._values: dict[int, Value] = {}

    def __reduce__(self) -> tuple[type[RecentCache[Value]], tuple[int]]:
        return RecentCache, (self._most,)

    def of(self, key: int, compute: Callable[[], Value]) -> Value:
        """The value for a key, from the cache or else from `compute`."""
        with self._using:
            value = self._values.pop(key, None)
        if value is None:
            value = compute()
        with self._using:
            self._values[key] = value
            while len(self._values) > self._most:
                del self._values[next(iter(self._values))]
        return value

    def __contains__(self, key: int) -> bool:
        return key in self._values
