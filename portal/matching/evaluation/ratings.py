"""Do a lab's scores order texts like a person's ratings? The pairwise loss of reviewer assignment.

Defined in Stelmakh, Wieting, Xi, Neubig and Shah, "A Gold Standard Dataset for the Reviewer Assignment Problem"
(arXiv:2303.16750), and computed by their published code: tied scores cost half of the loss, and count as wrong among
the easy and hard pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.evaluation.figures import Figure, ratio
from portal.matching.records import Query, Topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.index import LabIndex

LOWEST, HIGHEST = 1, 5
_HIGH, _LOW = 4, 2  # ratings, as published: at least 4 is in the field, at most 2 is not


@dataclass(frozen=True, slots=True)
class Rating:
    """How well `query` is in the field of `lab`, from 1 to 5. `text` names the query; `line` is its line number."""

    lab: str
    text: str
    rating: float
    query: Query
    line: int = 0

    @classmethod
    def of_text(cls, lab: str, text: str, rating: float, line: int = 0) -> Rating:
        """A rating of a plain text. People rate existing texts, so spelling is not corrected."""
        return cls(lab, text, rating, Query((Topic(text),), correct_spelling=False), line)


@dataclass(frozen=True, slots=True)
class ScoredRating:
    """A rating with the score of the matcher."""

    rating: Rating
    score: float


@dataclass(frozen=True, slots=True)
class PairwiseFigures:
    """How the scores order the pairs of texts that a lab rated differently. Intervals come from resampling labs.

    `loss` weighs each pair by the difference of its ratings (0 is best, 0.5 is chance). `easy` and `hard` are the
    shares of pairs in the right order: in easy pairs one text is rated at least 4 and the other at most 2, in hard
    pairs both are rated at least 4. They are None if there are no such pairs.
    """

    loss: Figure
    easy: Figure | None
    hard: Figure | None
    pairs: int
    easy_pairs: int
    hard_pairs: int


def score(index: LabIndex, rating: Rating) -> ScoredRating:
    """The rating with its score.

    Raises:
        UnknownLab: the lab is not in the index.
    """
    return ScoredRating(rating, index.score(rating.query, rating.lab))


def pairwise(scored: Iterable[ScoredRating]) -> PairwiseFigures | None:
    """The figures of all labs; None if no lab has two texts with different ratings."""
    sums = np.array([_sums(of_lab) for of_lab in _by_lab(scored)]).reshape(-1, 7)
    pairs, easy_pairs, hard_pairs = (int(count) for count in sums[:, [6, 3, 5]].sum(axis=0))
    if not pairs:
        return None

    def figure(part: int, whole: int) -> Figure:
        counted = sums[sums[:, whole] > 0]
        return ratio([(row[part], row[whole]) for row in counted.tolist()])

    return PairwiseFigures(
        figure(0, 1),
        figure(2, 3) if easy_pairs else None,
        figure(4, 5) if hard_pairs else None,
        pairs,
        easy_pairs,
        hard_pairs,
    )


def _by_lab(scored: Iterable[ScoredRating]) -> list[list[ScoredRating]]:
    """The ratings of each lab, in the order of the labs' first ratings."""
    by_lab: dict[str, list[ScoredRating]] = {}
    for item in scored:
        by_lab.setdefault(item.rating.lab, []).append(item)
    return list(by_lab.values())


def _sums(scored: Sequence[ScoredRating]) -> tuple[float, ...]:
    """For one lab: loss and maximal loss, right and all easy pairs, right and all hard pairs, number of pairs."""
    ratings = np.array([item.rating.rating for item in scored])
    scores = np.array([item.score for item in scored])
    total = np.zeros(7)
    for rating, own in zip(ratings, scores, strict=True):
        is_worse = ratings < rating
        gap, lead, others = rating - ratings[is_worse], own - scores[is_worse], ratings[is_worse]
        easy, hard = (others <= _LOW) & (rating >= _HIGH), others >= _HIGH
        total += (
            gap[lead < 0].sum() + gap[lead == 0].sum() / 2,
            gap.sum(),
            (lead[easy] > 0).sum(),
            easy.sum(),
            (lead[hard] > 0).sum(),
            hard.sum(),
            len(gap),
        )
    return tuple(total.tolist())
