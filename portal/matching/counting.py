"""Texts → numbers of their terms, many texts at once: exactly the keys of `terms.keys`, which a test holds."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.chunks import LETTERS, NUMBER, STOP, UNSPACED, WEAK, chunks_of, joined_units
from portal.matching.hashing import all_mixed, term_numbers
from portal.matching.rows import ranges
from portal.matching.terms import keys
from portal.matching.text import clean
from portal.matching.words import HARD_BREAK, LONGEST_SENTENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.chunks import Chunk, HashedUnit

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Numbers = NDArray[np.uint64]

_MOST_PIECES = 1 << 24
_MAY_BREAK = re.compile(r"[\n\x00\x0b\x0c]")


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Every occurrence of a term: its number and the row (a work or a profile) it stands in, in no order.

    `chunks` are the distinct stretches without spaces, and how often each is there.
    """

    numbers: Numbers
    rows: NDArray[np.int32]
    chunks: tuple[tuple[Chunk, int], ...]

    def forms(self) -> Counter[str]:
        """How often every word is there."""
        found: Counter[str] = Counter()
        for chunk, count in self.chunks:
            for form in chunk.forms:
                found[form] += count
        return found


def occurrences(rows: Sequence[Sequence[str]]) -> Occurrences:
    """The terms of `rows`, each a list of texts. A text begins a new sentence."""
    chunks, lengths, row_of_piece = _pieces(rows)
    places: dict[str, int] = {}
    for chunk in dict.fromkeys(chunks):
        places[chunk] = len(places)
    distinct = chunks_of(places)
    ids = np.fromiter(map(places.__getitem__, chunks), np.int64, len(chunks))
    sentence = _sentences(ids, distinct, np.array(lengths, dtype=np.int64))
    row = np.repeat(np.array(row_of_piece, dtype=np.int64), np.array(lengths, dtype=np.int64))
    odd = _odd_rows(ids, distinct, row)
    if len(odd):
        kept = ~np.isin(row, odd)
        numbers, found_in = _terms(ids[kept], distinct, sentence[kept], row[kept])
        others = [term_numbers(keys(rows[number])) for number in odd.tolist()]
        numbers = np.concatenate((numbers, *others))
        found_in = np.concatenate((found_in, np.repeat(odd, [len(other) for other in others])))
    else:
        numbers, found_in = _terms(ids, distinct, sentence, row)
    counts = np.bincount(ids, minlength=len(distinct)).tolist()
    return Occurrences(numbers, found_in.astype(np.int32), tuple(zip(distinct, counts, strict=True)))


def _pieces(rows: Sequence[Sequence[str]]) -> tuple[list[str], list[int], list[int]]:
    """All chunks, the lengths of the pieces between hard breaks, and the row of each piece."""
    chunks: list[str] = []
    lengths: list[int] = []
    row_of_piece: list[int] = []
    for number, texts in enumerate(rows):
        for text in texts:
            cleaned = clean(text).text
            for piece in HARD_BREAK.split(cleaned) if _MAY_BREAK.search(cleaned) else (cleaned,):
                found = piece.split()
                if found:
                    chunks += found
                    lengths.append(len(found))
                    row_of_piece.append(number)
    return chunks, lengths, row_of_piece


def _sentences(ids: Ints, distinct: Sequence[Chunk], lengths: Ints) -> Ints:
    """A number for the sentence of every chunk, rising from sentence to sentence."""
    ends = np.array([chunk.ends for chunk in distinct], dtype=np.int8)[ids]
    opens = np.array([chunk.opens for chunk in distinct], dtype=bool)[ids]
    begins = np.ones(len(ids), dtype=bool)
    begins[1:] = (ends[:-1] == 2) | ((ends[:-1] == 1) & opens[1:])  # noqa: PLR2004 - Chunk.ends
    begins[np.cumsum(lengths)[:-1]] = True
    words = np.array([len(chunk.forms) for chunk in distinct], dtype=np.int64)[ids]
    before = np.cumsum(words) - words
    sentence = np.cumsum(begins) - 1
    # As in `words.sentences`: long ones are cut at the first space after every so many words.
    piece = (before - before[begins][sentence]) // LONGEST_SENTENCE
    return np.maximum.accumulate(np.where(words > 0, sentence * _MOST_PIECES + piece, 0))


def _odd_rows(ids: Ints, distinct: Sequence[Chunk], row: Ints) -> Ints:
    """Rows in which a sentence ends inside a chunk: they are read word by word."""
    plain = np.array([chunk.plain for chunk in distinct], dtype=bool)
    return row[:0] if plain.all() else np.unique(row[~plain[ids]])


@dataclass(frozen=True, slots=True)
class _Units:
    """Units as columns; see `HashedUnit`."""

    kind: NDArray[np.uint8]
    whole: Numbers
    tail: Numbers
    shift: Numbers
    parts: tuple[tuple[int, ...], ...]
    first: NDArray[np.int8]
    second: NDArray[np.int8]

    @classmethod
    def of(cls, units: Sequence[HashedUnit]) -> _Units:
        kind, whole, tail, shift, parts, first, second = zip(*units, strict=True)
        return cls(
            np.array(kind, dtype=np.uint8),
            np.array(whole, dtype=np.uint64),
            np.array(tail, dtype=np.uint64),
            np.array(shift, dtype=np.uint64),
            parts,
            np.array(first, dtype=np.int8),
            np.array(second, dtype=np.int8),
        )


def _terms(ids: Ints, distinct: Sequence[Chunk], sentence: Ints, row: Ints) -> tuple[Numbers, Ints]:
    """The numbers of all terms, and their rows."""
    joined = joined_units()
    every = _Units.of([*joined, *chain.from_iterable(chunk.units for chunk in distinct)])
    counts = np.array([len(chunk.units) for chunk in distinct], dtype=np.int64)
    first = np.cumsum(counts) - counts + len(joined)
    counts_here = counts[ids]
    unit = ranges(first[ids], counts_here)
    sentence = np.repeat(sentence, counts_here)
    row = np.repeat(row, counts_here)
    unit, sentence, row = _written_together(every, unit, sentence, row)
    kind = every.kind[unit]
    position = np.flatnonzero(~_has(kind, STOP))
    unit, sentence, row, kind = unit[position], sentence[position], row[position], kind[position]
    single = ~_has(kind, WEAK | UNSPACED)
    second = 1 + np.flatnonzero(_make_pairs(kind, sentence, position))
    after = unit[second]
    pairs = every.whole[unit[second - 1]] * every.shift[after] + every.tail[after]
    parts, part_rows = _parts(every, unit, row)
    return (
        np.concatenate((all_mixed(np.concatenate((every.whole[unit[single]], pairs))), parts)),
        np.concatenate((row[single], row[second], part_rows)),
    )


def _written_together(every: _Units, unit: Ints, sentence: Ints, row: Ints) -> tuple[Ints, Ints, Ints]:
    """Neighbours that are one idea ("key value") as one unit."""
    first, second = every.first[unit], every.second[unit]
    same = (first[:-1] > 0) & (first[:-1] == second[1:]) & (sentence[:-1] == sentence[1:])
    if not same.any():
        return unit, sentence, row
    heads = np.flatnonzero(same)
    unit = unit.copy()
    unit[heads] = first[heads] - 1
    kept = np.ones(len(unit), dtype=bool)
    kept[heads + 1] = False
    return unit[kept], sentence[kept], row[kept]


def _make_pairs(kind: NDArray[np.uint8], sentence: Ints, position: Ints) -> Bools:
    """Whether each unit (stop words are out) makes a pair with the next, as `terms` has it."""
    one, other = kind[:-1], kind[1:]
    near: Bools = (sentence[:-1] == sentence[1:]) & ~_has(one, UNSPACED) & ~_has(other, UNSPACED)
    weak_one, weak_other = _has(one, WEAK), _has(other, WEAK)
    if not (weak_one.any() or weak_other.any()):
        return near
    adjacent = np.diff(position) == 1
    led = adjacent & _has(one, LETTERS) & ~weak_other
    followed = ~weak_other | (adjacent & _has(other, NUMBER))
    makes: Bools = np.where(weak_one, led, followed)
    return near & makes


def _parts(every: _Units, unit: Ints, row: Ints) -> tuple[Numbers, Ints]:
    """The terms that are found besides a unit."""
    counts = np.array([len(parts) for parts in every.parts], dtype=np.int64)
    flat = np.array(list(chain.from_iterable(every.parts)), dtype=np.uint64)
    here = counts[unit]
    return flat[ranges((np.cumsum(counts) - counts)[unit], here)], np.repeat(row, here)


def _has(kind: NDArray[np.uint8], flags: int) -> Bools:
    found: Bools = (kind & np.uint8(flags)) != 0
    return found
