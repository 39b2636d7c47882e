"""Finds the numbers of the terms of many texts at once: those of the keys of `terms.keys`, as a test checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import compiled
from portal.matching.language.chunk_records import ENDS, LETTERS, MAY_END, NUMBER, STOP, UNSPACED, WEAK
from portal.matching.language.chunks import known_chunks
from portal.matching.language.hashing import all_mixed, term_numbers
from portal.matching.language.terms import keys
from portal.matching.language.text import clean, is_clean
from portal.matching.language.words import HARD_BREAK, LONGEST_SENTENCE, may_break
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.language.chunks import Chunks

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Numbers = NDArray[np.uint64]

_MOST_PIECES = 1 << 24


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Every occurrence of a term: its number and its row (a work or a profile), in no particular order.

    `chunk_ids` are all chunks of the texts, by their number in `chunks`.
    """

    numbers: Numbers
    rows: NDArray[np.int32]
    chunk_ids: Ints
    chunks: Chunks


class Forms:
    """Counts how often every folded word occurs."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()
        self._chunks: Chunks | None = None
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, batch: Occurrences) -> None:
        """Count the words of some texts."""
        if batch.chunks is not self._chunks:
            self._flush()
            self._chunks = batch.chunks
        counts = np.bincount(batch.chunk_ids, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def counted(self) -> Counter[str]:
        """The number of occurrences of every word."""
        self._flush()
        return self._counted

    def _flush(self) -> None:
        """Add the counts of chunks to those of their words."""
        if self._chunks is not None:
            for chunk_id in np.flatnonzero(self._counts).tolist():
                count = int(self._counts[chunk_id])
                forms = self._chunks.forms[chunk_id]
                for form in (forms,) if isinstance(forms, str) else forms:
                    self._counted[form] += count
        self._chunks, self._counts = None, np.zeros(0, dtype=np.int64)


def occurrences(rows: Sequence[Sequence[str]]) -> Occurrences:
    """The occurrences of terms in `rows`, each a list of texts. Every text begins a new sentence."""
    joined = "|".join(chain.from_iterable(rows))
    if not is_clean(joined):
        pieces, row_of_piece = _pieces([[clean(text).text for text in texts] for texts in rows])
    elif may_break(joined):
        pieces, row_of_piece = _pieces(rows)
    else:
        pieces = list(chain.from_iterable(rows))
        row_of_piece = np.arange(len(rows)).repeat(list(map(len, rows)))
    chunks = known_chunks()
    ids, counts = chunks.split(pieces)
    if chunks.are_plain or (plain := chunks.records["plain"][ids]).all():
        numbers, row_of_term = _terms(ids, chunks, counts, row_of_piece)
    else:
        # Rows in which a sentence ends inside a chunk are read word by word.
        irregular_rows = np.unique(row_of_piece.repeat(counts)[~plain])
        is_regular = ~np.isin(row_of_piece, irregular_rows)
        numbers, row_of_term = _terms(
            ids[is_regular.repeat(counts)], chunks, counts[is_regular], row_of_piece[is_regular]
        )
        of_irregular = [term_numbers(keys(rows[row])) for row in irregular_rows.tolist()]
        numbers = np.concatenate((numbers, *of_irregular))
        row_of_term = np.concatenate(
            (row_of_term, irregular_rows.astype(np.int32).repeat([len(of_row) for of_row in of_irregular]))
        )
    return Occurrences(numbers, row_of_term, ids, chunks)


def _pieces(rows: Iterable[Sequence[str]]) -> tuple[list[str], Ints]:
    """The pieces between hard breaks of rows of clean texts, and the row of each piece."""
    pieces: list[str] = []
    row_of_piece: list[int] = []
    for row, texts in enumerate(rows):
        for text in texts:
            pieces_of_text = HARD_BREAK.split(text) if may_break(text) else (text,)
            pieces += pieces_of_text
            row_of_piece += [row] * len(pieces_of_text)
    return pieces, np.array(row_of_piece, np.int64)


class Pieces(NamedTuple):
    """The pieces of texts between hard breaks: all chunks, the number of chunks in each piece, and its row."""

    chunks: list[str]
    lengths: Ints
    row: Ints

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> Pieces:
        """The pieces of rows of clean texts."""
        texts, row_of_text = _pieces(rows)
        stretches = list(map(str.split, texts))
        lengths = np.array(list(map(len, stretches)), dtype=np.int64)
        filled = lengths > 0
        return cls(list(chain.from_iterable(stretches)), lengths[filled], row_of_text[filled])


def sentences_of(ids: Ints, chunks: Chunks, lengths: Ints) -> Ints:
    """A number for the sentence of every chunk, rising from sentence to sentence.

    `lengths` has the number of chunks of each piece, none of them 0.
    """
    ends, opens, words = chunks.records["ends"][ids], chunks.records["opens"][ids], chunks.records["words"][ids]
    begins = np.ones(len(ids), dtype=bool)
    begins[1:] = (ends[:-1] == ENDS) | ((ends[:-1] == MAY_END) & opens[1:])
    begins[np.cumsum(lengths)[:-1]] = True
    before = np.cumsum(words) - words
    sentence = np.cumsum(begins) - 1
    # As in `words.sentences`: long ones are cut at the first space after every so many words.
    cut = (before - before[begins][sentence]) // LONGEST_SENTENCE
    cut[words == 0] = 0
    sentences: Ints = np.maximum.accumulate(sentence * _MOST_PIECES + cut)
    return sentences


class Units(NamedTuple):
    """The units of some chunks, of which terms are made, without stop words.

    Unit i has the number `unit[i]` in `Chunks.units`, the flags `kind[i]`, and the `place[i]` that was given for it.
    `single` marks the units that are terms by themselves; those at `second` form a pair with the unit before.
    """

    unit: Ints
    place: Ints
    kind: NDArray[np.uint8]
    single: Bools
    second: Ints

    @classmethod
    def of(cls, chunks: Chunks, unit: Ints, sentence: Ints, place: Ints) -> Units:
        """Select from all units, in their order, each with its sentence and its place."""
        unit, sentence, place = _join_same_words(chunks, unit, sentence, place)
        kind = chunks.units["kind"][unit]
        position = np.flatnonzero(~has(kind, STOP))
        unit, sentence, place, kind = unit[position], sentence[position], place[position], kind[position]
        second = 1 + np.flatnonzero(_make_pairs(kind, sentence, position))
        return cls(unit, place, kind, ~has(kind, WEAK | UNSPACED), second)

    def numbers(self, chunks: Chunks) -> Numbers:
        """The term numbers of the single units, followed by those of the pairs."""
        polynomials, second_units = chunks.units["whole"][self.unit], self.unit[self.second]
        pairs = polynomials[self.second - 1] * chunks.units["shift"][second_units] + chunks.units["tail"][second_units]
        return all_mixed(np.concatenate((polynomials[self.single], pairs)))

    def parts(self, chunks: Chunks) -> tuple[Numbers, Ints, Ints]:
        """The term numbers of the parts of units, the unit of each, and its ordinal within the unit."""
        counts = chunks.units["parts"][self.unit]
        having = np.flatnonzero(counts)
        counts_of_having = counts[having]
        zeros = np.zeros(len(having), np.int64)
        return (
            chunks.parts[ranges(chunks.units["first_part"][self.unit[having]], counts_of_having)],
            np.repeat(having, counts_of_having),
            ranges(zeros, counts_of_having),
        )


def _terms(ids: Ints, chunks: Chunks, counts: Ints, rows: Ints) -> tuple[Numbers, NDArray[np.int32]]:
    """The numbers of all terms of the chunks `ids`, and their rows; pieces have `counts` chunks and the rows `rows`."""
    kernels = compiled.kernels()
    if kernels is not None:
        return chunks.terms(kernels, ids, counts, rows)
    sentence = sentences_of(ids, chunks, counts[counts > 0])
    row = rows.repeat(counts)
    unit_counts = chunks.records["units"][ids]
    unit = ranges(chunks.records["first_unit"][ids], unit_counts)
    if not (unit_counts == 1).all():
        sentence = np.repeat(sentence, unit_counts)
        row = np.repeat(row, unit_counts)
    units = Units.of(chunks, unit, sentence, row)
    part_numbers, of_unit, _ = units.parts(chunks)
    rows_of_terms = np.concatenate((units.place[units.single], units.place[units.second], units.place[of_unit]))
    return np.concatenate((units.numbers(chunks), part_numbers)), rows_of_terms.astype(np.int32)


def _join_same_words(chunks: Chunks, unit: Ints, sentence: Ints, place: Ints) -> tuple[Ints, Ints, Ints]:
    """Joins neighbouring units that are one idea ("key value") into one unit at the place of the first."""
    first, second = chunks.units["first"][unit], chunks.units["second"][unit]
    same = (first[:-1] > 0) & (first[:-1] == second[1:]) & (sentence[:-1] == sentence[1:])
    if not same.any():
        return unit, sentence, place
    heads = np.flatnonzero(same)
    unit = unit.copy()
    unit[heads] = first[heads] - 1
    remains = np.ones(len(unit), dtype=bool)
    remains[heads + 1] = False
    return unit[remains], sentence[remains], place[remains]


def _make_pairs(kind: NDArray[np.uint8], sentence: Ints, position: Ints) -> Bools:
    """Whether each unit, stop words being left out, forms a pair with the next, as in `terms`."""
    first, second = kind[:-1], kind[1:]
    may_pair: Bools = (sentence[:-1] == sentence[1:]) & ~has(first, UNSPACED) & ~has(second, UNSPACED)
    first_is_weak, second_is_weak = has(first, WEAK), has(second, WEAK)
    if not (first_is_weak.any() or second_is_weak.any()):
        return may_pair
    adjacent = np.diff(position) == 1
    with_weak_first = adjacent & has(first, LETTERS) & ~second_is_weak
    with_strong_first = ~second_is_weak | (adjacent & has(second, NUMBER))
    forms_pair: Bools = np.where(first_is_weak, with_weak_first, with_strong_first)
    return may_pair & forms_pair


def has(kind: NDArray[np.uint8], flags: int) -> Bools:
    """Which units have at least one of some flags."""
    matches: Bools = (kind & np.uint8(flags)) != 0
    return matches
