"""Locates a match in a lab's works: how much of the score each sentence carries.

The share of a term is divided among the sentences of the works that carry it, in proportion to its occurrences. So the
cells of a lab add up to the shares of the terms in them; the rest of the score comes from the lab's other works, its
profile, and names of systems that occur in no sentence.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.explanation.evidence import keys_of_phrase, merged_spans
from portal.matching.query.reading import terms_by_sentence
from portal.matching.recent_cache import RecentTexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.matching.records import WorkDoc
    from portal.matching.results import Span, TermShare

STEPS = (0.02, 0.05, 0.1, 0.2)
"""Parts of the score from which a cell is one step darker; the same for every lab, so that labs can be compared."""

_CACHED = 500_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A sentence of a work's title or abstract, the part of the score it carries, and the words that carry it."""

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
        """The part of the score that the work's sentences carry together."""
        return math.fsum(cell.share for cell in self.cells)


def heat(works: Iterable[WorkDoc], shares: Sequence[TermShare]) -> tuple[WorkHeat, ...]:
    """The sentences of `works`, in the given order, with the part of the explanation's `shares` that each carries."""
    works = tuple(works)
    by_work = {
        work.key: [
            *[_Carried(sentence, in_title=True) for sentence in _read(work.title)],
            *[_Carried(sentence, in_title=False) for sentence in _read(work.abstract)],
        ]
        for work in works
    }
    for share in shares:
        _spread(share, by_work)
    return tuple(WorkHeat(work.key, tuple(carried.cell() for carried in by_work[work.key])) for work in works)


def step(share: float, score: float) -> int:
    """How dark a cell is: 0 for nothing, then 1 to 5 by the part of the score."""
    return 1 + bisect_right(STEPS, share / score) if share > 0 and score > 0 else 0


class _Sentence(NamedTuple):
    """A sentence with the places of its terms."""

    text: str
    places: Mapping[str, Sequence[Span]]


_read_texts: RecentTexts[tuple[_Sentence, ...]] = RecentTexts(_CACHED)


class _Carried:
    """A sentence and what it carries so far."""

    def __init__(self, sentence: _Sentence, *, in_title: bool) -> None:
        self.sentence = sentence
        self.in_title = in_title
        self.parts: list[float] = []
        self.spans: set[Span] = set()

    def times(self, keys: Iterable[str]) -> int:
        """How often the terms with these keys occur in the sentence."""
        return sum(len(self.sentence.places.get(key, ())) for key in keys)

    def add(self, part: float, keys: Iterable[str]) -> None:
        """Add a part of the share of a term with these keys to the sentence."""
        self.parts.append(part)
        self.spans.update(span for key in keys for span in self.sentence.places.get(key, ()))

    def cell(self) -> HeatCell:
        """The finished cell."""
        return HeatCell(self.sentence.text, self.in_title, math.fsum(self.parts), merged_spans(self.spans))


def _spread(share: TermShare, by_work: Mapping[str, Sequence[_Carried]]) -> None:
    """Divide the share of a term among the sentences that it occurs in."""
    keys = keys_of_phrase(share.term)
    places = [
        (carried, times) for work in share.works for carried in by_work.get(work, ()) if (times := carried.times(keys))
    ]
    total = sum(times for _, times in places)
    for carried, times in places:
        carried.add(share.share * times / total, keys)


def _read(text: str) -> tuple[_Sentence, ...]:
    """The sentences of a text with their terms. Cached, as the same works are evidence for many queries."""
    return _read_texts.of(text, len(text), partial(_read_anew, text))


def _read_anew(text: str) -> tuple[_Sentence, ...]:
    sentences: list[_Sentence] = []
    for (begin, end), terms_of_sentence in terms_by_sentence(text):
        places: dict[str, list[Span]] = {}
        for key, first, last, _ in terms_of_sentence:
            places.setdefault(key, []).append((first - begin, last - begin))
        sentences.append(_Sentence(text[begin:end], places))
    return tuple(sentences)
