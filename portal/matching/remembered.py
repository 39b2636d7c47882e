"""A small cache that is not pickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """Caches values by number, the last `most` of them. Safe to use from any number of threads."""

    __slots__ = ("_held", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[int, Found] = {}

    def __reduce__(self) -> tuple[type[Remembered[Found]], tuple[int]]:
        return Remembered, (self._most,)

    def of(self, number: int, find: Callable[[], Found]) -> Found:
        """The value for a number, from the cache or else from `find`."""
        found = self._held.pop(number, None)
        if found is None:
            found = find()
        self._held[number] = found
        while len(self._held) > self._most:
            # Another thread may have removed the first one meanwhile.
            self._held.pop(next(iter(self._held), number), None)
        return found

    def __contains__(self, number: int) -> bool:
        return number in self._held
