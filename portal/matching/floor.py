"""Does anything fit? A floor below which a ranking would be noise.

A lab fits a query when it fits one of the query's parts: the part surely names one of the lab's systems, or
enough of the part's own words – not counting words that are a system's name – occur in the lab, and the
lab scores enough for the part. docs/matching.md gives the data behind the two numbers and the error on both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.postings import SLACK
from portal.matching.scoring import Asked, asked, lab_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.query import AnalysedQuery, QueryPart
    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary

_NO_WEIGHT = 1e-6
_ADDED = frozenset({"expansion", "concept"})
LEAST_SUPPORT = 0.2
"""The least share of a part's words, by squared weight, that occur in a lab which fits."""
LEAST_SCORE = 0.028
"""The least score a part has by itself with a lab which fits."""


@dataclass(frozen=True, slots=True)
class PartFloor:
    """What is needed to see whether a lab fits one part of a query.

    `names` are the columns of the systems that the part surely names. `words` are the squared weights of the
    part's own words but those of names; column `columns[i]` – the word's own, or that of something added for
    it – stands for word `word_of[i]`. `vector` is the part without the words of names, `length` its length,
    `whole` says that it is the whole query.
    """

    names: NDArray[np.int32]
    words: NDArray[np.float64]
    columns: NDArray[np.int32]
    word_of: NDArray[np.int64]
    vector: Asked
    length: float
    mix: float
    whole: bool

    def fits(self, segment: Segment, position: int, score: float) -> bool:
        """Whether the lab at `position`, with this score for the whole query, is above the floor."""
        of_lab = segment.focus.row(position)[0]
        if _present(self.names, of_lab).any():
            return True
        if not self.length or (self.whole and score < LEAST_SCORE):
            return False
        carried = np.zeros(len(self.words), dtype=bool)
        carried[self.word_of[_present(self.columns, of_lab)]] = True
        total = self.words.sum()
        if not total or self.words[carried].sum() < LEAST_SUPPORT * total:
            return False
        return self.whole or lab_score(segment, position, self.vector) / self.length >= LEAST_SCORE


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of one query: a lab fits when it fits one of the parts."""

    parts: tuple[PartFloor, ...]

    @classmethod
    def of(cls, query: AnalysedQuery, vocabulary: Vocabulary) -> Floor:
        """The floor of `query`; parts that weigh nothing do not count."""
        parts = [part for part in query.parts if part.mix > _NO_WEIGHT]
        return cls(tuple(_part_floor(part, vocabulary, alone=len(query.parts) == 1) for part in parts))

    def fits(self, segment: Segment, position: int, score: float) -> bool:
        """Whether the lab at `position`, with this score, fits some part of the query."""
        return any(part.fits(segment, position, score) for part in self.parts)

    def least_score(self) -> float:
        """A score that every lab which fits reaches (0 where a system's name alone may do)."""
        if any(len(part.names) for part in self.parts):
            return 0.0
        lengths = [part.mix * part.length for part in self.parts if part.length]
        return LEAST_SCORE * min(lengths, default=0.0) * (1 - SLACK)


def _part_floor(part: QueryPart, vocabulary: Vocabulary, *, alone: bool) -> PartFloor:
    vector: dict[str, float] = {}
    for term in part.terms:
        if not term.named:
            vector[term.key] = vector.get(term.key, 0.0) + term.weight
    added = [
        (term.via, column)
        for term in part.terms
        if term.source in _ADDED and (column := vocabulary.column(term.key)) is not None
    ]
    words: list[float] = []
    columns: list[int] = []
    word_of: list[int] = []
    for term in part.terms:
        if term.kind == "word" and not term.named and term.source not in _ADDED:
            own = vocabulary.column(term.key)
            found = [column for via, column in added if term.surface in via]
            columns += found if own is None else [own, *found]
            word_of += [len(words)] * (len(columns) - len(word_of))
            words.append(term.weight**2)
    names = [column for key in part.certain_names if (column := vocabulary.column(key)) is not None]
    return PartFloor(
        np.array(names, dtype=np.int32),
        np.array(words, dtype=np.float64),
        np.array(columns, dtype=np.int32),
        np.array(word_of, dtype=np.int64),
        asked(vector, vocabulary),
        math.sqrt(math.fsum(weight * weight for weight in vector.values())),
        part.mix,
        alone and not any(term.named for term in part.terms),
    )


def _present(wanted: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of `wanted` are among `columns` (rising)."""
    if not len(columns):
        return np.zeros(len(wanted), dtype=bool)
    places = np.minimum(np.searchsorted(columns, wanted), len(columns) - 1)
    found: NDArray[np.bool_] = columns[places] == wanted
    return found
