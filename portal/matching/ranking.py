"""The labs of a segment by their score, the best first, without scoring them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.bounds import supports, upper_bounds
from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, SURE
from portal.matching.located import Located
from portal.matching.scoring import lab_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.floor import Floor
    from portal.matching.scoring import Asked
    from portal.matching.segment import Segment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SPARE = 8
"""So many labs more than are wanted are scored at once: bounds do not order labs exactly."""
_BATCH = 128
_MOST_AT_ONCE = 512
_FEW_LABS = 48
"""So few labs are scored at once, without bounds."""
_NOTHING = 1e-9
_TINY = np.finfo(np.float64).tiny


def best_first(
    segment: Segment, asked: Asked, floor: Floor, wanted: int, gone: Ints | None = None
) -> list[tuple[float, str]]:
    """(−score, key) of the `wanted` best labs that fit the query, the best first; not of those at `gone`.

    Labs are scored exactly in the order of their bounds until no other can be among the best.
    """
    located = Located.of(segment, asked.numbers)
    if not located or wanted < 1:
        return []
    if segment.rows.labs <= _FEW_LABS:
        here = np.zeros(segment.rows.labs, dtype=bool)
        here[located.labs] = True
        bounds = np.where(here | bool(len(located.common)), 1.0, 0.0)
    else:
        bounds = _may_fit(segment, asked, located, floor)
    if gone is not None:
        bounds[gone] = 0
    ready: list[tuple[float, str]] = []
    size, least = wanted + _SPARE, 0.0
    while True:
        positions = _highest(bounds, min(size, _MOST_AT_ONCE), least)
        if not len(positions):
            return ready[:wanted]
        scored = lab_scores(segment, positions, asked, located)
        bounds[positions] = 0
        fits = np.flatnonzero(floor.fits(scored))
        keys = [segment.keys[position] for position in positions[fits].tolist()]
        ready = sorted([*ready, *zip((-scored.scores[0][fits]).tolist(), keys, strict=True)])
        size = _BATCH
        if len(ready) >= wanted:
            least = -ready[wanted - 1][0]


def _may_fit(segment: Segment, asked: Asked, located: Located, floor: Floor) -> Floats:
    """For every lab a number that its score does not exceed; 0 for those that are surely below the floor."""
    parts = [part for part in floor.parts if part.vector >= 0]
    vectors = [asked.vectors[part.vector] for part in parts]
    rest = asked.vectors[0] - sum((part.share * vector for part, vector in zip(parts, vectors, strict=True)), 0.0)
    if rest.max(initial=0.0) > _NOTHING:
        vectors.append(np.maximum(rest, 0.0))
    of_part = upper_bounds(segment, located, np.array(vectors).reshape(len(vectors), len(asked.keys)))
    shares = np.ones(len(vectors))
    shares[: len(parts)] = [part.share for part in parts]
    bounds: Floats = shares @ of_part
    weights = np.zeros((len(parts), len(asked.keys)))
    for number, part in enumerate(parts):
        np.add.at(weights[number], part.terms, part.words[part.word_of])
    kept = np.zeros(len(bounds), dtype=bool)
    for part, score, support in zip(parts, of_part, supports(segment, located, weights), strict=False):
        kept |= (support >= LEAST_SUPPORT) & (score >= part.least) & (score * support >= SURE * LEAST_PRODUCT)
    for part in floor.parts:
        if len(part.names):
            kept[located.labs_with(segment, part.names)] = True
    bounds[~kept] = 0.0
    return bounds


def _highest(bounds: Floats, count: int, least: float) -> Ints:
    """The labs with the largest bounds over 0 that reach `least`: `count` of them, or a few more; by position."""
    found = np.flatnonzero(bounds >= max(least, _TINY))
    if len(found) <= count:
        return found
    there = bounds[found]
    edge: float = np.partition(there, len(there) - count)[len(there) - count]
    chosen: Ints = found[there >= edge]
    return chosen
