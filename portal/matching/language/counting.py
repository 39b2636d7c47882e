"""Texts → numbers of their terms, many texts at once: exactly the keys of `terms.keys`, which a test holds."""

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
    """Every occurrence of a term: its number and the row (a work or a profile) it stands in, in no order.

    `chunks` are the stretches without spaces, as numbers of those that are `known`.
    """

    numbers: Numbers
    rows: NDArray[np.int32]
    chunks: Ints
    known: Chunks


class Forms:
    """How often every word is there."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()
        self._known: Chunks | None = None
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, found: Occurrences) -> None:
        """Count the words of some texts."""
        if found.known is not self._known:
            self._flush()
            self._known = found.known
        counts = np.bincount(found.chunks, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def counted(self) -> Counter[str]:
        """What was counted."""
        self._flush()
        return self._counted

    def _flush(self) -> None:
        if self._known is not None:
            for number in np.flatnonzero(self._counts).tolist():
                count = int(self._counts[number])
                forms = self._known.forms[number]
                for form in (forms,) if isinstance(forms, str) else forms:
                    self._counted[form] += count
        self._known, self._counts = None, np.zeros(0, dtype=np.int64)


def occurrences(rows: Sequence[Sequence[str]]) -> Occurrences:
    """The terms of `rows`, each a list of texts. A text begins a new sentence."""
    whole = "|".join(chain.from_iterable(rows))
    if not is_clean(whole):
        pieces, row_of_piece = _pieces([[clean(text).text for text in texts] for texts in rows])
    elif may_break(whole):
        pieces, row_of_piece = _pieces(rows)
    else:
        pieces = list(chain.from_iterable(rows))
        row_of_piece = np.arange(len(rows)).repeat(list(map(len, rows)))
    known = known_chunks()
    ids, counts = known.split(pieces)
    if known.are_plain or (plain := known.chunks["plain"][ids]).all():
        numbers, found_in = _terms(ids, known, counts, row_of_piece)
    else:
        # Sentences end inside chunks of these rows: they are read word by word.
        odd = np.unique(row_of_piece.repeat(counts)[~plain])
        kept = ~np.isin(row_of_piece, odd)
        numbers, found_in = _terms(ids[kept.repeat(counts)], known, counts[kept], row_of_piece[kept])
        others = [term_numbers(keys(rows[number])) for number in odd.tolist()]
        numbers = np.concatenate((numbers, *others))
        found_in = np.concatenate((found_in, odd.astype(np.int32).repeat([len(other) for other in others])))
    return Occurrences(numbers, found_in, ids, known)


def _pieces(rows: Iterable[Sequence[str]]) -> tuple[list[str], Ints]:
    """What stands between hard breaks in rows of clean texts, and the row of each piece."""
    pieces: list[str] = []
    row_of_piece: list[int] = []
    for number, texts in enumerate(rows):
        for text in texts:
            found = HARD_BREAK.split(text) if may_break(text) else (text,)
            pieces += found
            row_of_piece += [number] * len(found)
    return pieces, np.array(row_of_piece, np.int64)


class Pieces(NamedTuple):
    """What stands between hard breaks: all chunks, how many each piece has, and the row of each piece."""

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


def sentences_of(ids: Ints, known: Chunks, lengths: Ints) -> Ints:
    """A number for the sentence of every chunk, rising from sentence to sentence; `lengths` are those of pieces."""
    ends, opens, words = known.chunks["ends"][ids], known.chunks["opens"][ids], known.chunks["words"][ids]
    begins = np.ones(len(ids), dtype=bool)
    begins[1:] = (ends[:-1] == ENDS) | ((ends[:-1] == MAY_END) & opens[1:])
    begins[np.cumsum(lengths)[:-1]] = True
    before = np.cumsum(words) - words
    sentence = np.cumsum(begins) - 1
    # As in `words.sentences`: long ones are cut at the first space after every so many words.
    piece = (before - before[begins][sentence]) // LONGEST_SENTENCE
    piece[words == 0] = 0
    found: Ints = np.maximum.accumulate(sentence * _MOST_PIECES + piece)
    return found


class Units(NamedTuple):
    """The units of some chunks without stop words: what terms are made of.

    `place` says where each stands, `kind` of what kind it is. Those at `single` are terms by themselves, those at
    `second` make a pair with the one before.
    """

    unit: Ints
    place: Ints
    kind: NDArray[np.uint8]
    single: Bools
    second: Ints

    @classmethod
    def of(cls, known: Chunks, unit: Ints, sentence: Ints, place: Ints) -> Units:
        """Of all units in their order."""
        unit, sentence, place = _written_together(known, unit, sentence, place)
        kind = known.units["kind"][unit]
        position = np.flatnonzero(~has(kind, STOP))
        unit, sentence, place, kind = unit[position], sentence[position], place[position], kind[position]
        second = 1 + np.flatnonzero(_make_pairs(kind, sentence, position))
        return cls(unit, place, kind, ~has(kind, WEAK | UNSPACED), second)

    def numbers(self, known: Chunks) -> Numbers:
        """The numbers of the single words, and then of the pairs."""
        whole, after = known.units["whole"][self.unit], self.unit[self.second]
        pairs = whole[self.second - 1] * known.units["shift"][after] + known.units["tail"][after]
        return all_mixed(np.concatenate((whole[self.single], pairs)))

    def parts(self, known: Chunks) -> tuple[Numbers, Ints, Ints]:
        """The numbers of the terms that are found besides units, the unit of each, and its ordinal within it."""
        counts = known.units["parts"][self.unit]
        having = np.flatnonzero(counts)
        here = counts[having]
        nothing = np.zeros(len(having), np.int64)
        return (
            known.parts[ranges(known.units["first_part"][self.unit[having]], here)],
            np.repeat(having, here),
            ranges(nothing, here),
        )


def _terms(ids: Ints, known: Chunks, counts: Ints, rows: Ints) -> tuple[Numbers, NDArray[np.int32]]:
    """The numbers of all terms of chunks, and their rows; `counts` and `rows` are those of pieces."""
    kernels = compiled.kernels()
    if kernels is not None:
        return known.terms(kernels, ids, counts, rows)
    sentence = sentences_of(ids, known, counts[counts > 0])
    row = rows.repeat(counts)
    counts_here = known.chunks["units"][ids]
    unit = ranges(known.chunks["first_unit"][ids], counts_here)
    if not (counts_here == 1).all():
        sentence = np.repeat(sentence, counts_here)
        row = np.repeat(row, counts_here)
    found = Units.of(known, unit, sentence, row)
    parts, of_unit, _ = found.parts(known)
    rows_of_terms = np.concatenate((found.place[found.single], found.place[found.second], found.place[of_unit]))
    return np.concatenate((found.numbers(known), parts)), rows_of_terms.astype(np.int32)


def _written_together(known: Chunks, unit: Ints, sentence: Ints, place: Ints) -> tuple[Ints, Ints, Ints]:
    """Neighbours that are one idea ("key value") as one unit, where the first of them stands."""
    first, second = known.units["first"][unit], known.units["second"][unit]
    same = (first[:-1] > 0) & (first[:-1] == second[1:]) & (sentence[:-1] == sentence[1:])
    if not same.any():
        return unit, sentence, place
    heads = np.flatnonzero(same)
    unit = unit.copy()
    unit[heads] = first[heads] - 1
    kept = np.ones(len(unit), dtype=bool)
    kept[heads + 1] = False
    return unit[kept], sentence[kept], place[kept]


def _make_pairs(kind: NDArray[np.uint8], sentence: Ints, position: Ints) -> Bools:
    """Whether each unit (stop words are out) makes a pair with the next, as `terms` has it."""
    one, other = kind[:-1], kind[1:]
    near: Bools = (sentence[:-1] == sentence[1:]) & ~has(one, UNSPACED) & ~has(other, UNSPACED)
    weak_one, weak_other = has(one, WEAK), has(other, WEAK)
    if not (weak_one.any() or weak_other.any()):
        return near
    adjacent = np.diff(position) == 1
    led = adjacent & has(one, LETTERS) & ~weak_other
    followed = ~weak_other | (adjacent & has(other, NUMBER))
    makes: Bools = np.where(weak_one, led, followed)
    return near & makes


def has(kind: NDArray[np.uint8], flags: int) -> Bools:
    """Which units are of one of some kinds."""
    found: Bools = (kind & np.uint8(flags)) != 0
    return found
