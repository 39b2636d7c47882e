"""Does anything fit? A floor below which a ranking would be noise.

A lab fits a query when it fits one of the query's parts: the part surely names one of the lab's systems, or
enough of the part's own words – not counting words that are a system's name – occur in the lab, and the
lab scores enough for the part. docs/matching.md gives the data behind the two numbers and the error on both sides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from portal.matching.postings import SLACK
from portal.matching.scoring import lab_score, query_columns

if TYPE_CHECKING:
    from portal.matching.query import AnalysedQuery, QueryPart
    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary

_NO_WEIGHT = 1e-6
_ADDED = frozenset({"expansion", "concept"})
LEAST_SUPPORT = 0.2
"""The least share of a part's words, by squared weight, that occur in a lab which fits."""
LEAST_SCORE = 0.03
"""The least score a part has by itself with a lab which fits."""


def fits(query: AnalysedQuery, segment: Segment, position: int, vocabulary: Vocabulary) -> bool:
    """Whether the lab at `position` is above the floor for at least one part of the query."""
    return any(part.mix > _NO_WEIGHT and _part_fits(part, segment, position, vocabulary) for part in query.parts)


def _part_fits(part: QueryPart, segment: Segment, position: int, vocabulary: Vocabulary) -> bool:
    columns = set(segment.focus.row(position)[0].tolist())
    if any(vocabulary.column(key) in columns for key in part.certain_names):
        return True
    words = [term for term in part.terms if term.kind == "word" and not term.named and term.source not in _ADDED]
    total = sum(term.weight**2 for term in words)
    if not total:
        return False
    added = {term.via for term in part.terms if term.source in _ADDED and vocabulary.column(term.key) in columns}
    carried = sum(
        term.weight**2
        for term in words
        if vocabulary.column(term.key) in columns or any(term.surface in via for via in added)
    )
    return carried >= LEAST_SUPPORT * total and part_score(part, segment, position, vocabulary) >= LEAST_SCORE


def part_score(part: QueryPart, segment: Segment, position: int, vocabulary: Vocabulary) -> float:
    """The score the lab would have if the query were this part without the names of systems."""
    vector, length = _without_names(part)
    if not length:
        return 0.0
    return lab_score(segment, position, query_columns(vector, vocabulary), len(vocabulary)) / length


def least_score(query: AnalysedQuery) -> float:
    """A score that every lab which fits reaches (0 where a system's name alone may do)."""
    if any(part.certain_names for part in query.parts):
        return 0.0
    lengths = [part.mix * _without_names(part)[1] for part in query.parts]
    return LEAST_SCORE * min((length for length in lengths if length), default=0.0) * (1 - SLACK)


def _without_names(part: QueryPart) -> tuple[dict[str, float], float]:
    """The vector of a part without the words of names, and its length."""
    vector: dict[str, float] = {}
    for term in part.terms:
        if not term.named:
            vector[term.key] = vector.get(term.key, 0.0) + term.weight
    return vector, math.sqrt(math.fsum(weight * weight for weight in vector.values()))
