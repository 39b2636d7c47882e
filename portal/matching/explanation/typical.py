"""The typical terms of a lab, in its own spelling."""

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
"""The factor by which pairs are preferred: they say more to a reader than one word, but weigh less."""
_MOST = 120
"""The number of terms considered."""


def typical(segment: Segment, position: int, without: Collection[int] = ()) -> Iterator[TypicalTerm]:
    """The lab's terms, most typical first, no two sharing a word, without the terms with the numbers `without`."""
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
    # Which terms are the first `_MOST` is only known once those that were passed over are spelled, too.
    full_choice = _Choice(phrases, without)
    yield from islice(filter(full_choice.takes, islice(_by_weight(phrases), _MOST)), shown, None)


class _Choice:
    """Accepts terms one after the other unless they share a word with an earlier one."""

    def __init__(self, phrases: LabPhrases, without: Collection[int]) -> None:
        self._phrases = phrases
        self._without = without
        self._used: set[str] = set()
        self.looked_at = 0

    def passes_over(self, term: int) -> bool:
        """Whether a term will certainly be rejected, however it is spelled."""
        self.looked_at += 1
        return self._phrases.numbers[term] in self._without or not self._used.isdisjoint(self._phrases.words(term))

    def takes(self, term: TypicalTerm) -> bool:
        """Accept a term, and return True, if it is not excluded and shares no word with the accepted ones."""
        if term.number in self._without or not self._used.isdisjoint(term.words):
            return False
        self._used |= term.words
        return True


def _by_weight(phrases: LabPhrases, passes_over: Callable[[int], bool] | None = None) -> Iterator[TypicalTerm]:
    """A lab's terms by weight, equal ones by key, without those that are skipped."""
    # Phrases weigh more, but only spelling shows which terms are phrases: each waits until no other can weigh more.
    waiting: list[tuple[float, _ByKey, TypicalTerm]] = []
    for term, weight in enumerate(phrases.weights):
        while waiting and -waiting[0][0] > _PHRASE_FAVOUR * weight:
            yield heappop(waiting)[2]
        if not weight:
            break
        if passes_over is not None and passes_over(term):
            continue
        spelled_term = phrases.form(term)
        if spelled_term is not None:
            favour = _PHRASE_FAVOUR if len(spelled_term.words) > 1 else 1.0
            heappush(waiting, (-favour * weight, _ByKey(phrases, term), spelled_term))
    while waiting:
        yield heappop(waiting)[2]


class _ByKey:
    """Orders terms of equal weight by key; keys are computed only for these."""

    def __init__(self, phrases: LabPhrases, term: int) -> None:
        self._phrases = phrases
        self._term = term

    @cached_property
    def _key(self) -> str:
        return self._phrases.key(self._term)

    def __lt__(self, other: _ByKey) -> bool:
        return self._key < other._key
