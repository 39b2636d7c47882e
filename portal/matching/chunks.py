"""What stands between two spaces, analysed once: its words, and whether a sentence may end or begin with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.hashing import mixed, polynomial, power
from portal.matching.terms import SAME_WORDS, Unit, character_pairs, is_number, is_weak, stem, stop_words, tail, units
from portal.matching.words import ends_sentence, opens_sentence, words_between

if TYPE_CHECKING:
    from collections.abc import Iterable

_REMEMBERED = 400_000
_LONGEST_REMEMBERED = 80
_ENDS = {"no": 0, "perhaps": 1, "yes": 2}
_UNLIKE_THE_REST = frozenset("。！？；｡")  # a sentence ends inside such a chunk
STOP, WEAK, LETTERS, NUMBER, UNSPACED = 1, 2, 4, 8, 16
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


class Chunk(NamedTuple):
    """A stretch without spaces. `ends`: 0 no sentence ends with it, 1 if the next `opens`, 2 in any case.

    `plain` is False where sentences end inside.
    """

    ends: int
    opens: bool
    plain: bool
    forms: tuple[str, ...]
    units: tuple[HashedUnit, ...]


class _Chunks(dict[str, Chunk]):
    """Chunks by their text; what was not met before is analysed."""

    def __missing__(self, text: str) -> Chunk:
        words = tuple(words_between(text, 0, len(text)))
        chunk = Chunk(
            _ENDS[ends_sentence(text)],
            opens_sentence(text),
            _UNLIKE_THE_REST.isdisjoint(text),
            tuple(word.form for word in words),
            tuple(hashed_unit(unit) for unit in units(words)),
        )
        if len(self) >= _REMEMBERED:
            self.clear()
        if len(text) <= _LONGEST_REMEMBERED:
            self[text] = chunk
        return chunk


_chunks = _Chunks()


def chunks_of(texts: Iterable[str]) -> list[Chunk]:
    """Each of `texts` analysed."""
    return [_chunks[text] for text in texts]


def hashed_unit(unit: Unit) -> HashedUnit:
    """A unit as numbers."""
    form = unit.form
    if unit.unspaced:
        pairs = tuple(mixed(polynomial(term.key)) for term in character_pairs(unit))
        return HashedUnit(UNSPACED, 0, 0, 0, pairs, 0, 0)
    stop = stop_words()
    weak = is_weak(form)
    kind = STOP * (form in stop) | WEAK * weak | LETTERS * form.isalpha() | NUMBER * is_number(form)
    end = tail(form)
    parts = () if weak else tuple(mixed(polynomial(stem(part))) for part in unit.parts if part not in stop)
    return HashedUnit(
        kind,
        polynomial(stem(form)),
        polynomial(end),
        power(len(end)),
        parts,
        SAME_FIRST.get(form, 0),
        SAME_SECOND.get(form, 0),
    )


@lru_cache(maxsize=1)
def joined_units() -> tuple[HashedUnit, ...]:
    """The units that two words of `SAME_WORDS` make, in their order."""
    return tuple(hashed_unit(Unit(form, 0, 0)) for form in SAME_WORDS.values())
