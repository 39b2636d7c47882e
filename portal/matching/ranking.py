"""Scores the labs of each layer for a query that was read, and chooses the best."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import formula
from portal.matching.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from portal.matching.layers import Layer, State
    from portal.matching.reading import Reading

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_FIRST = 64
"""Labs whose best works are looked at first."""


class Scored(NamedTuple):
    """A lab with its scores, by the query's own words and by what concepts add, and the best works by each."""

    key: str
    score: float
    own: float
    added: float
    layer: int
    place: int
    own_works: list[int]
    added_works: list[int]


_scored = partial(tuple.__new__, Scored)
"""The same as `Scored._make`, but entirely in C."""


class LayerScores:
    """The scores of one layer's labs for one query, computed as far as they are asked for."""

    def __init__(self, layer: Layer, reading: Reading) -> None:
        self.layer = layer
        self._reading = reading
        self.columns = Columns(layer, reading.terms)

    @cached_property
    def own_works(self) -> Singles:
        """The cosine of each work and the query's own words."""
        return self.columns.product(self._reading.own)

    @cached_property
    def added_works(self) -> Singles:
        """The same for what concepts add."""
        return self.columns.product(self._reading.added)

    @cached_property
    def _own_focus(self) -> Floats:
        return self.columns.product(self._reading.own, foci=True).astype(np.float64)

    @cached_property
    def _added_focus(self) -> Floats:
        return self.columns.product(self._reading.added, foci=True).astype(np.float64)

    @cached_property
    def has_added(self) -> bool:
        """Whether concepts add anything."""
        return bool(self._reading.added.any())

    @cached_property
    def support(self) -> Floats:
        """For each part of the query and each lab, the share of what the part says that the lab has."""
        support = np.zeros((len(self._reading.needs), len(self.layer.labs)))
        for part, needs in enumerate(self._reading.needs):
            support[part] = self.columns.having(needs)
        return support

    def fits(self, labs: Ints | slice, of_own: Floats, *, if_fair: bool = False) -> Bools:
        """Which of some labs are there and fit; `of_own` are their scores by the query's own words.

        With `if_fair`, only labs with a fair score, which fit in any case.
        """
        fit = of_own >= formula.FAIR if if_fair else formula.fits(self.support[:, labs], of_own)
        return fit if self.layer.present is None else fit & self.layer.present[labs]

    @cached_property
    def bounds(self) -> Floats:
        """For each lab, a score that its own does not exceed."""
        return formula.most(self._own_focus, self.own_works, self.layer.first_work, self.layer.of_equal_works)

    def own(self, labs: Ints) -> tuple[Floats, Ints]:
        """The scores of labs by the query's own words, and their best works."""
        return formula.own(self._own_focus, self.own_works, self.layer.first_work, labs)

    def added(self, labs: Ints) -> tuple[Floats, Ints]:
        """The same by what concepts add."""
        if not self.has_added:
            return np.zeros(len(labs)), np.full((len(labs), formula.BEST_WORKS), -1)
        return formula.own(self._added_focus, self.added_works, self.layer.first_work, labs)


class Scores:
    """The scores of all labs of a state for one query."""

    def __init__(self, state: State, reading: Reading) -> None:
        self.reading = reading
        self.labs = len(state)
        self.layers = [LayerScores(layer, reading) for layer in state.layers]

    def best(self, k: int) -> list[Scored]:
        """At most `k` labs that fit, best first, equal scores by key."""
        return _sorted([found for number in range(len(self.layers)) for found in self._best_of(number, k)])[:k]

    def related(self, k: int) -> list[Scored]:
        """At most `k` labs that do not fit, but that concepts suggest, best first."""
        found: list[Scored] = []
        for number, scores in enumerate(self.layers):
            if scores.has_added:
                present = scores.layer.present
                labs = np.arange(len(scores.layer.labs)) if present is None else np.flatnonzero(present)
                labs = labs[scores.added(labs)[0] >= formula.LEAST_SCORE]
                labs = labs[~scores.fits(labs, scores.own(labs)[0])]
                found += self._scored(number, labs, scores.own(labs), formula.related)
        return _sorted(found)[:k]

    def of(self, number: int, place: int) -> Scored:
        """One lab."""
        labs = np.array([place])
        return self._scored(number, labs, self.layers[number].own(labs))[0]

    def fits(self, one: Scored) -> bool:
        """Whether a lab fits."""
        return bool(self.layers[one.layer].fits(np.array([one.place]), np.array([one.own]))[0])

    def _best_of(self, number: int, k: int) -> list[Scored]:
        """The best labs of one layer; of others than fair ones only if there are too few of these."""
        found = self._best_in(number, k, if_fair=True)
        factor = 1 + formula.ADDED if self.layers[number].has_added else 1.0
        if found and len(found) == k and found[-1].score > factor * formula.FAIR:
            return found
        return self._best_in(number, k, if_fair=False)

    def _best_in(self, number: int, k: int, *, if_fair: bool) -> list[Scored]:
        """The best labs of one layer, scored in the order of their bounds until no other can be among them."""
        scores = self.layers[number]
        factor = 1 + formula.ADDED if scores.has_added else 1.0
        may_fit = scores.fits(slice(None), scores.bounds, if_fair=if_fair)
        candidates = np.flatnonzero(may_fit & (scores.bounds >= formula.LEAST_SCORE))
        bounds = scores.bounds[candidates]
        wanted = max(_FIRST, 2 * k)
        while len(candidates) >= k or not if_fair:
            labs, rest = candidates, 0.0
            if wanted < len(candidates):
                order = np.argpartition(-bounds, wanted)
                labs, rest = np.sort(candidates[order[:wanted]]), float(bounds[order[wanted]])
            of_own, works = scores.own(labs)
            fit = scores.fits(labs, of_own, if_fair=if_fair)
            found = _sorted(self._scored(number, labs[fit], (of_own[fit], works[fit])))[:k]
            if wanted >= len(candidates) or (found and len(found) == k and found[-1].score > factor * rest):
                return found
            wanted *= 8
        return []

    def _scored(
        self,
        number: int,
        labs: Ints,
        own: tuple[Floats, Ints],
        joined: Callable[[Floats, Floats], Floats] = formula.total,
    ) -> list[Scored]:
        """Some labs; `own` has their scores by the query's own words, and their best works."""
        scores = self.layers[number]
        (of_own, own_works), (of_added, added_works) = own, scores.added(labs)
        places = labs.tolist()
        columns = (
            map(scores.layer.labs.__getitem__, places),
            joined(of_own, of_added).tolist(),
            of_own.tolist(),
            of_added.tolist(),
            repeat(number),
            places,
            own_works.tolist(),
            added_works.tolist(),
        )
        return list(map(_scored, zip(*columns, strict=False)))


def _sorted(found: Sequence[Scored]) -> list[Scored]:
    return sorted(found, key=lambda one: (-one.score, one.key))
