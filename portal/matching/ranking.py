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
    from portal.matching.scoring import Asked
    from portal.matching.segments.layers import Layer
    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Row = tuple[float, str, int, int]
    """A lab with its negative score, so that sorting puts the best first."""

_SPARE = 8
"""So many more labs than wanted are scored at once, as bounds do not order labs exactly."""
_BATCH = 128
_MOST_AT_ONCE = 512
_GROUP = 32
_TINY = float(np.finfo(np.float32).tiny)


class Ranked(NamedTuple):
    """Labs that fit, best first, equal ones by key: the score, key, layer and position in the layer of each.

    Stored in columns, from which lists of matches are made faster.
    """

    scores: Sequence[float]
    keys: Sequence[str]
    layers: Sequence[int]
    positions: Sequence[int]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Ranked:
        """Make columns of sorted rows."""
        minus, *others = zip(*rows, strict=True) if rows else [()] * 4
        return cls([-score for score in minus], *others)

    def rows(self) -> list[Row]:
        """The same as rows."""
        found = zip(self.scores, self.keys, self.layers, self.positions, strict=True)
        return [(-score, key, layer, position) for score, key, layer, position in found]


class _Space(threading.local):
    """Memory for the bounds of all labs, one array per thread; allocating it each time takes longer than filling it."""

    def __init__(self) -> None:
        self._held: Floats = np.empty(0, np.float32)

    def of(self, labs: int) -> Floats:
        """An array with room for at least so many labs."""
        if len(self._held) < labs:
            self._held = np.empty(labs, np.float32)
        return self._held


_space = _Space()


def best_first(layers: Sequence[Layer], prepared: Prepared, wanted: int) -> Ranked:
    """The `wanted` best labs of all layers that fit the query.

    Labs are scored exactly in the order of their bounds until no other can be among the best.
    """
    ready: list[Row] = []
    if wanted < 1 or not prepared.keys:
        return Ranked.of(ready)
    kernels = compiled.kernels()
    for number, layer in enumerate(layers):
        arrays = kernels and arrays_of(layer.segment)
        if kernels and arrays:
            space = _space.of(len(layer.segment.keys))
            scores, labs = kernels.rank_segment(
                arrays.table, *prepared.packed, layer.gone_positions, wanted, _least(ready, wanted), space
            )
            positions = labs.tolist()
            keys = list(map(layer.segment.keys.__getitem__, positions))
            found = Ranked(scores.tolist(), keys, [number] * len(positions), positions)
            if len(layers) == 1:
                return found
            ready = sorted([*ready, *found.rows()])[:wanted]
        elif at := Located.of(layer.segment, prepared.asked.numbers):
            ready = _with_labs(ready, number, layer, at, prepared, wanted)
    return Ranked.of(ready)


def _least(ready: Sequence[Row], wanted: int) -> float:
    """The score that a lab must reach to be among the `wanted` best."""
    return -ready[wanted - 1][0] if len(ready) >= wanted else 0.0


def for_kernels(layers: Iterable[Layer]) -> None:
    """Prepare layers for kernels, if these are in use, so that no query has to."""
    if compiled.kernels():
        for layer in layers:
            arrays_of(layer.segment)
            _ = layer.gone_positions


def _with_labs(
    ready: list[Row], number: int, layer: Layer, located: Located, prepared: Prepared, wanted: int
) -> list[Row]:
    """The `wanted` best of `ready` and of the labs of the layer of this number."""
    segment, gone = layer.segment, layer.gone_positions
    asked, floor = prepared.asked, prepared.floor
    bounds = upper_bounds(segment, located, asked.vectors[0])
    if len(gone):
        bounds[gone] = 0
    size, narrowed = min(wanted + _SPARE, _MOST_AT_ONCE), False
    least = _least(ready, wanted)
    while len(positions := _highest(bounds, size, least)):
        scored = lab_scores(segment, positions, asked, located)
        bounds[positions] = 0
        scores = (-scored.scores[0]).tolist()
        fits = floor.fits(scored).tolist()
        found = zip(scores, positions.tolist(), fits, strict=True)
        of_these = ((score, segment.keys[at], number, at) for score, at, fit in found if fit)
        ready = sorted([*ready, *of_these])[:wanted]
        least = max(least, _least(ready, wanted))
        if not (narrowed or all(fits)) and bounds.max() >= max(least, _TINY):
            bounds *= _may_fit(segment, asked, located, floor)
            narrowed = True
        size = _BATCH
    return ready


def _may_fit(segment: Segment, asked: Asked, located: Located, floor: Floor) -> NDArray[np.bool_]:
    """For each lab, whether it may be above the floor."""
    kept = np.zeros(segment.rows.labs, dtype=bool)
    for part in floor.parts:
        if part.vector >= 0:
            weights = np.zeros(len(asked.keys))
            np.add.at(weights, part.terms, part.words[part.word_of])
            support = upper_supports(segment, located, weights)
            score = upper_bounds(segment, located, asked.vectors[part.vector])
            kept |= (support >= LEAST_SUPPORT) & (score >= part.least) & (score * support >= SURE * LEAST_PRODUCT)
        if len(part.names):
            kept[located.labs_with(segment, part.names)] = True
    return kept


def _highest(bounds: NDArray[np.float32], count: int, least: float) -> Ints:
    """The `count` labs (or a few more) with the largest positive bounds that reach `least`, sorted by position."""
    edge = max(least, _TINY)
    groups = len(bounds) // _GROUP
    if least == 0 and groups > 2 * count:
        # As many labs as groups reach the least of the groups' largest bounds: one look at all, no sorting.
        largest = bounds[: groups * _GROUP].reshape(_GROUP, groups).max(axis=0)
        edge = max(edge, np.partition(largest, groups - count).item(groups - count))
    found = np.flatnonzero(bounds >= edge)
    if len(found) <= count:
        return found
    there = bounds[found]
    chosen: Ints = found[there >= np.partition(there, len(there) - count)[len(there) - count]]
    return chosen
