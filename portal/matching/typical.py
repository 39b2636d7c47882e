"""What is typical of a lab: the terms that stand out in it, as it writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.scoring import Asked, focus_of
from portal.matching.surfaces import WrittenForm, written_forms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.matching.segment import Segment

_PHRASE_FAVOUR = 2.0
"""Two words say more to a reader than one; a pair's weight is spread thinner than a word's."""
_ENOUGH_WORKS = 4
_REMEMBERED = 120


class TypicalTerm(NamedTuple):
    """A term that stands out in a lab."""

    key: str
    form: WrittenForm


def typical(segment: Segment, position: int, without: Collection[str] = ()) -> Iterator[TypicalTerm]:
    """The lab's terms by how typical they are, no two sharing a word; keys in `without` are left out.

    A term of a single work is not typical of a lab with four works or more.
    """
    used: set[str] = set()
    for term in _ranked(segment, position):
        if term.key in without or term.form.words & used:
            continue
        used |= term.form.words
        yield term


def _ranked(segment: Segment, position: int) -> tuple[TypicalTerm, ...]:
    """The first of a lab's terms by how typical they are; the segment remembers them."""
    found = segment.typical.get(position)
    if found is None:
        lab = segment.labs[position]
        forms = written_forms(lab, 2 if len(lab.works) >= _ENOUGH_WORKS else 1)
        keys = list(forms)
        weights = focus_of(segment, position, Asked.of(keys, np.zeros((0, len(keys))))).tolist()
        ranked = sorted(
            (-weight * (_PHRASE_FAVOUR if len(forms[key].words) > 1 else 1.0), key)
            for key, weight in zip(keys, weights, strict=True)
            if weight
        )
        found = tuple(TypicalTerm(key, forms[key]) for _, key in ranked[:_REMEMBERED])
        segment.typical[position] = found
    return found
