"""Ranks labs by score, best first, without scoring all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching import compiled
from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, SURE
from portal.matching.scoring import lab_scores
from portal.matching.segments.bounds import upper_bounds, upper_supports
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.located import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.floor import Floor
    from portal.matching.query.prepared import Prepared
    from portal.matching.scoring import QueryVectors
    from portal.matching.segments.layers import Layer
    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Row = tuple[float, str, int, int]
    """A lab with its negative score, so that sorting puts the best first."""

_SPARE = 8
"""So many more labs than wanted are scored at first, as bounds do not order labs exactly."""
_MOST_AT_ONCE = 512
"""At most so many are scored at first."""
_BATCH = 128
"""So many are scored at a time after that."""
_GROUP = 32
_TINY = float(np.finfo(np.float32).tiny)


class Ranked(NamedTuple):
    """Labs that fit, best first, equal ones by key: the score, key, layer and position in the layer of each.

    Stored in columns, because lists of matches are made faster from these.
    """

    scores: Sequence[float]
    keys: Sequence[str]
    layers: Sequence[int]
    positions: Sequence[int]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Ranked:
        """Make columns of sorted rows."""
        negative_scores, *columns = zip(*rows, strict=True) if rows else [()] * 4
        return cls([-score for score in negative_scores], *columns)

    def rows(self) -> list[Row]:
        """The same as rows."""
        columns = zip(self.scores, self.keys, self.layers, self.positions, strict=True)
        return [(-score, key, layer, position) for score, key, layer, position in columns]


class _BoundsMemory(threading.local):
    """Memory for the bounds of all labs, one array per thread; allocating it each time takes longer than filling it."""

    def __init__(self) -> None:
        self._array: Floats = np.empty(0, np.float32)

    def of(self, labs: int) -> Floats:
        """An array with room for at least so many labs."""
        if len(self._array) < labs:
            self._array = np.empty(labs, np.float32)
        return self._array


_bounds_memory = _BoundsMemory()


def best_first(layers: Sequence[Layer], prepared: Prepared, wanted: int) -> Ranked:
    """The `wanted` best labs of all layers that fit the query.

    Labs are scored exactly in the order of their bounds until no other can be among the best.
    """
    best: list[Row] = []
    if wanted < 1 or not prepared.keys:
        return Ranked.of(best)
    kernels = compiled.kernels()
    for layer_id, layer in enumerate(layers):
        arrays = kernels and arrays_of(layer.segment)
        if kernels and arrays:
            space = _bounds_memory.of(len(layer.segment.keys))
            scores, labs = kernels.rank_segment(
                arrays.table, *prepared.packed, layer.gone_positions, wanted, _least(best, wanted), space
            )
            positions = labs.tolist()
            keys = list(map(layer.segment.keys.__getitem__, positions))
            ranked = Ranked(scores.tolist(), keys, [layer_id] * len(positions), positions)
            if len(layers) == 1:
                return ranked
            best = sorted([*best, *ranked.rows()])[:wanted]
        elif located := Located.of(layer.segment, prepared.query_vectors.numbers):
            best = _with_labs(best, layer_id, layer, located, prepared, wanted)
    return Ranked.of(best)


def _least(best: Sequence[Row], wanted: int) -> float:
    """The score that a lab must reach to be among the `wanted` best."""
    return -best[wanted - 1][0] if len(best) >= wanted else 0.0


def for_kernels(layers: Iterable[Layer]) -> None:
    """Prepare layers for kernels, if these are in use, so that no query has to."""
    if compiled.kernels():
        for layer in layers:
            arrays_of(layer.segment)
            _ = layer.gone_positions


def _with_labs(
    best: list[Row], layer_id: int, layer: Layer, located: Located, prepared: Prepared, wanted: int
) -> list[Row]:
    """The `wanted` best of the rows in `best` and of the labs of a layer, which is number `layer_id`."""
    segment, gone = layer.segment, layer.gone_positions
    query, floor = prepared.query_vectors, prepared.floor
    bounds = upper_bounds(segment, located, query.vectors[0])
    if len(gone):
        bounds[gone] = 0
    size, narrowed = min(wanted + _SPARE, _MOST_AT_ONCE), False
    least = _least(best, wanted)
    while len(positions := _highest(bounds, size, least)):
        scored = lab_scores(segment, positions, query, located)
        bounds[positions] = 0
        scores = (-scored.scores[0]).tolist()
        fits = floor.fits(scored).tolist()
        scored_labs = zip(scores, positions.tolist(), fits, strict=True)
        fitting = (
            (score, segment.keys[position], layer_id, position) for score, position, does_fit in scored_labs if does_fit
        )
        best = sorted([*best, *fitting])[:wanted]
        least = max(least, _least(best, wanted))
        if not (narrowed or all(fits)) and bounds.max() >= max(least, _TINY):
            bounds *= _may_fit(segment, query, located, floor)
            narrowed = True
        size = _BATCH
    return best


def _may_fit(segment: Segment, query: QueryVectors, located: Located, floor: Floor) -> NDArray[np.bool_]:
    """For each lab, whether it may be above the floor."""
    may_fit = np.zeros(segment.rows.labs, dtype=bool)
    for part in floor.parts:
        if part.vector >= 0:
            weights = np.zeros(len(query.keys))
            np.add.at(weights, part.terms, part.words[part.word_of])
            supports = upper_supports(segment, located, weights)
            bounds = upper_bounds(segment, located, query.vectors[part.vector])
            may_fit |= (
                (supports >= LEAST_SUPPORT) & (bounds >= part.least) & (bounds * supports >= SURE * LEAST_PRODUCT)
            )
        if len(part.names):
            may_fit[located.labs_with(segment, part.names)] = True
    return may_fit


def _highest(bounds: NDArray[np.float32], count: int, least: float) -> Ints:
    """The `count` labs (or a few more) with the largest positive bounds that reach `least`, sorted by position."""
    edge = max(least, _TINY)
    groups = len(bounds) // _GROUP
    if least == 0 and groups > 2 * count:
        # As many labs as groups reach the least of the groups' largest bounds: one look at all, no sorting.
        largest = bounds[: groups * _GROUP].reshape(_GROUP, groups).max(axis=0)
        edge = max(edge, np.partition(largest, groups - count).item(groups - count))
    candidates = np.flatnonzero(bounds >= edge)
    if len(candidates) <= count:
        return candidates
    candidate_bounds = bounds[candidates]
    chosen: Ints = candidates[
        candidate_bounds >= np.partition(candidate_bounds, len(candidate_bounds) - count)[len(candidate_bounds) - count]
    ]
    return chosen
