"""Prepares an analysed query for ranking: its terms in one order, vectors over them, the floor of each part."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.floor import LEAST_PRODUCT, LEAST_SCORE, LEAST_SCORE_APART, SURE, Floor, PartFloor
from portal.matching.language.hashing import few_term_numbers, term_numbers
from portal.matching.results import ADDED
from portal.matching.scoring import FINE, QueryVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.query.parts import AnalysedQuery, QueryPart

_NO_WEIGHT = 1e-6
_FEW = 32


class Part(NamedTuple):
    """`PartFloor` in lists."""

    names: list[int]
    words: list[float]
    terms: list[int]
    word_of: list[int]
    sure: list[int]
    vector: int
    least: float


class Prepared:
    """A query's terms and vectors, and its floor, for NumPy and for kernels. Immutable."""

    def __init__(self, keys: Sequence[str], vectors: list[list[float]], parts: list[Part]) -> None:
        self.keys = keys
        self.vectors = vectors
        self.parts = parts

    @classmethod
    def of(cls, query: AnalysedQuery) -> Prepared:
        """Prepare a query. Parts without weight get no floor."""
        keys = list(query.vector)
        places = dict(zip(keys, range(len(keys)), strict=True))
        vectors = [list(query.vector.values())]
        alone = len(query.parts) == 1
        parts: list[Part] = []
        for part in query.parts:
            if part.mix <= _NO_WEIGHT:
                continue
            named = any(term.named for term in part.terms)
            least = LEAST_SCORE if named else LEAST_SCORE_APART if part.is_apart else SURE * LEAST_PRODUCT
            if alone and not named and not part.unused.terms:
                parts.append(_part(part, places, 0, least))
                continue
            vector, length = _without_names(part, places)
            if length:
                length = math.hypot(length, math.sqrt(part.unused.terms))
                vectors.append([weight / length for weight in vector])
            vector_number = len(vectors) - 1 if length else -1
            parts.append(_part(part, places, vector_number, least))
        return cls(keys, vectors, parts)

    @cached_property
    def query_vectors(self) -> QueryVectors:
        """The terms with their coordinates."""
        return QueryVectors.of(self.keys, np.array(self.vectors).reshape(len(self.vectors), len(self.keys)))

    @cached_property
    def floor(self) -> Floor:
        """The floor."""
        return Floor(
            tuple(
                PartFloor(
                    np.array(part.names, dtype=np.int64),
                    np.array(part.words, dtype=np.float64),
                    np.array(part.terms, dtype=np.int64),
                    np.array(part.word_of, dtype=np.int64),
                    np.array(part.sure, dtype=np.int64),
                    part.vector,
                    part.least,
                )
                for part in self.parts
            )
        )

    @cached_property
    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Both, laid out as in `kernels.layout`."""
        keys = self.keys
        numbers = few_term_numbers(keys) if len(keys) <= _FEW else term_numbers(keys).tolist()
        ints = [len(keys), len(self.vectors), len(self.parts), *numbers]
        floats = [weight for vector in self.vectors for weight in vector]
        for names, words, terms, word_of, sure, vector, least in self.parts:
            ints += (vector, len(names), len(words), len(terms), len(sure), *names, *terms, *word_of, *sure)
            floats += (least, *words)
        return np.array(ints, dtype=np.int64), np.array(floats)


def _without_names(part: QueryPart, places: Mapping[str, int]) -> tuple[list[float], float]:
    """The vector of a part without the words of names, and its length."""
    vector = [0.0] * len(places)
    for term in part.terms:
        if not term.named:
            vector[places[term.key]] += term.weight
    return vector, math.sqrt(math.fsum([weight * weight for weight in vector]))


def _part(part: QueryPart, places: Mapping[str, int], vector: int, least: float) -> Part:
    added = [(term.via, places[term.key]) for term in part.terms if term.source in ADDED]
    words: list[float] = []
    terms: list[int] = []
    word_of: list[int] = []
    sure: list[int] = []
    for term in part.terms:
        key, weight, _, _, _, source, kind, via, named = term
        if named:
            continue
        if source == "concept" or (kind == "pair" and source != "expansion"):
            sure.append(places[key])
        elif kind == "word" and source not in ADDED:
            terms.append(places[key])
            if added:
                typed = via or part.surface(term)
                terms += [place for stands_for, place in added if typed in stands_for]
            word_of += [len(words)] * (len(terms) - len(word_of))
            words.append(weight**2)
    total = math.fsum([*words, part.unused.words]) if words else 0.0
    names = [places[key] for key in part.certain_names]
    return Part(names, _shares(words, total), terms, word_of, sure, vector if total else -1, least)


def _shares(squares: list[float], total: float) -> list[float]:
    """Squares as shares of their sum, rounded up to multiples of 1/2^50, so that sums are exact in any order."""
    return [math.ceil(square / total * FINE) / FINE for square in squares] if total else squares
