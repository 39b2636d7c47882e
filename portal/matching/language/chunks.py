"""What stands between two spaces, analysed once: its words, and whether a sentence may end or begin with it."""

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
from portal.matching.language.stemming import stems, tails
from portal.matching.language.terms import SAME_WORDS, Unit, stop_words, units
from portal.matching.language.words import ends_sentence, opens_sentence, words_between

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.compiled import Kernels
    from portal.matching.language.words import Word

_REMEMBERED = 400_000
_MOST_CHARACTERS = 16_000_000
_ENDS = {"no": 0, "perhaps": MAY_END, "yes": ENDS}
_UNLIKE_THE_REST = frozenset("。！？；｡")  # a sentence ends inside such a chunk
_BEHIND_WORDS = frozenset(".,:)")  # nothing of the word that they stand behind


class Chunks(dict[str, int]):
    """Stretches without spaces by number; what was not met before is analysed.

    The first units are those of `SAME_WORDS`. Entries are never changed. `are_plain` is False once sentences may end
    inside one of the stretches.
    """

    def __init__(self) -> None:
        super().__init__()
        # Of a single word the text alone: millions of tuples would have Python look for garbage.
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
    def chunks(self) -> NDArray[Any]:
        """The chunks by number, as `CHUNK` has them."""
        return self._chunks.values

    @property
    def units(self) -> NDArray[Any]:
        """The units by number, as `UNIT` has them."""
        return self._units.values

    @property
    def parts(self) -> NDArray[np.uint64]:
        """The numbers of the terms besides units."""
        return self._parts.values

    def split(self, pieces: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the stretches without spaces in `pieces`, and how many each piece has."""
        kernels = compiled.kernels()
        if kernels is None:
            stretches = list(map(str.split, pieces))
            return self.numbers(list(chain.from_iterable(stretches))), np.array(list(map(len, stretches)), np.int64)
        found = self._table.split(kernels, pieces)
        missing = np.flatnonzero(found.numbers < 0)
        if len(missing):
            found.numbers[missing] = self.numbers(list(map(found.chunk, missing.tolist())))
            self._table.enter(kernels, self.written)
        return found.numbers, found.counts

    def terms(
        self, kernels: Kernels, ids: NDArray[np.int64], counts: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The numbers of the terms of stretches, of which pieces have `counts` each, and the row of each term.

        `rows` are those of the pieces.
        """
        tables = self.chunks, self.units, self.parts
        addresses = np.array([table.ctypes.data for table in tables], np.int64)
        return kernels.count_terms(addresses, ids, counts, rows)

    def numbers(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of some stretches; those that were not met before are analysed together."""
        found = np.fromiter(map(self.get, texts, repeat(-1)), np.int64, len(texts))
        missing = np.flatnonzero(found < 0).tolist()
        if missing:
            new = [texts[place] for place in missing]
            self._add(dict.fromkeys(new))
            found[missing] = list(map(self.__getitem__, new))
        return found

    def _add(self, texts: Iterable[str]) -> None:
        """Analyse some stretches."""
        with self._adding:
            new = [text for text in texts if text not in self]
            letters: list[tuple[str, str]] = []
            others: list[str] = []
            for text in new:
                core = text if text.isalpha() else text[:-1]
                if core.isalpha() and text.isascii() and (core is text or text[-1] in _BEHIND_WORDS):
                    letters.append((text, core.lower()))
                else:
                    others.append(text)
            if letters:
                self._add_letters(letters)
            for text in others:
                self._add_one(text)

    def _add_letters(self, found: Sequence[tuple[str, str]]) -> None:
        """Add stretches that are nothing but a word of letters, with its form, perhaps with a mark behind."""
        known = self._of_letters
        if new := list({form: None for _, form in found if form not in known}):
            self._add_units(new)
        number, count = len(self.forms), len(found)
        texts = [text for text, _ in found]
        self._chunks.extend(
            count,
            first_unit=[known[form] for _, form in found],
            units=1,
            words=1,
            plain=True,
            length=list(map(len, texts)),
            opens=[text[0].isupper() for text in texts],
            ends=[_ENDS[ends_sentence(text)] if text[-1] == "." else 0 for text in texts],
        )
        self.forms += [form for _, form in found]
        self.written += texts
        self.characters += sum(map(len, texts))
        self.update(zip(texts, range(number, number + count), strict=True))

    def _add_units(self, forms: Sequence[str]) -> None:
        """Add units of a single word of letters."""
        stop, count, number = stop_words(), len(forms), len(self._units)
        ends = tails(forms)
        self._units.extend(
            count,
            kind=[BARE | LETTERS | STOP * (form in stop) | WEAK * (len(form) == 1) for form in forms],
            first=[SAME_FIRST.get(form, 0) for form in forms],
            second=[SAME_SECOND.get(form, 0) for form in forms],
            end=list(map(len, forms)),
            whole=polynomials(stems(forms)),
            tail=polynomials(ends),
            shift=np.array([power(len(end)) for end in ends], np.uint64),
            first_part=len(self._parts),
        )
        self._of_letters.update(zip(forms, range(number, number + count), strict=True))

    def _add_one(self, text: str) -> None:
        """Add a stretch of whatever kind."""
        words = tuple(words_between(text, 0, len(text)))
        found = units(words)
        number, first_unit = len(self.forms), len(self._units)
        is_plain = _UNLIKE_THE_REST.isdisjoint(text)
        self.are_plain = self.are_plain and is_plain
        for unit in found:
            self._add_unit(unit)
        self._chunks.extend(
            1,
            first_unit=first_unit,
            units=len(found),
            words=len(words),
            plain=is_plain,
            length=len(text),
            opens=opens_sentence(text),
            ends=_ENDS[ends_sentence(text)],
        )
        self.forms.append((*(word.form for word in words), *_written_together(words)))
        self.written.append(text)
        self.characters += len(text)
        self[text] = number

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
    """Words with a hyphen between ("multi-modal") as those write them who leave it out."""
    for first, second in pairwise(words):
        if second.joined:
            yield first.form + second.form


_chunks: Chunks | None = None


def known_chunks() -> Chunks:
    """What is known of chunks; after too many of them forgotten and begun anew, for those who ask from then on."""
    global _chunks  # noqa: PLW0603 - a memory of the process
    if _chunks is None or len(_chunks) >= _REMEMBERED or _chunks.characters >= _MOST_CHARACTERS:
        _chunks = Chunks()
    return _chunks


def _forget() -> None:
    """Begin anew: another thread, which stayed behind in the process that forked, may have been adding chunks."""
    global _chunks  # noqa: PLW0603 - a memory of the process
    _chunks = None


os.register_at_fork(after_in_child=_forget)
