"""The labs of a segment by their score, the best first, without scoring them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching import common
from portal.matching.bounds import upper_bounds
from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, SURE
from portal.matching.scoring import lab_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.floor import Floor
    from portal.matching.located import Located
    from portal.matching.scoring import Asked
    from portal.matching.segment import Segment

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SPARE = 8
"""So many labs more than are wanted are scored at once: bounds do not order labs exactly."""
_BATCH = 128
_MOST_AT_ONCE = 512
_NOTHING = 1e-9
_TINY = float(np.finfo(np.float32).tiny)


def best_first(
    segment: Segment, located: Located, asked: Asked, floor: Floor, wanted: int, gone: Ints
) -> list[tuple[float, str]]:
    """(−score, key) of the `wanted` best labs that fit the query, the best first; not of those at `gone`.

    `located` are the query's terms in the segment.

    Labs are scored exactly in the order of their bounds until no other can be among the best.
    """
    if not located or wanted < 1:
        return []
    if segment.rows.labs <= common.FEW_LABS:
        bounds = np.zeros(segment.rows.labs, dtype=np.float32)
        bounds[located.labs] = 1
    else:
        bounds = _may_fit(segment, asked, located, floor)
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


def _may_fit(segment: Segment, asked: Asked, located: Located, floor: Floor) -> NDArray[np.float32]:
    """For every lab a number that its score does not exceed; 0 for those that are surely below the floor."""
    parts = [part for part in floor.parts if part.vector >= 0]
    vectors = [asked.vectors[part.vector] for part in parts]
    shares = [part.share for part in parts]
    if not (len(parts) == 1 and parts[0].vector == 0):
        rest = asked.vectors[0] - sum(share * vector for share, vector in zip(shares, vectors, strict=True))
        if rest.max(initial=0.0) > _NOTHING:
            vectors.append(rest)
            shares.append(1.0)
    weights = np.zeros((len(parts), len(asked.keys)))
    for row, part in zip(weights, parts, strict=True):
        np.add.at(row, part.terms, part.words[part.word_of])
    of_part, supports = upper_bounds(
        segment, located, np.array(vectors).reshape(len(vectors), len(asked.keys)), weights
    )
    kept = np.zeros(segment.rows.labs, dtype=bool)
    for part, score, support in zip(parts, of_part, supports, strict=False):
        kept |= (support >= LEAST_SUPPORT) & (score >= part.least) & (score * support >= SURE * LEAST_PRODUCT)
    for part in floor.parts:
        if len(part.names):
            kept[located.labs_with(segment, part.names)] = True
    bounds: NDArray[np.float32] = of_part[0] if shares == [1.0] else np.array(shares, dtype=np.float32) @ of_part
    bounds *= kept
    return bounds


def _highest(bounds: NDArray[np.float32], count: int, least: float) -> Ints:
    """The labs with the largest bounds over 0 that reach `least`: `count` of them, or a few more; by position."""
    found = np.flatnonzero(bounds >= max(least, _TINY))
    if len(found) <= count:
        return found
    there = bounds[found]
    edge: float = np.partition(there, len(there) - count)[len(there) - count]
    chosen: Ints = found[there >= edge]
    return chosen
