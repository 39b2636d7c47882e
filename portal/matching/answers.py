"""Answers questions from one state of an index. Caches the latest lists, as pages are often requested repeatedly."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import count, repeat
from typing import TYPE_CHECKING

from portal.matching import compiled
from portal.matching.explanation.explain import explanations
from portal.matching.ranking import best_first
from portal.matching.recent_cache import RecentTexts
from portal.matching.results import Explanation, Match

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.matching.query.questions import Question, Questions
    from portal.matching.ranking import Ranked
    from portal.matching.records import Facets, Query

    Explained = tuple[tuple[Match, Explanation], ...]
    Wanted = tuple[tuple[str, tuple[str, ...]], ...]

_LONGEST = 100
"""Labs per list. Longer lists are not cached: one of 10,000 labs takes a megabyte, with explanations hundreds."""
_LISTS = 512
_EXPLAINED = 128
_LONG_EXPLAINED = 8
_FEW_TERMS = 64
_FEW_CHARACTERS = 4_000
"""Lists for longer questions take a hundred times the memory, with the questions, so fewer of them are cached."""
_LONG_LISTS = 500_000
"""Characters of these questions."""


class Answers:
    """Answers questions from one state. Caches lists, along with the evidence and gaps that were looked at.

    Kernels and NumPy have separate cache entries, so that their answers can be compared.
    """

    def __init__(self, questions: Questions) -> None:
        self.state = questions.lexicon.state
        self.question: Callable[[Query], Question] = questions.of
        # Separate caches for short questions and for long ones.
        self._rank_short: Callable[[Question, int, bool], Ranked] = lru_cache(maxsize=_LISTS)(self._rank)
        self._rank_long: RecentTexts[Ranked] = RecentTexts(_LONG_LISTS)
        self._explain_short: Callable[[Question, int, Wanted, bool], Explained] = lru_cache(maxsize=_EXPLAINED)(
            self._explain
        )
        self._explain_long: Callable[[Question, int, Wanted, bool], Explained] = lru_cache(maxsize=_LONG_EXPLAINED)(
            self._explain
        )

    def ranked(self, question: Question, k: int) -> list[Match]:
        """The `k` best labs that fit."""
        return _matches(self._list(question, k, compiled.kernels() is not None), len(self.state))

    def explained(self, question: Question, k: int, facets: Facets) -> list[tuple[Match, Explanation]]:
        """The same, each with its explanation; `facets` are the query's wanted facets."""
        explain_cached = self._explain_short if _is_short(question) else self._explain_long
        explain = explain_cached if k <= _LONGEST else self._explain
        wanted = tuple([(name, tuple(facets[name])) for name in sorted(facets)])
        return list(explain(question, k, wanted, compiled.kernels() is not None))

    def _list(self, question: Question, k: int, kernels: bool) -> Ranked:  # noqa: FBT001 - part of a key
        if k > _LONGEST:
            return self._rank(question, k, kernels)
        if _is_short(question):
            return self._rank_short(question, k, kernels)
        make = partial(self._rank, question, k, kernels)
        return self._rank_long.of((question, k, kernels), question.characters, make)

    def _rank(self, question: Question, k: int, kernels: bool) -> Ranked:  # noqa: FBT001 - part of a key
        del kernels
        return best_first(self.state.layers, question.prepared, k)

    def _explain(self, question: Question, k: int, wanted: Wanted, kernels: bool) -> Explained:  # noqa: FBT001 - as above
        ranked = self._list(question, k, kernels)
        by_lab: dict[str, Explanation] = {}
        for layer_id, layer in enumerate(self.state.layers):
            rows = zip(ranked.positions, ranked.scores, ranked.layers, strict=True)
            scored_positions = sorted([(position, score) for position, score, in_layer in rows if in_layer == layer_id])
            if scored_positions:
                positions, scores = zip(*scored_positions, strict=True)
                for explanation in explanations(question, dict(wanted), layer.segment, positions, scores, fits=True):
                    by_lab[explanation.lab] = explanation
        return tuple([(match, by_lab[match.lab]) for match in _matches(ranked, len(self.state))])


def _is_short(question: Question) -> bool:
    return len(question.prepared.keys) <= _FEW_TERMS and question.characters <= _FEW_CHARACTERS


def percentile(rank: int, labs: int) -> float:
    """The percentile of a rank in a list of `labs` labs; the first has 100."""
    return 100 * (labs - rank + 1) / labs


_match = partial(tuple.__new__, Match)
"""The same as `Match._make`, but entirely in C."""


@lru_cache(maxsize=16)
def _percentiles(shown: int, labs: int) -> tuple[float, ...]:
    """The percentiles of the first `shown` of `labs` labs."""
    return tuple([percentile(rank, labs) for rank in range(1, shown + 1)])


def _matches(ranked: Ranked, labs: int) -> list[Match]:
    percentiles = _percentiles(len(ranked.keys), labs)
    return list(map(_match, zip(ranked.keys, ranked.scores, count(1), percentiles, repeat(True))))
