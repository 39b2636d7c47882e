"""Chunks, the stretches of text between two spaces, each analysed once: its units, and how it divides sentences."""

from __future__ import annotations

import os
import threading
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching import compiled
from portal.matching.language.chunk_records import (
    BARE,
    CHUNK,
    ENDS,
    LETTERS,
    MAY_END,
    PART,
    SAME_FIRST,
    SAME_SECOND,
    STOP,
    UNIT,
    WEAK,
    hashed_unit,
)
from portal.matching.language.chunk_table import ChunkTable
from portal.matching.language.columns import Records
from portal.matching.language.hashing import polynomials, power
from portal.matching.language.stemming import stems_and_tails
from portal.matching.language.terms import SAME_WORDS, Unit, stop_words, units
from portal.matching.language.words import UNSPACED_STOPS, ends_sentence, opens_sentence, words_between

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.compiled import Kernels
    from portal.matching.language.words import Word

_CACHED = 400_000
_MOST_CHARACTERS = 16_000_000
_ENDS = {"no": 0, "perhaps": MAY_END, "yes": ENDS}
_AFTER_WORDS = frozenset(".,:)")  # not part of the word before them


class Chunks(dict[str, int]):
    """The number of every known chunk, with its properties by number; unknown chunks are analysed when looked up.

    The first units are those of `SAME_WORDS`. Entries are never changed. `forms` has the folded words of each chunk,
    `written` the chunk itself, `characters` is their total length. `are_plain` is False once a sentence may end inside
    one of the chunks.
    """

    def __init__(self) -> None:
        super().__init__()
        # A single word as a plain string: millions of tuples would keep Python's garbage collector busy.
        self.forms: list[str | tuple[str, ...]] = []
        self.written: list[str] = []
        self.characters = 0
        self.are_plain = True
        self._chunks, self._units, self._parts = Records(CHUNK), Records(UNIT), Records(PART)
        self._of_letters: dict[str, int] = {}
        self._table = ChunkTable()
        self._adding = threading.Lock()
        for form in SAME_WORDS.values():
            self._add_unit(Unit(form, 0, 0))

    @property
    def records(self) -> NDArray[Any]:
        """The chunks by number, as records of the type `CHUNK`."""
        return self._chunks.values

    @property
    def units(self) -> NDArray[Any]:
        """The units by number, as records of the type `UNIT`."""
        return self._units.values

    @property
    def parts(self) -> NDArray[np.uint64]:
        """The term numbers of all parts of units."""
        return self._parts.values

    def split(self, pieces: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the chunks in `pieces`, and how many chunks each piece has. Analyses unknown chunks."""
        kernels = compiled.kernels()
        if kernels is None:
            chunks = list(map(str.split, pieces))
            return self.numbers(list(chain.from_iterable(chunks))), np.array(list(map(len, chunks)), np.int64)
        split = self._table.split(kernels, pieces)
        missing = np.flatnonzero(split.numbers < 0)
        if len(missing):
            split.numbers[missing] = self.numbers(list(map(split.chunk, missing.tolist())))
            self._table.enter(kernels, self.written)
        return split.numbers, split.counts

    def terms(
        self, kernels: Kernels, ids: NDArray[np.int64], counts: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The numbers of the terms of the chunks `ids`, and the row of each term.

        The chunks are those of some pieces of text: `counts` has the number of chunks of each piece, `rows` its row.
        """
        tables = self.records, self.units, self.parts
        addresses = np.array([table.ctypes.data for table in tables], np.int64)
        return kernels.count_terms(addresses, ids, counts, rows)

    def numbers(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of some chunks; all unknown ones are analysed together."""
        ids = np.fromiter(map(self.get, texts, repeat(-1)), np.int64, len(texts))
        missing = np.flatnonzero(ids < 0).tolist()
        if missing:
            unknown = [texts[place] for place in missing]
            self._add(dict.fromkeys(unknown))
            ids[missing] = list(map(self.__getitem__, unknown))
        return ids

    def _add(self, texts: Iterable[str]) -> None:
        """Analyse those of some distinct chunks that another thread has not added meanwhile."""
        with self._adding:
            unknown = [text for text in texts if text not in self]
            words: list[tuple[str, str]] = []
            others: list[str] = []
            for text in unknown:
                core = text if text.isalpha() else text[:-1]
                if core.isalpha() and text.isascii() and (core is text or text[-1] in _AFTER_WORDS):
                    words.append((text, core.lower()))
                else:
                    others.append(text)
            if words:
                self._add_letters(words)
            for text in others:
                self._add_one(text)

    def _add_letters(self, words: Sequence[tuple[str, str]]) -> None:
        """Add chunks that are one word of letters, perhaps followed by a mark, each given with its folded word."""
        unit_of_form = self._of_letters
        if new_forms := list({form: None for _, form in words if form not in unit_of_form}):
            self._add_units(new_forms)
        first_id, count = len(self.forms), len(words)
        chunks = [text for text, _ in words]
        self._chunks.extend(
            count,
            first_unit=[unit_of_form[form] for _, form in words],
            units=1,
            words=1,
            plain=True,
            length=list(map(len, chunks)),
            opens=[text[0].isupper() for text in chunks],
            ends=[_ENDS[ends_sentence(text)] if text[-1] == "." else 0 for text in chunks],
        )
        self.forms += [form for _, form in words]
        self.written += chunks
        self.characters += sum(map(len, chunks))
        self.update(zip(chunks, range(first_id, first_id + count), strict=True))

    def _add_units(self, forms: Sequence[str]) -> None:
        """Add units of a single word of letters."""
        stop, count, first_unit = stop_words(), len(forms), len(self._units)
        keys, form_tails = stems_and_tails(forms)
        self._units.extend(
            count,
            kind=[BARE | LETTERS | STOP * (form in stop) | WEAK * (len(form) == 1) for form in forms],
            first=[SAME_FIRST.get(form, 0) for form in forms],
            second=[SAME_SECOND.get(form, 0) for form in forms],
            end=list(map(len, forms)),
            whole=polynomials(keys),
            tail=polynomials(form_tails),
            shift=np.array([power(len(form_tail)) for form_tail in form_tails], np.uint64),
            first_part=len(self._parts),
        )
        self._of_letters.update(zip(forms, range(first_unit, first_unit + count), strict=True))

    def _add_one(self, text: str) -> None:
        """Add a chunk of any kind."""
        words = tuple(words_between(text, 0, len(text)))
        chunk_units = units(words)
        chunk_id, first_unit = len(self.forms), len(self._units)
        is_plain = UNSPACED_STOPS.isdisjoint(text)
        self.are_plain = self.are_plain and is_plain
        for unit in chunk_units:
            self._add_unit(unit)
        self._chunks.extend(
            1,
            first_unit=first_unit,
            units=len(chunk_units),
            words=len(words),
            plain=is_plain,
            length=len(text),
            opens=opens_sentence(text),
            ends=_ENDS[ends_sentence(text)],
        )
        self.forms.append((*(word.form for word in words), *_written_together(words)))
        self.written.append(text)
        self.characters += len(text)
        self[text] = chunk_id

    def _add_unit(self, unit: Unit) -> None:
        hashed = hashed_unit(unit)
        self._units.extend(
            1,
            kind=hashed.kind,
            first=hashed.first,
            second=hashed.second,
            begin=unit.start,
            end=unit.end,
            whole=np.uint64(hashed.whole),
            tail=np.uint64(hashed.tail),
            shift=np.uint64(hashed.shift),
            parts=len(hashed.parts),
            first_part=len(self._parts),
        )
        self._parts.append(hashed.parts)


def _written_together(words: Sequence[Word]) -> Iterator[str]:
    """The words that a hyphen joins ("multi-modal"), as they are written without it ("multimodal")."""
    for first, second in pairwise(words):
        if second.joined:
            yield first.form + second.form


_chunks: Chunks | None = None


def known_chunks() -> Chunks:
    """The chunks known to this process. Once these are too many, later callers get an empty table."""
    global _chunks  # noqa: PLW0603 - a cache of the process
    if _chunks is None or len(_chunks) >= _CACHED or _chunks.characters >= _MOST_CHARACTERS:
        _chunks = Chunks()
    return _chunks


def _forget() -> None:
    """Start with an empty table in a forked process, as a thread of its parent may have been adding chunks."""
    global _chunks  # noqa: PLW0603 - a cache of the process
    _chunks = None


os.register_at_fork(after_in_child=_forget)
