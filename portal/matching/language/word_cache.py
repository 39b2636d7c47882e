"""Caches of what is known of single words: bounded in their number, and without words of unusual length.

Texts may hold "words" of any length, such as pasted data; a number of them would be no bound. No word of a language or
name of a system comes near `LONGEST_WORD`, not even two of them as one key, so that what is left out is not missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")

LONGEST_WORD = 100
"""Characters. What longer words give is computed each time."""


class WordCache(dict[str, Value]):
    """What `compute` gives for words, as `cache[word]`; emptied once it has `most` words. Safe to use from any number
    of threads.
    """

    def __init__(self, compute: Callable[[str], Value], most: int) -> None:
        super().__init__()
        self._compute, self._most = compute, most

    def __missing__(self, word: str) -> Value:
        value = self._compute(word)
        if len(word) <= LONGEST_WORD:
            if len(self) >= self._most:
                self.clear()
            self[word] = value
        return value


def cached_by_word(most: int) -> Callable[[Callable[[str], Value]], Callable[[str], Value]]:
    """Decorate a function of a word so that what it gives for `most` words is cached."""

    def cached(compute: Callable[[str], Value]) -> Callable[[str], Value]:
        return WordCache(compute, most).__getitem__

    return cached
