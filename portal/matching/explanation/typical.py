"""What is typical of a lab: the terms that stand out in it, as it writes them."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.explanation.surfaces import LabPhrases, WrittenForm
from portal.matching.scoring import Asked, focus_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from portal.matching.segments.segment import Segment

_PHRASE_FAVOUR = 2.0
"""Two words say more to a reader than one; a pair's weight is spread thinner than a word's."""
_ENOUGH_WORKS = 4
_FIRST, _MOST = 40, 120
"""So many are found at once, and so many at most where these do not suffice."""


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


def _ranked(segment: Segment, position: int) -> Iterator[TypicalTerm]:
    """A lab's terms by how typical they are."""
    seen = 0
    for count in (_FIRST, _MOST):
        found = _first(segment, position, count)
        yield from found[seen:]
        if len(found) < count:
            return
        seen = count


def _first(segment: Segment, position: int, count: int) -> tuple[TypicalTerm, ...]:
    """The first `count` of them, or more, or all there are; the segment remembers them."""
    asked, found = segment.typical.get(position, (0, ()))
    if asked < count:
        lab = segment.labs[position]
        phrases = LabPhrases(lab, 2 if len(lab.works) >= _ENOUGH_WORKS else 1)
        keys = list(phrases.keys)
        weights = focus_of(segment, position, Asked.of(keys, np.zeros((0, len(keys))))).tolist()
        found = tuple(islice(_by_weight(phrases, dict(zip(keys, weights, strict=True))), count))
        segment.typical[position] = count, found
    return found


def _by_weight(phrases: LabPhrases, weights: Mapping[str, float]) -> Iterator[TypicalTerm]:
    """The phrases by weight, equal ones by key; of few the form is found, which takes longest."""
    # Each waits with the most that it may weigh, and once its form is known with what it weighs.
    waiting: list[tuple[float, str, WrittenForm | None]]
    waiting = [(-_PHRASE_FAVOUR * weight, key, None) for key, weight in weights.items() if weight]
    heapify(waiting)
    while waiting:
        _, key, form = heappop(waiting)
        if form is not None:
            yield TypicalTerm(key, form)
            continue
        form = phrases.form(key)
        if form is not None:
            favour = _PHRASE_FAVOUR if len(form.words) > 1 else 1.0
            heappush(waiting, (-favour * weights[key], key, form))
