"""Does anything fit? A floor below which a ranking would be noise.

A lab fits a query if it fits one of the query's parts. It fits a part if the part certainly names one of the lab's
systems; or if enough of the part's own words (not counting words that are a system's name) occur in the lab, and the
lab's score for the part is high enough; the fewer words occur, the higher it must be. A single matching word must make
up half of the part, unless it is a plain word for which concepts know the field's terms. Such a word, and a pair of
words, are stronger evidence and need half as much. docs/matching-measured.md gives the data behind the numbers and the
error on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.scoring import LabScores

LEAST_SUPPORT = 0.12
"""The least support of a lab that fits: the share of the part's words, by squared weight, that occur in it."""
LEAST_SUPPORT_OF_ONE_WORD = 0.5
"""The least support if only one word of the part, and no pair or concept, occurs in the lab."""
LEAST_PRODUCT = 0.012
"""The least product of support and score of a lab that fits."""
SURE = 0.5
"""The share of the least product that suffices if a pair of the part's own words, or a concept, occurs in the lab."""
LEAST_SCORE = 0.028
"""The least score for a part that contains a system's name, computed without the words of the name."""
LEAST_SCORE_APART = 0.036
"""The least score for a part of common words that labs have only apart from one another."""


@dataclass(frozen=True, slots=True)
class PartFloor:
    """Decides whether a lab fits one part of a query. Terms are given as places in `QueryVectors.keys`.

    `names` are the systems that the part certainly names. `words` are the squared weights of the part's own words,
    without those of names, scaled to the sum 1. `terms` are these words and the terms added for them: `terms[i]` stands
    for the word `word_of[i]` (rising). `sure` are the part's own pairs and the concepts added to it. `vector` is the
    place in `QueryVectors.vectors` of the part without the words of names, -1 if nothing is left; `least` is the least
    score for it of a lab that fits, unless it fits by a name.
    """

    names: NDArray[np.int64]
    words: NDArray[np.float64]
    terms: NDArray[np.int64]
    word_of: NDArray[np.int64]
    sure: NDArray[np.int64]
    vector: int
    least: float

    def fits(self, scored: LabScores) -> NDArray[np.bool_]:
        """For each lab, whether it is above the floor of this part."""
        present = scored.present
        named: NDArray[np.bool_] = np.logical_or.reduce(present[self.names], axis=0)
        if self.vector < 0:
            return named
        words_present = present[self.terms]
        if len(words_present) > len(self.words):
            words_present = np.logical_or.reduceat(words_present, self.word_of.searchsorted(np.arange(len(self.words))))
        support = self.words @ words_present
        scores = scored.scores[self.vector]
        sure = np.logical_or.reduce(present[self.sure], axis=0)
        least_support = np.where(sure | (words_present.sum(axis=0) > 1), LEAST_SUPPORT, LEAST_SUPPORT_OF_ONE_WORD)
        least_product = np.where(sure, SURE * LEAST_PRODUCT, LEAST_PRODUCT)
        fits: NDArray[np.bool_] = (
            (support >= least_support) & (scores >= self.least) & (scores * support >= least_product)
        )
        return fits | named


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of one query: a lab fits if it fits one of the parts."""

    parts: tuple[PartFloor, ...]

    def fits(self, scored: LabScores) -> NDArray[np.bool_]:
        """For each scored lab, whether it fits some part of the query."""
        fits = np.zeros(scored.scores.shape[1], dtype=bool)
        for part in self.parts:
            fits |= part.fits(scored)
        return fits
