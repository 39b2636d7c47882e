"""Does anything fit? A floor below which a ranking would be noise.

A lab fits a query when it fits one of the query's parts: the part surely names one of the lab's systems, or
enough of the part's own words – not counting words that are a system's name – occur in the lab, and the
lab scores enough for the part, the more the fewer of them occur. One word alone must be half of the part, unless it
is a plain word for which the field has others. Such a word, and two words together, are surer than single words and
need half as much. docs/matching-measured.md gives the data behind the numbers and the error on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.scoring import Scored

LEAST_SUPPORT = 0.12
"""The least share of a part's words, by squared weight, that occur in a lab which fits (its support)."""
LEAST_SUPPORT_OF_ONE_WORD = 0.5
"""The least support when only one word of the part, and nothing sure, occurs in the lab."""
LEAST_PRODUCT = 0.012
"""The least product of support and score that a part has with a lab which fits."""
SURE = 0.5
"""How much of the least product is enough where a pair of the part's own words, or a concept, occurs in the lab."""
LEAST_SCORE = 0.028
"""The least score of a part that has words which are a system's name, both without these words."""


@dataclass(frozen=True, slots=True)
class PartFloor:
    """What is needed to see whether a lab fits one part of a query; terms are places in `Asked.keys`.

    `names` are the systems that the part surely names. `words` are the squared weights of the part's own words
    but those of names, as shares of 1; the term `terms[i]` – the word's own, or one added for it – stands for
    word `word_of[i]`, which rises. `sure` are its own pairs and the concepts added to it. `vector` is the number
    of the vector that is the part without the words of names, -1 if nothing is left, `least` the least score it has
    with a lab that fits otherwise than by a name.
    """

    names: NDArray[np.int64]
    words: NDArray[np.float64]
    terms: NDArray[np.int64]
    word_of: NDArray[np.int64]
    sure: NDArray[np.int64]
    vector: int
    least: float

    def fits(self, scored: Scored) -> NDArray[np.bool_]:
        """Which labs are above the floor of this part."""
        present = scored.present
        named: NDArray[np.bool_] = np.logical_or.reduce(present[self.names], axis=0)
        if self.vector < 0:
            return named
        carried = present[self.terms]
        if len(carried) > len(self.words):
            carried = np.logical_or.reduceat(carried, self.word_of.searchsorted(np.arange(len(self.words))))
        support = self.words @ carried
        scores = scored.scores[self.vector]
        sure = np.logical_or.reduce(present[self.sure], axis=0)
        enough = np.where(sure | (carried.sum(axis=0) > 1), LEAST_SUPPORT, LEAST_SUPPORT_OF_ONE_WORD)
        least = np.where(sure, SURE * LEAST_PRODUCT, LEAST_PRODUCT)
        found: NDArray[np.bool_] = (support >= enough) & (scores >= self.least) & (scores * support >= least)
        return found | named


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of one query: a lab fits when it fits one of the parts."""

    parts: tuple[PartFloor, ...]

    def fits(self, scored: Scored) -> NDArray[np.bool_]:
        """Which of the scored labs fit some part of the query."""
        found = np.zeros(scored.scores.shape[1], dtype=bool)
        for part in self.parts:
            found |= part.fits(scored)
        return found
