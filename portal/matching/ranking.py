"""The labs of a segment by their score, the best first, without scoring them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.bounds import SLACK, labs_with, upper_bounds
from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, SURE
from portal.matching.scoring import Located, lab_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from portal.matching.floor import Floor, PartFloor
    from portal.matching.scoring import Asked
    from portal.matching.segment import Segment

_SPARE = 8
"""So many labs more than are wanted are scored at once: bounds do not order labs exactly."""
_BATCH = 128
_MOST_LOOKED_AT = 4_000
"""Labs that are tried, by their bounds, when few of the best fit. In smaller corpora these are all."""
_GROUP = 64
_NOTHING = 1e-9
_TINY = np.finfo(np.float32).tiny


def best_first(segment: Segment, asked: Asked, floor: Floor, wanted: int) -> Iterator[tuple[float, str]]:
    """(−score, key) of every lab that fits the query, the best first; `wanted` is how many will probably be taken.

    Labs are scored exactly in the order of their bounds until no other can be next. Where hardly any of the best
    fits, it is first seen which of the others may.
    """
    located = Located.of(segment, asked)
    if not len(located.which):
        return
    race = _Race.of(segment, asked, located, floor)
    ready = race.scored(race.best(wanted + _SPARE))
    certain = ready.split(race.ceiling())
    yield from certain
    race.keep_what_may_fit()
    while race.ceiling():
        ready.add(race.scored(race.best(_BATCH)))
        yield from ready.split(race.ceiling())


class _Ready:
    """Scored labs that fit, and were not given yet."""

    def __init__(self, items: list[tuple[float, str]]) -> None:
        self._items = sorted(items)

    def add(self, other: _Ready) -> None:
        """Take the labs of another."""
        self._items = sorted(self._items + other._items)

    def split(self, ceiling: float) -> list[tuple[float, str]]:
        """Give those with a score above `ceiling`."""
        count = sum(-score > ceiling for score, _ in self._items)
        given, self._items = self._items[:count], self._items[count:]
        return given


@dataclass(frozen=True, slots=True)
class _Race:
    """The labs of a segment that are not scored yet: those with a `bounds` over 0.

    `of_part` has, for every part of the query by the number of its vector, a bound of the lab's score for it.
    """

    segment: Segment
    asked: Asked
    located: Located
    floor: Floor
    bounds: NDArray[np.float32]
    of_part: dict[int, NDArray[np.float32]]

    @classmethod
    def of(cls, segment: Segment, asked: Asked, located: Located, floor: Floor) -> _Race:
        """The labs that share something with the query and are not below the floor for sure."""

        def bounds_of(vector: NDArray[np.float64]) -> NDArray[np.float32]:
            return upper_bounds(segment, located.terms, vector[located.which])

        of_part = {part.vector: bounds_of(asked.vectors[part.vector]) for part in floor.parts if part.vector >= 0}
        if 0 in of_part:
            bounds = of_part[0].copy()
        else:
            rest = asked.vectors[0].copy()
            bounds = np.zeros(segment.rows.labs, dtype=np.float32)
            for part in floor.parts:
                if part.vector > 0:
                    bounds += np.float32(part.share) * of_part[part.vector]
                    rest -= part.share * asked.vectors[part.vector]
            if rest.max(initial=0.0) > _NOTHING:
                bounds += bounds_of(np.maximum(rest, 0.0))
            bounds *= np.float32(1 + SLACK)
        race = cls(segment, asked, located, floor, bounds, of_part)
        kept = np.zeros(len(bounds), dtype=bool)
        for part in floor.parts:
            if len(part.names):
                kept[race.named(part)] = True
            if part.vector >= 0:
                kept |= of_part[part.vector] >= part.least * (1 - SLACK)
        bounds[~kept] = 0
        return race

    def ceiling(self) -> float:
        """What no lab that is not scored can exceed."""
        return float(self.bounds.max())

    def best(self, count: int) -> NDArray[np.int64]:
        """The `count` labs with the largest bounds, or a few more, in the order of their positions."""
        return np.flatnonzero(self.bounds >= max(_edge(self.bounds, count), _TINY))

    def scored(self, positions: NDArray[np.int64]) -> _Ready:
        """Score some labs; they leave the race."""
        if not len(positions):
            return _Ready([])
        found = lab_scores(self.segment, positions, self.asked, self.located)
        self.bounds[positions] = 0
        fits = self.floor.fits(found)
        keys = [self.segment.keys[position] for position in positions[fits].tolist()]
        return _Ready(list(zip((-found.scores[0][fits]).tolist(), keys, strict=True)))

    def keep_what_may_fit(self) -> None:
        """Take the labs out of the race that are below the floor."""
        others = self.best(_MOST_LOOKED_AT)
        kept = np.zeros(len(others), dtype=bool)
        for part in self.floor.parts:
            if len(part.names):
                kept |= np.isin(others, self.named(part))
            if part.vector >= 0:
                support = self._support(part, others)
                scores = self.of_part[part.vector][others] * (1 + SLACK)
                kept |= (support >= LEAST_SUPPORT) & (scores >= part.least) & (scores * support >= SURE * LEAST_PRODUCT)
        chosen = others[kept]
        bounds = self.bounds[chosen]
        self.bounds[:] = 0
        self.bounds[chosen] = bounds

    def named(self, part: PartFloor) -> NDArray[np.int32]:
        """The labs with a system that the part surely names."""
        terms = self.located.terms[np.isin(self.located.which, part.names)]
        return np.concatenate([np.zeros(0, np.int32), *(labs_with(self.segment, term) for term in terms.tolist())])

    def _support(self, part: PartFloor, labs: NDArray[np.int64]) -> NDArray[np.float64]:
        """For some labs the share of the part's words that occur in each."""
        terms = dict(zip(self.located.which.tolist(), self.located.terms.tolist(), strict=True))
        has = np.zeros(len(self.bounds), dtype=bool)
        support = np.zeros(len(labs))
        for word, weight in enumerate(part.words.tolist()):
            own = part.terms[part.word_of == word] if len(part.terms) > len(part.words) else part.terms[word : word + 1]
            found = [labs_with(self.segment, terms[term]) for term in own.tolist() if term in terms]
            for with_it in found:
                has[with_it] = True
            if found:
                support += weight * has[labs]
                has[:] = False
        return support


def _edge(bounds: NDArray[np.float32], size: int) -> np.float32:
    """A value that at least `size` of `bounds` reach, and not many more."""
    if len(bounds) <= size:
        return np.float32(0)
    groups = len(bounds) // _GROUP
    if groups > size:
        bounds = bounds[: groups * _GROUP].reshape(groups, _GROUP).max(axis=1)
    edge: np.float32 = np.partition(bounds, len(bounds) - size)[len(bounds) - size]
    return edge
