"""The answers of one state of an index. The latest lists are cached, as pages are often requested more than once."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import count, repeat
from typing import TYPE_CHECKING

from portal.matching import compiled
from portal.matching.explanation.explain import explanations
from portal.matching.ranking import best_first
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
"""Explained lists for questions with more terms take a hundred times the memory, so fewer of them are cached."""


class Answers:
    """Answers questions from one state. Caches lists, along with the evidence and gaps that were looked at.

    Kernels and NumPy have separate cache entries, so that their answers can be compared.
    """

    def __init__(self, questions: Questions) -> None:
        self.state = questions.lexicon.state
        self.question: Callable[[Query], Question] = questions.of
        self._best: Callable[[Question, int, bool], Ranked] = lru_cache(maxsize=_LISTS)(self._find)
        self._few: Callable[[Question, int, Wanted, bool], Explained] = lru_cache(maxsize=_EXPLAINED)(self._explain)
        self._many: Callable[[Question, int, Wanted, bool], Explained] = lru_cache(maxsize=_LONG_EXPLAINED)(
            self._explain
        )

    def ranked(self, question: Question, k: int) -> list[Match]:
        """The `k` best labs that fit."""
        return _matches(self._list(question, k, compiled.kernels() is not None), len(self.state))

    def explained(self, question: Question, k: int, facets: Facets) -> list[tuple[Match, Explanation]]:
        """The same, each with its explanation; `facets` are the query's wanted facets."""
        remembered = self._few if len(question.prepared.keys) <= _FEW_TERMS else self._many
        explain = remembered if k <= _LONGEST else self._explain
        wanted = tuple([(name, tuple(facets[name])) for name in sorted(facets)])
        return list(explain(question, k, wanted, compiled.kernels() is not None))

    def _list(self, question: Question, k: int, kernels: bool) -> Ranked:  # noqa: FBT001 - part of a key
        return (self._best if k <= _LONGEST else self._find)(question, k, kernels)

    def _find(self, question: Question, k: int, kernels: bool) -> Ranked:  # noqa: FBT001 - part of a key
        del kernels
        return best_first(self.state.layers, question.prepared, k)

    def _explain(self, question: Question, k: int, wanted: Wanted, kernels: bool) -> Explained:  # noqa: FBT001 - as above
        ranked = self._list(question, k, kernels)
        found: dict[str, Explanation] = {}
        for number, layer in enumerate(self.state.layers):
            rows = zip(ranked.positions, ranked.scores, ranked.layers, strict=True)
            of_layer = sorted([(position, score) for position, score, in_layer in rows if in_layer == number])
            if of_layer:
                positions, scores = zip(*of_layer, strict=True)
                for explanation in explanations(question, dict(wanted), layer.segment, positions, scores, fits=True):
                    found[explanation.lab] = explanation
        return tuple([(match, found[match.lab]) for match in _matches(ranked, len(self.state))])


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
