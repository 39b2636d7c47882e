"""Finds what a sentence in plain words is about if the words of a concept's phrases are scattered over it.

Nobody can list all phrases: "a guessed continuation is checked all at once" contains none of those for speculative
decoding, but several of their words.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.abbreviations import long_keys
from portal.matching.language.stemming import stem
from portal.matching.language.terms import stop_words
from portal.matching.query.filling_words import KEYS as FILLING_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.query.concepts import Concept
    from portal.matching.query.reading import Reading

LEAST_WORDS = 3
"""The least number of different words of one concept's phrases in a sentence."""
_LEAST_COSINE = 0.15


class NearConcept(NamedTuple):
    """A concept near to a text: its terms, the cosine between the text's words and those of its phrases, and these.

    Concepts with the same terms are one.
    """

    terms: tuple[str, ...]
    cosine: float
    keys: frozenset[str]


class ScatteredWords:
    """The words of concepts' phrases. Concepts with the same terms are merged; two forms of one term are left out."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        counted: dict[tuple[str, ...], Counter[str]] = {}
        for concept in concepts:
            if concept.strength < 1:
                words = counted.setdefault(tuple(sorted(concept.terms)), Counter())
                for phrase in concept.phrases:
                    words.update({key for key in long_keys(phrase) if key not in _idle_keys()})
        self._terms = list(counted)
        self._words = [frozenset(words) for words in counted.values()]
        spread = Counter(key for words in counted.values() for key in words)
        self._rarity = {key: math.log((len(counted) + 1) / (count + 0.5)) for key, count in spread.items()}
        self._rarity_of_others = math.log((len(counted) + 1) / 0.5)
        having: dict[str, list[tuple[int, float]]] = {}
        for place, words in enumerate(counted.values()):
            weights = {key: (1 + math.log(times)) * self._rarity[key] for key, times in words.items()}
            length = math.hypot(*weights.values())
            for key, weight in weights.items():
                having.setdefault(key, []).append((place, weight * self._rarity[key] / length))
        self._having: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        for key, entries in having.items():
            places, products = zip(*entries, strict=True)
            self._having[key] = np.array(places, np.int64), np.array(products)

    def knows(self, key: str) -> bool:
        """Whether a word is in a phrase or does not count."""
        return key in self._rarity or key in _idle_keys()

    def nearest_to(
        self, reading: Reading, keys: Sequence[str], uses: Callable[[str], bool], *, has_phrase: bool
    ) -> NearConcept | None:
        """What is nearest to a sentence with these keys; None if no concept is near or it is not in plain words.

        In a sentence in plain words, no two words are neighbours in a lab, which `uses` says. If it has no phrase of a
        concept, all its words must be known to labs or concepts; else it would be about something else.
        """
        if reading.has_pair(uses):
            return None
        if not has_phrase and not all(self.knows(key) or uses(key) for key in keys):
            return None
        return self.nearest(keys)

    def nearest(self, keys: Sequence[str]) -> NearConcept | None:
        """What is nearest to a sentence with these keys, by cosine; None if too few words are shared."""
        near = self._near(keys, 1, LEAST_WORDS)
        return near[0] if near and near[0].cosine > _LEAST_COSINE else None

    def near(self, keys: Sequence[str], most: int) -> list[NearConcept]:
        """The concepts that share a word with a text of these keys, at most so many, nearest first."""
        return self._near(keys, most, 1)

    def _near(self, keys: Sequence[str], most: int, least_shared: int) -> list[NearConcept]:
        telling = content(keys)
        having = [self._having[key] for key in telling if key in self._having]
        if len(having) < least_shared:
            return []
        places, products = map(np.concatenate, zip(*having, strict=True))
        inner_products = np.bincount(places, products, len(self._terms))
        if least_shared > 1:
            inner_products[np.bincount(places, minlength=len(self._terms)) < least_shared] = 0
        length = math.hypot(*[self._rarity.get(key, self._rarity_of_others) for key in telling])
        nearest = np.argsort(-inner_products, kind="stable")[:most].tolist()
        return [
            NearConcept(self._terms[place], inner_products.item(place) / length, self._words[place])
            for place in nearest
            if inner_products[place]
        ]


def content(keys: Iterable[str]) -> list[str]:
    """The keys of words that say something, each once."""
    return [key for key in dict.fromkeys(keys) if key not in _idle_keys()]


@lru_cache(maxsize=4)
def scattered_words(concepts: tuple[Concept, ...]) -> ScatteredWords:
    """The words of concepts. Cached, since indexes are built more often than concepts change."""
    return ScatteredWords(concepts)


@lru_cache(maxsize=1)
def _idle_keys() -> frozenset[str]:
    return FILLING_KEYS.union(map(stem, stop_words()))
