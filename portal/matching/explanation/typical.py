"""What is typical of a lab: the terms that stand out in it, as it writes them."""

from __future__ import annotations

from functools import cached_property
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING

from portal.matching.explanation.lab_phrases import LabPhrases

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from portal.matching.explanation.lab_phrases import TypicalTerm
    from portal.matching.segments.segment import Segment

_PHRASE_FAVOUR = 2.0
"""Two words say more to a reader than one; a pair's weight is spread thinner than a word's."""
_MOST = 120
"""Terms that are looked at."""


def typical(segment: Segment, position: int, without: Collection[int] = ()) -> Iterator[TypicalTerm]:
    """The lab's terms by how typical they are, no two sharing a word; terms with the numbers `without` are left out."""
    phrases = segment.phrases.of(position, lambda: LabPhrases(segment, position))
    shown, choice = 0, _Choice(phrases, without)
    for term in _by_weight(phrases, choice.passes_over):
        if choice.looked_at > _MOST:
            break
        if choice.takes(term):
            shown += 1
            yield term
    else:
        return
    # Which are the first so many is only known once those that share a word are put into words as well.
    anew = _Choice(phrases, without)
    yield from islice(filter(anew.takes, islice(_by_weight(phrases), _MOST)), shown, None)


class _Choice:
    """Takes terms one after the other that share no word."""

    def __init__(self, phrases: LabPhrases, without: Collection[int]) -> None:
        self._phrases = phrases
        self._without = without
        self._used: set[str] = set()
        self.looked_at = 0

    def passes_over(self, term: int) -> bool:
        """Whether a term is surely not taken, however it is written."""
        self.looked_at += 1
        return self._phrases.numbers[term] in self._without or not self._used.isdisjoint(self._phrases.words(term))

    def takes(self, term: TypicalTerm) -> bool:
        """Whether a term shares no word with those taken, nor is left out; then it is taken."""
        if term.number in self._without or not self._used.isdisjoint(term.words):
            return False
        self._used |= term.words
        return True


def _by_weight(phrases: LabPhrases, passes_over: Callable[[int], bool] | None = None) -> Iterator[TypicalTerm]:
    """A lab's terms by weight, equal ones by key, without those that are passed over."""
    # Each waits, in words, until no other may weigh more: a term may be a phrase until that is known.
    waiting: list[tuple[float, _ByKey, TypicalTerm]] = []
    for term, weight in enumerate(phrases.weights):
        while waiting and -waiting[0][0] > _PHRASE_FAVOUR * weight:
            yield heappop(waiting)[2]
        if not weight:
            break
        if passes_over is not None and passes_over(term):
            continue
        found = phrases.form(term)
        if found is not None:
            favour = _PHRASE_FAVOUR if len(found.words) > 1 else 1.0
            heappush(waiting, (-favour * weight, _ByKey(phrases, term), found))
    while waiting:
        yield heappop(waiting)[2]


class _ByKey:
    """Orders terms of equal weight by their keys, which are looked for only then."""

    def __init__(self, phrases: LabPhrases, term: int) -> None:
        self._phrases = phrases
        self._term = term

    @cached_property
    def _key(self) -> str:
        return self._phrases.key(self._term)

    def __lt__(self, other: _ByKey) -> bool:
        return self._key < other._key
