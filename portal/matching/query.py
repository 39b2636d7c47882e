"""A query → weighted terms, each with where it came from.

Every part is weighed like a document (sublinear frequency × idf, length 1), then the parts are mixed by
their weights. Terms that no lab uses stay in the length, so that scores of different queries compare.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.names import mentions
from portal.matching.privacy import redact
from portal.matching.reading import read
from portal.matching.terms import pair_key, stem, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from portal.matching.expansion import Added, Expander
    from portal.matching.names import NameMention
    from portal.matching.reading import Reading
    from portal.matching.records import Query
    from portal.matching.results import Source
    from portal.matching.spelling import Correction, Speller
    from portal.matching.terms import Kind, Term
    from portal.matching.vocabulary import Vocabulary


class PartTerm(NamedTuple):
    """A term of one part of the query; `weight` is its coordinate, the part having length 1.

    `named` marks the words of a system's name: they must not carry a match by themselves.
    """

    key: str
    weight: float
    surface: str
    source: Source
    kind: Kind
    via: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class QueryPart:
    """One part of the query with its share of the whole: a part contributes `mix` × its terms' weights."""

    source: Source
    text: str
    mix: float
    terms: tuple[PartTerm, ...]
    certain_names: tuple[str, ...]
    """Keys of the systems that the part surely means: it is a bare name, or spells one unmistakably."""
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class AnalysedQuery:
    """The parts of a query, and the mixed vector (length 1, or empty) as key → coordinate.

    `length` is that of the mixed vector before it was scaled to 1.
    """

    parts: tuple[QueryPart, ...]
    vector: Mapping[str, float]
    length: float


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What an index knows of words: weights, names of systems, what to add, what misspelt words mean."""

    vocabulary: Vocabulary
    spellings: Mapping[str, frozenset[str]]
    expander: Expander
    speller: Speller

    def correct(self, before: str, form: str, after: str) -> str | None:
        """What a folded word between its neighbours probably means; None when it is known or like nothing."""
        if self._is_known(form):
            return None
        found = self.speller.candidates(form)
        known_pairs = {
            word: sum(
                pair_key(first, second) in self.vocabulary
                for first, second in ((before, word), (word, after))
                if first and second
            )
            for word in found
        }
        return min(found, key=lambda word: (-known_pairs[word], found.index(word)), default=None)

    def _is_known(self, form: str) -> bool:
        key = stem(form)
        return key in self.vocabulary or form in stop_words() or self.expander.knows(key)


def analyse(query: Query, lexicon: Lexicon) -> AnalysedQuery:
    """Weigh `query` with what an index knows."""
    parts = [_weighed_part(source, text, weight, query, lexicon) for source, text, weight in _raw_parts(query)]
    mixed: dict[str, float] = {}
    for part in parts:
        for term in part.terms:
            mixed[term.key] = mixed.get(term.key, 0.0) + part.mix * term.weight
    length = math.sqrt(math.fsum(weight * weight for weight in mixed.values()))
    if length == 0:
        return AnalysedQuery(tuple(parts), {}, 0.0)
    return AnalysedQuery(
        tuple(replace(part, mix=part.mix / length) for part in parts),
        {key: mixed[key] / length for key in sorted(mixed)},
        length,
    )


def _raw_parts(query: Query) -> Iterator[tuple[Source, str, float]]:
    for topic in query.topics:
        if topic.weight > 0 and topic.text.strip():
            yield "topic", topic.text, topic.weight
    if query.statement.strip():
        yield "statement", query.statement, 1.0
    if query.resume_weight > 0 and query.resume.strip():
        yield "resume", redact(query.resume).text, query.resume_weight


def _weighed_part(source: Source, text: str, mix: float, query: Query, lexicon: Lexicon) -> QueryPart:
    """Resumes hold many words that no lab uses and that are right; they are not corrected."""
    corrects = query.correct_spelling and source != "resume"
    reading = read(text, lexicon.correct if corrects else None)
    named = mentions(text, reading.sentences, lexicon.spellings)
    weighed = _own_terms(reading, source, named, lexicon.vocabulary)
    weighed += _added_terms(weighed, lexicon.expander.additions(reading), lexicon.vocabulary)
    length = math.sqrt(math.fsum(term.weight * term.weight for term in weighed))
    return QueryPart(
        source,
        text,
        mix,
        tuple(term._replace(weight=term.weight / length) for term in weighed),
        tuple(sorted({mention.key for mention in named if mention.certain})),
        tuple(correction for _, correction in reading.corrected),
    )


def _own_terms(
    reading: Reading, source: Source, named: Sequence[NameMention], vocabulary: Vocabulary
) -> list[PartTerm]:
    """The terms of the text itself, and the systems that it means."""
    first: dict[str, Term] = {}
    for term in reading.terms:
        first.setdefault(term.key, term)
    counts = Counter(term.key for term in reading.terms)
    weighed: list[PartTerm] = []
    for key, term in first.items():
        corrected = reading.is_corrected(term)
        weighed.append(
            PartTerm(
                key,
                (1 + math.log(counts[key])) * vocabulary.weight(key),
                reading.as_read(term) if corrected else reading.as_typed(term),
                "correction" if corrected else source,
                term.kind,
                reading.as_typed(term) if corrected else "",
                any(mention.start <= term.start and term.end <= mention.end for mention in named),
            )
        )
    for mention in {mention.key: mention for mention in named if mention.meant}.values():
        written = " ".join(reading.text[mention.start : mention.end].split())
        weight = vocabulary.weight(mention.key)
        weighed.append(PartTerm(mention.key, weight, written, source, "word", named=True))
    return weighed


def _added_terms(weighed: list[PartTerm], additions: list[Added], vocabulary: Vocabulary) -> Iterator[PartTerm]:
    """The added terms that some lab uses; together they weigh `strength` × the terms they stand for."""
    present = {term.key: term for term in weighed}
    for added in additions:
        new = [key for key in added.keys if key not in present and key in vocabulary]
        stood_for = math.fsum(present[key].weight ** 2 for key in added.stands_for if key in present)
        total = math.fsum(vocabulary.weight(key) ** 2 for key in new)
        if not new or not stood_for:
            continue
        scale = added.strength * math.sqrt(stood_for / total)
        for key in new:
            term = PartTerm(
                key, scale * vocabulary.weight(key), added.surfaces[key], added.source, added.kinds[key], added.via
            )
            present[key] = term
            yield term
