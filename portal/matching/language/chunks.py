"""What stands between two spaces, analysed once: its words, and whether a sentence may end or begin with it."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from portal.matching.language.hashing import mixed, polynomial, polynomials, power
from portal.matching.language.stemming import stem, stems, tail, tails
from portal.matching.language.terms import SAME_WORDS, Unit, character_pairs, is_number, is_weak, stop_words, units
from portal.matching.language.words import ends_sentence, opens_sentence, words_between

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.language.words import Word

_REMEMBERED = 400_000
_MOST_CHARACTERS = 16_000_000
_ENDS = {"no": 0, "perhaps": 1, "yes": 2}
_UNLIKE_THE_REST = frozenset("。！？；｡")  # a sentence ends inside such a chunk
_BEHIND_WORDS = frozenset(".,:)")  # nothing of the word that they stand behind
STOP, WEAK, LETTERS, NUMBER, UNSPACED, BARE = 1, 2, 4, 8, 16, 32
"""What a unit may be. One that is BARE stands in its chunk as it is, but for capitals, perhaps with a mark behind."""
SAME_FIRST = {first: place for place, (first, _) in enumerate(SAME_WORDS, start=1)}
SAME_SECOND = {second: place for place, (_, second) in enumerate(SAME_WORDS, start=1)}


class HashedUnit(NamedTuple):
    """A unit of `terms.units` as numbers.

    `kind` is a sum of the flags above. `whole` and `tail` are the polynomials of its stem as a first and as a second
    half of a pair, `shift` the power that goes with `tail`; `parts` are the numbers of the terms besides it.
    `first` and `second` tell which of `SAME_WORDS` it may be a half of, 0 for none.
    """

    kind: int
    whole: int
    tail: int
    shift: int
    parts: tuple[int, ...]
    first: int
    second: int


class Chunks(dict[str, int]):
    """Stretches without spaces by number; what was not met before is analysed. Columns say what is known of each.

    `ends`: 0 no sentence ends with it, 1 if the next one `opens`, 2 in any case. `plain` is False where sentences end
    inside. It has `words` words and the units `first_unit` … `first_unit + units - 1`. Units and their parts have
    columns of their own; see `HashedUnit`. A unit stands from `begin` to `end` in its chunk. The first units are those
    of `SAME_WORDS`. Entries are never changed.
    """

    def __init__(self) -> None:
        super().__init__()
        # Of a single word the text alone: millions of tuples would have Python look for garbage.
        self.forms: list[str | tuple[str, ...]] = []
        self.characters = 0
        self.length, self.ends = Column(np.int32), Column(np.int8)
        self.opens, self.plain = Column(np.bool_), Column(np.bool_)
        self.words, self.units, self.first_unit = Column(np.int64), Column(np.int64), Column(np.int64)
        self.kind, self.first, self.second = Column(np.uint8), Column(np.int8), Column(np.int8)
        self.begin, self.end = Column(np.int32), Column(np.int32)
        self.whole, self.tail, self.shift = Column(np.uint64), Column(np.uint64), Column(np.uint64)
        self.parts, self.first_part, self.part = Column(np.int64), Column(np.int64), Column(np.uint64)
        self._of_letters: dict[str, int] = {}
        self._adding = threading.Lock()
        for form in SAME_WORDS.values():
            self._add_unit(Unit(form, 0, 0))

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
        self.first_unit.extend([known[form] for _, form in found])
        self.units.extend([1] * count)
        self.words.extend([1] * count)
        self.plain.extend([True] * count)
        self.length.extend(list(map(len, texts)))
        self.opens.extend([text[0].isupper() for text in texts])
        self.ends.extend([_ENDS[ends_sentence(text)] if text[-1] == "." else 0 for text in texts])
        self.forms += [form for _, form in found]
        self.characters += sum(map(len, texts))
        self.update(zip(texts, range(number, number + count), strict=True))

    def _add_units(self, forms: Sequence[str]) -> None:
        """Add units of a single word of letters."""
        stop, count, number = stop_words(), len(forms), len(self.kind)
        ends = tails(forms)
        self.kind.extend([BARE | LETTERS | STOP * (form in stop) | WEAK * (len(form) == 1) for form in forms])
        self.first.extend([SAME_FIRST.get(form, 0) for form in forms])
        self.second.extend([SAME_SECOND.get(form, 0) for form in forms])
        self.begin.extend([0] * count)
        self.end.extend(list(map(len, forms)))
        self.whole.extend(polynomials(stems(forms)))
        self.tail.extend(polynomials(ends))
        self.shift.extend([power(len(end)) for end in ends])
        self.parts.extend([0] * count)
        self.first_part.extend([len(self.part)] * count)
        self._of_letters.update(zip(forms, range(number, number + count), strict=True))

    def _add_one(self, text: str) -> None:
        """Add a stretch of whatever kind."""
        words = tuple(words_between(text, 0, len(text)))
        found = units(words)
        number = len(self.forms)
        self.first_unit.add(len(self.kind))
        for unit in found:
            self._add_unit(unit)
        self.length.add(len(text))
        self.ends.add(_ENDS[ends_sentence(text)])
        self.opens.add(opens_sentence(text))
        self.plain.add(_UNLIKE_THE_REST.isdisjoint(text))
        self.words.add(len(words))
        self.units.add(len(found))
        self.forms.append((*(word.form for word in words), *_written_together(words)))
        self.characters += len(text)
        self[text] = number

    def _add_unit(self, unit: Unit) -> None:
        hashed = hashed_unit(unit)
        self.first_part.add(len(self.part))
        for part in hashed.parts:
            self.part.add(part)
        self.parts.add(len(hashed.parts))
        self.kind.add(hashed.kind)
        self.begin.add(unit.start)
        self.end.add(unit.end)
        self.whole.add(hashed.whole)
        self.tail.add(hashed.tail)
        self.shift.add(hashed.shift)
        self.first.add(hashed.first)
        self.second.add(hashed.second)


def _written_together(words: Sequence[Word]) -> Iterator[str]:
    """Words with a hyphen between ("multi-modal") as those write them who leave it out."""
    for first, second in pairwise(words):
        if second.joined:
            yield first.form + second.form


class Column:
    """A column that grows; what was read of it stays as it is."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.zeros(1024, dtype=kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, value: int | bool) -> None:  # noqa: FBT001 - one value of whatever kind
        """Put a value behind the others."""
        if self._count == len(self._values):
            self._values = np.concatenate((self._values, np.zeros_like(self._values)))
        self._values[self._count] = value
        self._count += 1

    def extend(self, values: Sequence[int] | NDArray[Any]) -> None:
        """Put values behind the others."""
        count = self._count + len(values)
        if count > len(self._values):
            self._values = np.concatenate((self._values, np.zeros(count, dtype=self._values.dtype)))
        self._values[self._count : count] = values
        self._count = count

    def __getitem__(self, places: NDArray[np.int64]) -> NDArray[Any]:
        found: NDArray[Any] = self._values[places]
        return found


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


def hashed_unit(unit: Unit) -> HashedUnit:
    """A unit as numbers."""
    if unit.unspaced:
        pairs = tuple(mixed(polynomial(term.key)) for term in character_pairs(unit))
        return HashedUnit(UNSPACED, 0, 0, 0, pairs, 0, 0)
    return _of_form(unit.form, unit.parts)


@lru_cache(maxsize=65_536)
def _of_form(form: str, inside: tuple[str, ...]) -> HashedUnit:
    stop = stop_words()
    weak = is_weak(form)
    kind = STOP * (form in stop) | WEAK * weak | LETTERS * form.isalpha() | NUMBER * is_number(form)
    end = tail(form)
    parts = () if weak else tuple(mixed(polynomial(stem(part))) for part in inside if part not in stop)
    return HashedUnit(
        kind,
        polynomial(stem(form)),
        polynomial(end),
        power(len(end)),
        parts,
        SAME_FIRST.get(form, 0),
        SAME_SECOND.get(form, 0),
    )
