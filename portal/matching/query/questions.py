"""Cached queries, prepared for ranking: each is used for many labs and pages."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.explanation.near_concepts import NearConcepts
from portal.matching.explanation.shares import QueryTerm
from portal.matching.explanation.typed_forms import TypedForm, typed_forms
from portal.matching.query.analysis import SHORT_TEXT, Analyst
from portal.matching.query.prepared import Prepared
from portal.matching.recent_cache import RecentTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.query.expansion import Expander
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.query.parts import AnalysedQuery
    from portal.matching.records import Query, Topic
    from portal.matching.results import Source

_SHORT_QUERIES = 2_048
_LONG_QUERIES = 500_000
"""Characters."""
_TOPICS = 4_096
_AS_WRITTEN = attrgetter("written", "source", "via")


class Question:
    """An analysed query, prepared for ranking and explaining.

    `topic_vector` returns the vector of a text stated as a topic, for the gains from further topics; `expander` has the
    concepts.
    """

    def __init__(
        self, query: AnalysedQuery, topic_vector: Callable[[str], Mapping[str, float]], expander: Expander
    ) -> None:
        self.query = query
        self.prepared = Prepared.of(query)
        self.characters = sum([len(part.text) for part in query.parts])
        self.topic_vector = topic_vector
        self._expander = expander

    @cached_property
    def near_concepts(self) -> NearConcepts:
        """The concepts nearest to the query's own words."""
        return NearConcepts(self.query, self._expander.scattered_words)

    @cached_property
    def typed_forms(self) -> tuple[TypedForm, ...]:
        """The forms of abbreviations in the query of which the other form was added."""
        return typed_forms(self.query, self._expander)

    @cached_property
    def query_terms(self) -> Sequence[QueryTerm]:
        """The terms of the query by source, merged over its parts and sorted by spelling."""
        keys = self.prepared.keys
        places = dict(zip(keys, range(len(keys)), strict=True))
        weights: dict[tuple[str, Source, str], float] = {}
        repeated: dict[tuple[str, Source, str], list[float]] = {}
        written: dict[tuple[str, Source, str], str] = {}
        for part in self.query.parts:
            mix, surface = part.mix, part.surface
            for term in part.terms:
                label = (term.key, term.source, term.via)
                weight = mix * term.weight
                if label in weights:
                    repeated.setdefault(label, [weights[label]]).append(weight)
                else:
                    weights[label], written[label] = weight, surface(term)
        weights |= {label: math.fsum(several) for label, several in repeated.items()}
        query_terms = [
            QueryTerm(places[label[0]], weight, written[label], label[1], label[2]) for label, weight in weights.items()
        ]
        return sorted(query_terms, key=_AS_WRITTEN)

    @cached_property
    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The places of these terms in the query's vector and their coordinates, for kernels."""
        terms = self.query_terms
        return np.array([term.term for term in terms], np.int64), np.array([term.weight for term in terms])


class Questions:
    """Questions about one state of an index. The latest are cached by everything that affects a score."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._analyst = Analyst(lexicon)
        self._short = lru_cache(maxsize=_SHORT_QUERIES)(self._question)
        self._long: RecentTexts[Question] = RecentTexts(_LONG_QUERIES)
        # A separate cache: each list with its gaps needs hundreds of these.
        self._topic_vector = lru_cache(maxsize=_TOPICS)(self._analyst.topic_vector)

    def of(self, query: Query) -> Question:
        """The question for a query."""
        length = len(query.statement) + len(query.resume) + sum([len(topic.text) for topic in query.topics])
        stated = (query.topics, query.statement, query.resume, query.resume_weight, query.correct_spelling)
        if length <= SHORT_TEXT:
            return self._short(*stated)
        return self._long.of(stated, length, partial(self._question, *stated))

    def _question(
        self,
        topics: Sequence[Topic],
        statement: str,
        resume: str,
        resume_weight: float,
        corrects: bool,  # noqa: FBT001 - part of a key
    ) -> Question:
        stated: list[tuple[Source, str, float]] = [
            ("topic", topic.text, topic.weight) for topic in topics if topic.weight > 0 and topic.text.strip()
        ]
        if statement.strip():
            stated.append(("statement", statement, 1.0))
        if resume_weight > 0 and resume.strip():
            stated.append(("resume", resume, resume_weight))
        analysed = self._analyst.analysed(stated, corrects=corrects)
        return Question(analysed, self._topic_vector, self.lexicon.expander)
