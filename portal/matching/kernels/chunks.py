"""Finds the numbers of the chunks (stretches without spaces) of texts; see `portal.matching.language.chunk_table`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.kernels.memory import fetch, kernel, numbers_at
from portal.matching.language.chunk_table import LONGEST, NUMBER, SLOT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Longs = NDArray[np.int64]
    Slots = NDArray[np.uint64]

_AT_ONCE = 32
"""Chunks per batch: their slots are all prefetched before the first one is read."""
_SPACES = np.zeros(256, np.bool_)
"""The spaces of ASCII, as `str.split` knows them."""
_SPACES[[*range(9, 14), *range(28, 33)]] = True
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_HALF, _ONE, _WORD = np.uint64(32), np.uint64(1), np.uint64(8)
_EACH, _HIGHEST_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_ABOVE_BLANKS = np.uint64(0x2121212121212121)
_IS_LITTLE_ENDIAN = sys.byteorder == "little"
_SIZE, _LONGEST, _SLOT = np.uint64(56), np.uint64(LONGEST), np.uint64(SLOT)


class Chunk(NamedTuple):
    """A chunk of at most `LONGEST` bytes as slots store it: 24 bytes, the last of which is the number of the others."""

    first: np.uint64
    second: np.uint64
    third: np.uint64


class Batch(NamedTuple):
    """A batch of chunks whose slots are being prefetched: the three numbers of each, and its first slot."""

    first: Slots
    second: Slots
    third: Slots
    slots: Slots


@kernel
def _slot(chunk: Chunk, slots: Slots) -> np.uint64:
    """The beginning of the first slot that may hold a chunk."""
    value = (chunk.first ^ (chunk.first >> _HALF)) * _FIRST
    value = (value ^ chunk.second ^ (value >> _HALF)) * _SECOND
    value = (value ^ chunk.third ^ (value >> _HALF)) * _FIRST
    return ((value ^ (value >> _HALF)) * _SLOT) & np.uint64(len(slots) - 1)


@kernel
def _number(chunk: Chunk, slot: np.uint64, slots: Slots) -> np.int64:
    """The number of a chunk whose first slot is `slot`, -1 if it is not in the table."""
    mask = np.uint64(len(slots) - 1)
    while slots[slot + np.uint64(2)]:
        if (
            slots[slot] == chunk.first
            and slots[slot + _ONE] == chunk.second
            and slots[slot + np.uint64(2)] == chunk.third
        ):
            return np.int64(slots[slot + np.uint64(NUMBER)])
        slot = (slot + _SLOT) & mask
    return np.int64(-1)


@kernel
def _past_spaces(text: Bytes, place: np.uint64, end: np.uint64) -> np.uint64:
    """The end of any spaces at `place`."""
    while place < end and _SPACES[text[place]]:
        place += _ONE
    return place


@kernel
def _read(text: Bytes, begin: np.uint64, end: np.uint64) -> tuple[Chunk, np.uint64]:
    """The chunk that begins at `begin`, and its end."""
    place, first, second, third = begin, np.uint64(0), np.uint64(0), np.uint64(0)
    while place < end:
        byte = text[place]
        if _SPACES[byte]:
            break
        size = place - begin
        shifted = np.uint64(byte) << (_WORD * (size & np.uint64(7)))
        if size < np.uint64(8):
            first |= shifted
        elif size < np.uint64(16):
            second |= shifted
        else:
            third |= shifted
        place += _ONE
    if place - begin > _LONGEST:
        return Chunk(_ONE, _ONE, _ONE), place  # equal to no chunk
    return Chunk(first, second, third | ((place - begin) << _SIZE)), place


@kernel
def _first_blank(word: np.uint64) -> np.uint64:
    """The highest bit of the first of eight bytes that is not above a space, 0 if there is none."""
    blanks = (word - _ABOVE_BLANKS) & ~word & _HIGHEST_BITS
    return blanks & (~blanks + _ONE)


@kernel
def _read_by_words(text: Bytes, begin: np.uint64, end: np.uint64) -> tuple[Chunk, np.uint64]:
    """The same as `_read`, eight bytes at a time, if a space ends the chunk, as is nearly always the case."""
    first = second = third = blank = np.uint64(0)
    size = np.uint64(0)
    if _IS_LITTLE_ENDIAN and begin + _LONGEST < np.uint64(len(text)):
        address = text.ctypes.data + np.int64(begin)
        first = numbers_at(address, 1)[0]
        blank = _first_blank(first)
        if blank:
            first, size = first & _bytes_before(blank), _count_before(blank)
        else:
            second = numbers_at(address + 8, 1)[0]
            blank = _first_blank(second)
            if blank:
                second, size = second & _bytes_before(blank), np.uint64(8) + _count_before(blank)
            else:
                third = numbers_at(address + 16, 1)[0]
                blank = _first_blank(third)
                third, size = third & _bytes_before(blank), np.uint64(16) + _count_before(blank)
    place = begin + size
    if blank and place <= end and (place == end or _SPACES[text[place]]):
        return Chunk(first, second, third | (size << _SIZE)), place
    return _read(text, begin, end)


@kernel
def _bytes_before(blank: np.uint64) -> np.uint64:
    """A mask of the bytes before the one whose highest bit is `blank`."""
    return (blank >> np.uint64(7)) - _ONE


@kernel
def _count_before(blank: np.uint64) -> np.uint64:
    """The number of bytes before the one whose highest bit is `blank`."""
    return ((_bytes_before(blank) & _EACH) * _EACH) >> _SIZE


@kernel
def _find(batch: Batch, count: np.uint64, slots: Slots, numbers: Longs) -> None:
    """Write the numbers of a batch of chunks into `numbers`."""
    for place in range(count):
        chunk = Chunk(batch.first[place], batch.second[place], batch.third[place])
        numbers[place] = _number(chunk, batch.slots[place], slots)


@kernel
def number_chunks(text: Bytes, piece_ends: Longs, slots: Slots) -> tuple[Longs, Longs, Longs, Longs]:
    """Find the chunks in the pieces of `text`, which end at `piece_ends` and have a space between them.

    Returns the number of every chunk (-1 if it is not in the table), their beginnings and ends, and the number of
    chunks in each piece.
    """
    most_chunks = (len(text) + len(piece_ends)) // 2 + 1
    numbers, begins, ends = (
        np.empty(most_chunks, np.int64),
        np.empty(most_chunks, np.int64),
        np.empty(most_chunks, np.int64),
    )
    counts = np.zeros(len(piece_ends), np.int64)
    batch_memory = np.empty((4, _AT_ONCE), np.uint64)
    batch, waiting = Batch(batch_memory[0], batch_memory[1], batch_memory[2], batch_memory[3]), np.uint64(0)
    count = place = np.uint64(0)
    for piece in range(len(piece_ends)):
        count_before, end = count, np.uint64(piece_ends[piece])
        place = _past_spaces(text, place, end)
        while place < end:
            begins[count] = place
            chunk, place = _read_by_words(text, place, end)
            ends[count] = place
            slot = _slot(chunk, slots)
            fetch(slots.ctypes.data + np.int64(8 * slot))
            batch.first[waiting], batch.second[waiting], batch.third[waiting] = chunk.first, chunk.second, chunk.third
            batch.slots[waiting] = slot
            count += _ONE
            waiting += _ONE
            if waiting == _AT_ONCE:
                _find(batch, waiting, slots, numbers[count - waiting :])
                waiting = np.uint64(0)
            place = _past_spaces(text, place, end)
        counts[piece] = count - count_before
    _find(batch, waiting, slots, numbers[count - waiting :])
    return numbers[:count], begins[:count], ends[:count], counts


@kernel
def enter_chunks(slots: Slots, text: Bytes, ends: Longs, first: int) -> None:
    """Add the chunks that end at `ends` in `text`, numbered from `first` on, to a table with room for them."""
    begin, mask = np.uint64(0), np.uint64(len(slots) - 1)
    for number in range(len(ends)):
        end = np.uint64(ends[number])
        if end - begin <= _LONGEST:
            chunk = _read(text, begin, end)[0]
            slot = _slot(chunk, slots)
            while slots[slot + np.uint64(2)]:
                slot = (slot + _SLOT) & mask
            slots[slot], slots[slot + _ONE], slots[slot + np.uint64(2)] = chunk.first, chunk.second, chunk.third
            slots[slot + np.uint64(NUMBER)] = np.uint64(first + number)
        begin = end
