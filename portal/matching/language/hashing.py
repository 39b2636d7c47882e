"""Term keys as numbers of 50 bits, so that text is counted with arrays instead of strings.

The polynomial of a key is Σ (code + 1) · BASE^(characters after it) modulo 2^64. That of a concatenation follows from
those of both parts, so pairs of words are hashed without building the string. The number of a term is its polynomial,
mixed and cut to 50 bits: among ten million terms, two share a number with probability 0.05.
"""

from __future__ import annotations

from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.word_cache import LONGEST_WORD, WordCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

BITS = 50
_MASK = (1 << 64) - 1
_MANY = 16
_CACHED = 262_144
BASE = 0x9E3779B97F4A7C15
FIRST_FACTOR, SECOND_FACTOR = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def polynomial(text: str) -> int:
    """The polynomial of a string."""
    powers, of_ones = _powers(len(text))
    codes: Iterable[int] = text.encode("ascii") if text.isascii() else map(ord, text)
    value: int = sum(map(mul, codes, powers)) + of_ones
    return value & _MASK


@lru_cache(maxsize=256)
def _powers(length: int) -> tuple[tuple[int, ...], int]:
    """The factors of the characters of a string of this length, and the sum of the factors."""
    powers = tuple(pow(BASE, following, 1 << 64) for following in reversed(range(length)))
    return powers, sum(powers)


@lru_cache(maxsize=4096)
def power(length: int) -> int:
    """The factor for the polynomial of a string to which `length` characters are appended."""
    return pow(BASE, length, 1 << 64)


_numbers = WordCache(lambda key: mixed(polynomial(key)), _CACHED)
"""The numbers of terms by key."""


def term_number(key: str) -> int:
    """The number of the term with this key."""
    return _numbers[key]


def few_term_numbers(keys: Iterable[str]) -> list[int]:
    """The numbers of a few keys, as Python's integers."""
    return list(map(_numbers.__getitem__, keys))


def cache_numbers(keys: Sequence[str], numbers: Sequence[int]) -> None:
    """Cache the numbers of some keys that were computed elsewhere."""
    if len(_numbers) >= _CACHED:
        _numbers.clear()
    _numbers.update((key, number) for key, number in zip(keys, numbers, strict=True) if len(key) <= LONGEST_WORD)


def term_numbers(keys: Sequence[str]) -> NDArray[np.uint64]:
    """The numbers of several keys."""
    if len(keys) < _MANY or not all(keys):
        return np.array(few_term_numbers(keys), dtype=np.uint64)
    return all_mixed(polynomials(keys))


def polynomials(texts: Sequence[str]) -> NDArray[np.uint64]:
    """The polynomials of several strings."""
    if len(texts) < _MANY or not all(texts):
        return np.array([polynomial(text) for text in texts], dtype=np.uint64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    ends = np.cumsum([len(text) for text in texts])
    begins = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    following = np.repeat(ends, ends - begins) - np.arange(len(codes)) - 1
    powers = np.full(int(following.max()) + 1, BASE, dtype=np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    sums: NDArray[np.uint64] = np.add.reduceat((codes + np.uint64(1)) * powers[following], begins)
    return sums


def mixed(value: int) -> int:
    """The number of the term with this polynomial."""
    value = ((value ^ (value >> 31)) * FIRST_FACTOR) & _MASK
    value = ((value ^ (value >> 27)) * SECOND_FACTOR) & _MASK
    return (value ^ (value >> 31)) >> (64 - BITS)


def all_mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`mixed` for an array."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(FIRST_FACTOR)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    numbers: NDArray[np.uint64] = (values ^ (values >> np.uint64(31))) >> np.uint64(64 - BITS)
    return numbers
