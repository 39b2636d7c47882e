"""Finds the numbers of the terms of chunks; see `portal.matching.language.counting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.kernels.memory import bytes_at, fetch, ints_at, kernel, longs_at, numbers_at
from portal.matching.language.chunk_records import CHUNK, ENDS, LETTERS, MAY_END, NUMBER, STOP, UNIT, UNSPACED, WEAK
from portal.matching.language.columns import offset
from portal.matching.language.hashing import BITS, FIRST_FACTOR, SECOND_FACTOR
from portal.matching.language.words import LONGEST_SENTENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.memory import Whole

    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]
    Numbers = NDArray[np.uint64]

_FIRST, _SECOND = np.uint64(FIRST_FACTOR), np.uint64(SECOND_FACTOR)
_HALF, _LESS = np.uint64(31), np.uint64(27)
_CUT = np.uint64(64 - BITS)


_CHUNK, _UNIT = CHUNK.itemsize, UNIT.itemsize
_FIRST_UNIT, _UNITS, _WORDS, _ENDS, _OPENS = map(offset(CHUNK), ("first_unit", "units", "words", "ends", "opens"))
_WHOLE, _TAIL, _SHIFT, _FIRST_PART = map(offset(UNIT), ("whole", "tail", "shift", "first_part"))
_PARTS, _KIND, _ONE, _OTHER = map(offset(UNIT), ("parts", "kind", "first", "second"))
_AHEAD = 16
"""Records are prefetched so many chunks or units before they are read."""


class Units(NamedTuple):
    """The addresses of the units of some chunks, with the sentence and the row of each.

    `parts` is the number of parts of all of them together.
    """

    unit: Longs
    sentence: Longs
    row: Ints
    parts: np.int64


@kernel
def number_of(value: np.uint64) -> np.uint64:
    """The number of a term, computed like `hashing.mixed`."""
    value = (value ^ (value >> _HALF)) * _FIRST
    value = (value ^ (value >> _LESS)) * _SECOND
    return (value ^ (value >> _HALF)) >> _CUT


@kernel
def _byte(record: Whole, field: Whole) -> np.uint8:
    """A field of one byte of the record at the address `record`; `field` is its offset."""
    value: np.uint8 = bytes_at(record + field, 1)[0]
    return value


@kernel
def _int(record: Whole, field: Whole) -> np.int64:
    """The same for a field of a 32-bit integer."""
    return np.int64(ints_at(record + field, 1)[0])


@kernel
def _long(record: Whole, field: Whole) -> np.int64:
    """The same for a field of a 64-bit integer."""
    value: np.int64 = longs_at(record + field, 1)[0]
    return value


@kernel
def _unsigned(record: Whole, field: Whole) -> np.uint64:
    """The same for a field of an unsigned 64-bit integer."""
    value: np.uint64 = numbers_at(record + field, 1)[0]
    return value


@kernel
def _units(tables: Longs, chunks: Longs, counts: Longs, row_of_piece: Longs) -> Units:
    """The units of chunks, with sentences as in `counting.sentences_of`; `counts` are the chunks per piece."""
    total = np.int64(0)
    for place in range(len(chunks)):
        if place + _AHEAD < len(chunks):
            fetch(tables[0] + _CHUNK * chunks[place + _AHEAD])
        total += _int(tables[0] + _CHUNK * chunks[place], _UNITS)
    unit, sentence, row = np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int32)
    unit_count = place = sentence_id = 0
    for piece in range(len(counts)):
        words_before = cuts = np.int64(0)
        end = np.uint8(ENDS)
        for _ in range(counts[piece]):
            chunk = tables[0] + _CHUNK * chunks[place]
            place += 1
            words = _int(chunk, _WORDS)
            if end == ENDS or (end == MAY_END and _byte(chunk, _OPENS)):
                words_before = cuts = np.int64(0)
                sentence_id += 1
            elif words and words_before // LONGEST_SENTENCE > cuts:
                cuts = words_before // LONGEST_SENTENCE
                sentence_id += 1
            end = _byte(chunk, _ENDS)
            words_before += words
            first = _long(chunk, _FIRST_UNIT)
            for unit_id in range(first, first + _int(chunk, _UNITS)):
                unit[unit_count], sentence[unit_count], row[unit_count] = (
                    tables[1] + _UNIT * unit_id,
                    sentence_id,
                    row_of_piece[piece],
                )
                fetch(unit[unit_count])
                unit_count += 1
    parts = np.int64(0)
    for record in unit:
        parts += _int(record, _PARTS)
    return Units(unit, sentence, row, parts)


@kernel
def _make_pair(first: np.uint8, second: np.uint8, adjacent: bool) -> bool:  # noqa: FBT001 - called by kernels only
    """Whether units of these kinds, with nothing but stop words between them, form a pair; see `counting.Units`."""
    if (first | second) & UNSPACED:
        return False
    if first & WEAK:
        return bool(adjacent and first & LETTERS and not second & WEAK)
    return bool(not second & WEAK or (adjacent and second & NUMBER))


@kernel
def count_terms(tables: Longs, chunks: Longs, counts: Longs, row_of_piece: Longs) -> tuple[Numbers, Ints]:
    """The numbers and rows of all terms of some chunks; `counts` are the chunks per piece.

    `tables` holds the addresses of the records of `language.chunks.Chunks`: chunks, units, parts.
    """
    units = _units(tables, chunks, counts, row_of_piece)
    unit_count = len(units.unit)
    numbers, rows = np.empty(2 * unit_count + units.parts, np.uint64), np.empty(2 * unit_count + units.parts, np.int32)
    count = 0
    previous, previous_kind, previous_sentence, adjacent = np.int64(0), np.uint8(0), np.int64(0), False
    skipped = np.uint8(0)
    for place in range(unit_count):
        unit, sentence, row = units.unit[place], units.sentence[place], units.row[place]
        joined = _byte(unit, _ONE)
        if joined:
            sentence_continues = place + 1 < unit_count and sentence == units.sentence[place + 1]
            if not sentence_continues or joined != _byte(units.unit[place + 1], _OTHER):
                joined = np.uint8(0)
        is_second, skipped = skipped, joined
        if is_second:
            continue
        if joined:
            unit = tables[1] + _UNIT * (np.int64(joined) - 1)
        kind = _byte(unit, _KIND)
        if kind & STOP:
            adjacent = False
            continue
        if not kind & (WEAK | UNSPACED):
            numbers[count], rows[count] = number_of(_unsigned(unit, _WHOLE)), row
            count += 1
        if previous_sentence == sentence and _make_pair(previous_kind, kind, adjacent):
            pair = _unsigned(previous, _WHOLE) * _unsigned(unit, _SHIFT) + _unsigned(unit, _TAIL)
            numbers[count], rows[count] = number_of(pair), row
            count += 1
        parts = numbers_at(tables[2] + 8 * _long(unit, _FIRST_PART), _int(unit, _PARTS))
        for part in parts:
            numbers[count], rows[count] = part, row
            count += 1
        previous, previous_kind, previous_sentence, adjacent = unit, kind, sentence, True
    return numbers[:count], rows[:count]
