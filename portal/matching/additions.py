"""What concepts and abbreviations know of the words of a query.

Two forms of one term (LLM, large language models) are one term of the query. What a concept says for plain words is
added beside the query's own words, weighs at most as much as these (`formula.py`), and alone makes no lab fit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.abbreviations import long_keys, short_key
from portal.matching.language.spelling import is_common
from portal.matching.language.terms import keys, stop_words
from portal.matching.language.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.matching.concepts import Concept
    from portal.matching.language.abbreviations import Abbreviation

Keys = tuple[str, ...]

LEAST_NEAR = 0.1
"""The least cosine of a text and the phrases of a concept that is near to it."""
MOST_NEAR = 16
"""Concepts that are near to one text."""
_SHARED = 2
"""Words that a text must share with a concept that is near to it."""
_LONGEST_PHRASE = 5


class Added(NamedTuple):
    """A term that a concept adds, with its strength, for the words of the query at these places."""

    text: str
    strength: float
    places: tuple[int, ...]


class Forms:
    """Short and long forms of the same terms, by the keys of their words."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._long_of: defaultdict[str, dict[Keys, None]] = defaultdict(dict)
        self._short_of: defaultdict[Keys, dict[str, None]] = defaultdict(dict)
        self._written: defaultdict[str, set[str]] = defaultdict(set)
        self.spelt: dict[Keys, str] = {}
        for short, long in pairs:
            key, words = short_key(short), long_keys(long)
            if words and words != (key,):
                self._long_of[key][words] = None
                self._short_of[words][key] = None
                self._written[key].add(_singular(fold(short)))
                self.spelt.setdefault(words, long)
                self.spelt.setdefault((key,), short)
        self._longest = max(map(len, self._short_of), default=0)
        self._begin = {words[0] for words in self._short_of}

    def long_forms(self, key: str, written: str) -> tuple[Keys, ...]:
        """The long forms of a word with this key, if it is written as a short form."""
        forms = self._long_of.get(key)
        if not forms or _singular(fold(written)) not in self._written[key]:
            return ()
        if sum(map(str.isupper, written)) < 2 and (written in stop_words() or is_common(written.casefold())):  # noqa: PLR2004
            return ()
        return tuple(forms)

    def longest_at(self, words: Sequence[str], place: int) -> tuple[int, tuple[str, ...]]:
        """The number of words of the longest long form at a place, and its short forms; 0 if there is none."""
        if words[place] not in self._begin:
            return 0, ()
        for length in range(min(self._longest, len(words) - place), 0, -1):
            short = self._short_of.get(tuple(words[place : place + length]))
            if short:
                return length, tuple(short)
        return 0, ()


def _singular(form: str) -> str:
    return form.replace(".", "").replace("-", "").removesuffix("s")


class Concepts:
    """The concepts that are not two forms of one term, by the words of their phrases."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self._concepts = [concept for concept in concepts if concept.forms is None]
        self._by_phrase: defaultdict[Keys, dict[int, None]] = defaultdict(dict)
        words: list[Counter[str]] = []
        for number, concept in enumerate(self._concepts):
            counts: Counter[str] = Counter()
            for phrase in filter(None, map(long_keys, concept.phrases)):
                self._by_phrase[tuple(sorted(phrase))][number] = None
                counts.update(set(phrase))
            words.append(counts)
        having = Counter(word for counts in words for word in counts)
        self._idf = {word: math.log(1 + len(words) / count) for word, count in having.items()}
        self._vectors: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, counts in enumerate(words):
            vector = {word: (1 + math.log(count)) * self._idf[word] for word, count in counts.items()}
            length = math.sqrt(math.fsum(weight * weight for weight in vector.values())) or 1.0
            for word, weight in vector.items():
                self._vectors[word].append((number, weight / length))

    def knows(self, key: str) -> bool:
        """Whether a phrase has a word with this key."""
        return key in self._idf

    def added(self, text: Sequence[str]) -> list[Added]:
        """What the words of a text bring, given by their keys in order.

        A phrase stands for its words in any order; without one, the concepts whose phrases share most words are near.
        """
        if not self._concepts:
            return []
        found: dict[int, tuple[float, tuple[int, ...]]] = {}
        for length in range(1, min(_LONGEST_PHRASE, len(text)) + 1):
            for first in range(len(text) - length + 1):
                for number in self._by_phrase.get(tuple(sorted(text[first : first + length])), ()):
                    found.setdefault(number, (1.0, tuple(range(first, first + length))))
        for number, nearness, places in self._near(text):
            found.setdefault(number, (nearness, places))
        return [
            Added(term, nearness * self._concepts[number].strength, places)
            for number, (nearness, places) in found.items()
            for term in self._concepts[number].terms
        ]

    def _near(self, text: Sequence[str]) -> Iterator[tuple[int, float, tuple[int, ...]]]:
        """The concepts whose phrases share most words with the text, and how near they are beside the nearest one."""
        own = {key: self._idf.get(key, 0.0) for key in text}
        unknown = math.log(1 + len(self._concepts))
        length = math.sqrt(math.fsum((weight or unknown) ** 2 for weight in own.values()))
        if not length:
            return
        dots: defaultdict[int, float] = defaultdict(float)
        shared: Counter[int] = Counter()
        for key, weight in own.items():
            for number, of_concept in self._vectors.get(key, ()):
                dots[number] += weight * of_concept
                shared[number] += 1
        near = sorted(
            ((dot / length, number) for number, dot in dots.items() if shared[number] >= _SHARED),
            key=lambda item: (-item[0], item[1]),
        )[:MOST_NEAR]
        for cosine, number in near:
            if cosine >= LEAST_NEAR:
                places = tuple(
                    place
                    for place, key in enumerate(text)
                    if any(number == other for other, _ in self._vectors.get(key, ()))
                )
                yield number, cosine / near[0][0], places


class Additions(NamedTuple):
    """What is known besides the labs: forms of terms, and concepts."""

    forms: Forms
    concepts: Concepts
    keys: tuple[str, ...]
    """Those of all terms that can be added."""


def additions(abbreviations: Sequence[Abbreviation], concepts: Sequence[Concept]) -> Additions:
    """Those of the abbreviations of a corpus and of the concept file."""
    of_file = [concept.forms for concept in concepts]
    pairs = [*((known.short, known.long) for known in abbreviations), *(forms for forms in of_file if forms)]
    of_pairs = {key for pair in pairs for key in keys(pair)}
    return Additions(Forms(pairs), _concepts(tuple(concepts)), tuple(sorted(of_pairs | _keys(tuple(concepts)))))


@lru_cache(maxsize=4)
def _keys(concepts: tuple[Concept, ...]) -> frozenset[str]:
    return frozenset(key for concept in concepts for key in keys(concept.terms))


@lru_cache(maxsize=4)
def _concepts(concepts: tuple[Concept, ...]) -> Concepts:
    """Cached, since indexes are built more often than concepts change."""
    return Concepts(concepts)
