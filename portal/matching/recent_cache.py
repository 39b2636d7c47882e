"""Small caches of the values used last, which are not pickled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

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


class RecentTexts(Generic[Value]):
    """Caches what was made of the texts used last, as long as these have at most `most` characters together.

    A number of texts would be no bound: what is made of a long resume takes a hundred times the memory of what is made
    of a topic. What is made of a text with more characters is not cached. Safe to use from any number of threads.
    """

    __slots__ = ("_characters", "_made", "_most", "_using")

    def __init__(self, most: int) -> None:
        self._most = most
        self._using = threading.Lock()
        self._made: dict[Hashable, tuple[int, Value]] = {}
        self._characters = 0

    def __reduce__(self) -> tuple[type[RecentTexts[Value]], tuple[int]]:
        return RecentTexts, (self._most,)

    def of(self, key: Hashable, characters: int, make: Callable[[], Value]) -> Value:
        """What was made for a key that has texts with so many characters: from the cache or else from `make`."""
        with self._using:
            cached = self._made.pop(key, None)
            if cached is not None:
                self._made[key] = cached
                return cached[1]
        made = make()
        if characters <= self._most:
            with self._using:
                self._add(key, max(1, characters), made)
        return made

    def _add(self, key: Hashable, characters: int, made: Value) -> None:
        if key in self._made:  # another thread was faster
            return
        self._made[key] = (characters, made)
        self._characters += characters
        while self._characters > self._most:
            self._characters -= self._made.pop(next(iter(self._made)))[0]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._made
