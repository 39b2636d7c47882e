"""The concepts nearest to a query's own words, and how much of their terms a work has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from portal.matching.explanation.evidence import keys_of_phrase
from portal.matching.language.hashing import term_numbers
from portal.matching.query.near_terms import MOST_NEAR
from portal.matching.results import ADDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.explanation.lab_reading import LabReading
    from portal.matching.query.parts import AnalysedQuery
    from portal.matching.query.scattered import ScatteredWords


class NearConcepts:
    """The concepts nearest to a query, by the words of their phrases.

    Used only to order the works of evidence: a paraphrase shares few words with a work, but many with the phrases that
    people use for the work's subject.
    """

    def __init__(self, query: AnalysedQuery, words: ScatteredWords) -> None:
        places: dict[str, int] = {}
        self._wanted: list[tuple[float, list[list[int]]]] = []
        for near in words.near(_own_words(query), MOST_NEAR):
            keys = filter(None, map(keys_of_phrase, near.terms))
            terms = [[places.setdefault(key, len(places)) for key in term] for term in keys]
            if terms:
                self._wanted.append((near.cosine, terms))
        self._numbers = term_numbers(list(places))

    def nearness(self, reading: LabReading, row: int) -> float:
        """How near the concepts are whose terms the row has: the root of the sum of (cosine × share of terms)²."""
        if not self._wanted:
            return 0.0
        present = {place for place, _ in reading.terms_in(row, self._numbers)}
        return math.hypot(
            *[cosine * sum(map(present.issuperset, terms)) / len(terms) for cosine, terms in self._wanted]
        )


def _own_words(query: AnalysedQuery) -> Sequence[str]:
    """The keys of the words of topics and statement, as corrected."""
    return [
        term.key
        for part in query.parts
        if part.source != "resume"
        for term in part.terms
        if term.kind == "word" and term.source not in ADDED
    ]
