"""What is typical of a lab: the terms that stand out in it, as it writes them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from portal.matching.explanation.lab_phrases import LabPhrases

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.matching.explanation.lab_phrases import TypicalTerm
    from portal.matching.segments.segment import Segment

_FIRST, _MOST = 40, 120
"""So many are found at once, and so many at most where these do not suffice."""


def typical(segment: Segment, position: int, without: Collection[int] = ()) -> Iterator[TypicalTerm]:
    """The lab's terms by how typical they are, no two sharing a word; terms with the numbers `without` are left out."""
    used: set[str] = set()
    for term in _ranked(segment, position):
        if term.number in without or term.words & used:
            continue
        used |= term.words
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
        found = tuple(islice(LabPhrases(segment, position).by_weight(), count))
        segment.typical[position] = count, found
    return found
