"""Where in a lab's works a match is: how much of the score each sentence carries.

The share of a term is spread over the sentences, of the works that carry it, in which the term occurs, by how
often it occurs there. So the cells of a lab add up to the shares of the terms that occur in them; what is left of
the score comes from the lab's other works, its profile, and names of systems that no sentence has.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.evidence import mark
from portal.matching.terms import sentence_terms, terms
from portal.matching.words import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.matching.records import WorkDoc
    from portal.matching.results import Span, TermShare

STEPS = (0.02, 0.05, 0.1, 0.2)
"""Parts of the score from which on a cell is a step darker; the same for every lab, so that labs compare."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A sentence of a work's title or abstract, the part of the score that it carries, and the words that do."""

    sentence: str
    in_title: bool
    share: float
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class WorkHeat:
    """The sentences of one work, in their order."""

    work: str
    cells: tuple[HeatCell, ...]

    @property
    def share(self) -> float:
        """The part of the score that the work's sentences carry."""
        return math.fsum(cell.share for cell in self.cells)


def heat(works: Iterable[WorkDoc], shares: Sequence[TermShare]) -> tuple[WorkHeat, ...]:
    """The sentences of `works`, in the order given, with what each carries of the `shares` of an explanation."""
    read = [(work, _read(work.title, in_title=True) + _read(work.abstract, in_title=False)) for work in works]
    found = {work.key: [_Carried(sentence) for sentence in cells] for work, cells in read}
    for share in shares:
        _spread(share, found)
    return tuple(WorkHeat(work.key, tuple(carried.cell() for carried in found[work.key])) for work, _ in read)


def step(share: float, score: float) -> int:
    """How dark a cell is: 0 for nothing, then 1 to 5 by the part of the score."""
    return 1 + bisect_right(STEPS, share / score) if share > 0 and score > 0 else 0


class _Sentence(NamedTuple):
    text: str
    in_title: bool
    keys: Mapping[str, int]


class _Carried:
    """A sentence and what it carries so far."""

    def __init__(self, sentence: _Sentence) -> None:
        self.sentence = sentence
        self.parts: list[float] = []
        self.words: list[str] = []

    def cell(self) -> HeatCell:
        """The finished cell."""
        spans = mark(self.sentence.text, self.words) if self.words else ()
        return HeatCell(self.sentence.text, self.sentence.in_title, math.fsum(self.parts), spans)


def _spread(share: TermShare, found: Mapping[str, Sequence[_Carried]]) -> None:
    keys = _keys(share.term)
    places = [
        (carried, times)
        for work in share.works
        for carried in found.get(work, ())
        if (times := sum(carried.sentence.keys.get(key, 0) for key in keys))
    ]
    total = sum(times for _, times in places)
    for carried, times in places:
        carried.parts.append(share.share * times / total)
        carried.words.append(share.term)


@lru_cache(maxsize=4096)
def _keys(phrase: str) -> frozenset[str]:
    """The keys by which a term, as written in an explanation, is found: of a phrase its pairs, as `mark` does."""
    found = list(terms(phrase))
    pairs = frozenset(term.key for term in found if term.kind == "pair")
    return pairs or frozenset(term.key for term in found)


@lru_cache(maxsize=2048)
def _read(text: str, *, in_title: bool) -> tuple[_Sentence, ...]:
    """The sentences of a text and how often each term is in them; the same works are the evidence of many queries."""
    return tuple(
        _Sentence(text[one.start : one.end], in_title, Counter(term.key for term in sentence_terms(one)))
        for one in sentences(text)
    )
