"""Records of numbers for chunks and for the units in them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.hashing import mixed, polynomial, power
from portal.matching.language.stemming import stem, tail
from portal.matching.language.terms import SAME_WORDS, character_pairs, is_number, is_weak, stop_words
from portal.matching.language.word_cache import LONGEST_WORD

if TYPE_CHECKING:
    from portal.matching.language.terms import Unit

MAY_END, ENDS = 1, 2
"""A sentence ends with the chunk if the next chunk opens a sentence, or in any case."""
STOP, WEAK, LETTERS, NUMBER, UNSPACED, BARE = 1, 2, 4, 8, 16, 32
"""Flags of units. A BARE one is its whole chunk, except for capitals and a punctuation mark at the end."""
SAME_FIRST = {first: place for place, (first, _) in enumerate(SAME_WORDS, start=1)}
SAME_SECOND = {second: place for place, (_, second) in enumerate(SAME_WORDS, start=1)}

CHUNK = np.dtype(
    [
        ("first_unit", np.int64),
        ("units", np.int32),
        ("words", np.int32),
        ("length", np.int32),
        ("ends", np.uint8),
        ("opens", np.bool_),
        ("plain", np.bool_),
    ],
    align=True,
)
"""A chunk has `words` words and the units `first_unit` … `first_unit + units - 1`.

`ends`: 0 if no sentence ends with it, `MAY_END` if one does when the next chunk `opens` a sentence, `ENDS` if one does
in any case. `plain` is False if sentences may end inside.
"""
UNIT = np.dtype(
    [
        ("whole", np.uint64),
        ("tail", np.uint64),
        ("shift", np.uint64),
        ("first_part", np.int64),
        ("parts", np.int32),
        ("begin", np.int32),
        ("end", np.int32),
        ("kind", np.uint8),
        ("first", np.uint8),
        ("second", np.uint8),
    ],
    align=True,
)
"""A `HashedUnit` at `begin` to `end` in its chunk, with `parts` parts from `first_part` on."""
PART = np.dtype(np.uint64)


class HashedUnit(NamedTuple):
    """A unit of `terms.units` as numbers.

    `kind` is a sum of the flags above. `whole` and `tail` are the polynomials of its stem as the first and as the
    second half of a pair, `shift` the power that belongs to `tail`; `parts` are the numbers of the additional terms in
    it. `first` and `second` are the places in `SAME_WORDS`, from 1, that it may be a half of, 0 for none.
    """

    kind: int
    whole: int
    tail: int
    shift: int
    parts: tuple[int, ...]
    first: int
    second: int


def hashed_unit(unit: Unit) -> HashedUnit:
    """Turn a unit into numbers."""
    if unit.unspaced:
        pairs = tuple(mixed(polynomial(term.key)) for term in character_pairs(unit))
        return HashedUnit(UNSPACED, 0, 0, 0, pairs, 0, 0)
    find = _of_usual_form if len(unit.form) <= LONGEST_WORD else _of_form
    return find(unit.form, unit.parts)


def _of_form(form: str, part_forms: tuple[str, ...]) -> HashedUnit:
    stop = stop_words()
    weak = is_weak(form)
    kind = STOP * (form in stop) | WEAK * weak | LETTERS * form.isalpha() | NUMBER * is_number(form)
    end = tail(form)
    parts = () if weak else tuple(mixed(polynomial(stem(part))) for part in part_forms if part not in stop)
    return HashedUnit(
        kind,
        polynomial(stem(form)),
        polynomial(end),
        power(len(end)),
        parts,
        SAME_FIRST.get(form, 0),
        SAME_SECOND.get(form, 0),
    )


_of_usual_form = lru_cache(maxsize=65_536)(_of_form)
