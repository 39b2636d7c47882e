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


class Held(NamedTuple):
    """A chunk of at most `LONGEST` bytes as slots store it: its bytes, and in the last of 24 bytes their number."""

    one: np.uint64
    two: np.uint64
    three: np.uint64


class Waiting(NamedTuple):
    """A batch of chunks whose slots are being prefetched: their bytes as three numbers, and their first slots."""

    ones: Slots
    twos: Slots
    threes: Slots
    slots: Slots


@kernel
def _slot(held: Held, slots: Slots) -> np.uint64:
    """The beginning of the first slot that may hold a chunk."""
    value = (held.one ^ (held.one >> _HALF)) * _FIRST
    value = (value ^ held.two ^ (value >> _HALF)) * _SECOND
    value = (value ^ held.three ^ (value >> _HALF)) * _FIRST
    return ((value ^ (value >> _HALF)) * _SLOT) & np.uint64(len(slots) - 1)


@kernel
def _number(held: Held, slot: np.uint64, slots: Slots) -> np.int64:
    """The number of a chunk whose first slot is `slot`, -1 if it is not in the table."""
    mask = np.uint64(len(slots) - 1)
    while slots[slot + np.uint64(2)]:
        if slots[slot] == held.one and slots[slot + _ONE] == held.two and slots[slot + np.uint64(2)] == held.three:
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
def _read(text: Bytes, begin: np.uint64, end: np.uint64) -> tuple[Held, np.uint64]:
    """The chunk that begins at `begin`, and its end."""
    place, one, two, three = begin, np.uint64(0), np.uint64(0), np.uint64(0)
    while place < end:
        byte = text[place]
        if _SPACES[byte]:
            break
        size = place - begin
        shifted = np.uint64(byte) << (_WORD * (size & np.uint64(7)))
        if size < np.uint64(8):
            one |= shifted
        elif size < np.uint64(16):
            two |= shifted
        else:
            three |= shifted
        place += _ONE
    if place - begin > _LONGEST:
        return Held(_ONE, _ONE, _ONE), place  # equal to no chunk
    return Held(one, two, three | ((place - begin) << _SIZE)), place


@kernel
def _first_blank(word: np.uint64) -> np.uint64:
    """The highest bit of the first of eight bytes that is not above a space, 0 if there is none."""
    blanks = (word - _ABOVE_BLANKS) & ~word & _HIGHEST_BITS
    return blanks & (~blanks + _ONE)


@kernel
def _read_by_words(text: Bytes, begin: np.uint64, end: np.uint64) -> tuple[Held, np.uint64]:
    """The same as `_read`, eight bytes at a time, if a space ends the chunk, as is nearly always the case."""
    one = two = three = blank = np.uint64(0)
    size = np.uint64(0)
    if _IS_LITTLE_ENDIAN and begin + _LONGEST < np.uint64(len(text)):
        address = text.ctypes.data + np.int64(begin)
        one = numbers_at(address, 1)[0]
        blank = _first_blank(one)
        if blank:
            one, size = one & _bytes_before(blank), _count_before(blank)
        else:
            two = numbers_at(address + 8, 1)[0]
            blank = _first_blank(two)
            if blank:
                two, size = two & _bytes_before(blank), np.uint64(8) + _count_before(blank)
            else:
                three = numbers_at(address + 16, 1)[0]
                blank = _first_blank(three)
                three, size = three & _bytes_before(blank), np.uint64(16) + _count_before(blank)
    place = begin + size
    if blank and place <= end and (place == end or _SPACES[text[place]]):
        return Held(one, two, three | (size << _SIZE)), place
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
def _find(waiting: Waiting, count: np.uint64, slots: Slots, found: Longs) -> None:
    """Write the numbers of a batch of chunks into `found`."""
    for place in range(count):
        held = Held(waiting.ones[place], waiting.twos[place], waiting.threes[place])
        found[place] = _number(held, waiting.slots[place], slots)


@kernel
def number_chunks(text: Bytes, piece_ends: Longs, slots: Slots) -> tuple[Longs, Longs, Longs, Longs]:
    """Find the chunks in the pieces of `text`, which end at `piece_ends` and have a space between them.

    Returns the number of every chunk (-1 if it is not in the table), their beginnings and ends, and the number of
    chunks in each piece.
    """
    most = (len(text) + len(piece_ends)) // 2 + 1
    numbers, begins, behind = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    counts = np.zeros(len(piece_ends), np.int64)
    room = np.empty((4, _AT_ONCE), np.uint64)
    waiting, held_back = Waiting(room[0], room[1], room[2], room[3]), np.uint64(0)
    found = place = np.uint64(0)
    for piece in range(len(piece_ends)):
        before, end = found, np.uint64(piece_ends[piece])
        place = _past_spaces(text, place, end)
        while place < end:
            begins[found] = place
            held, place = _read_by_words(text, place, end)
            behind[found] = place
            slot = _slot(held, slots)
            fetch(slots.ctypes.data + np.int64(8 * slot))
            waiting.ones[held_back], waiting.twos[held_back], waiting.threes[held_back] = held.one, held.two, held.three
            waiting.slots[held_back] = slot
            found += _ONE
            held_back += _ONE
            if held_back == _AT_ONCE:
                _find(waiting, held_back, slots, numbers[found - held_back :])
                held_back = np.uint64(0)
            place = _past_spaces(text, place, end)
        counts[piece] = found - before
    _find(waiting, held_back, slots, numbers[found - held_back :])
    return numbers[:found], begins[:found], behind[:found], counts


@kernel
def enter_chunks(slots: Slots, text: Bytes, ends: Longs, first: int) -> None:
    """Add the chunks that end at `ends` in `text`, numbered from `first` on, to a table with room for them."""
    begin, mask = np.uint64(0), np.uint64(len(slots) - 1)
    for number in range(len(ends)):
        end = np.uint64(ends[number])
        if end - begin <= _LONGEST:
            held = _read(text, begin, end)[0]
            slot = _slot(held, slots)
            while slots[slot + np.uint64(2)]:
                slot = (slot + _SLOT) & mask
            slots[slot], slots[slot + _ONE], slots[slot + np.uint64(2)] = held.one, held.two, held.three
            slots[slot + np.uint64(NUMBER)] = np.uint64(first + number)
        begin = end
