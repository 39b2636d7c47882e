"""The topic map: labs in the plane in which their vectors differ most, and a query in the middle of those that fit it.

scikit-learn's principal component analysis places the labs once for each fit, where that is rehearsed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scipy.sparse import csr_array

    from portal.matching import Match
    from portal.seeding.records import LabRecord

FEWEST = 8  # labs that make a map
NUMBERED = 10  # best labs whose rank stands in their dots
NEAREST = 5
PULL = 3.0  # the power of a lab's score that weighs it in the middle of the labs that fit
WIDTH, HEIGHT, MARGIN = 360, 240, 14  # units of the drawing


class Point(NamedTuple):
    """A place in the drawing: x from the left, y from above."""

    x: float
    y: float


class PlacedLab(NamedTuple):
    """A lab on the map, with its rank; 0 if it does not fit."""

    slug: str
    name: str
    rank: int
    point: Point


@dataclass(frozen=True, slots=True)
class TopicMap:
    """The map for a page: the best labs, SVG paths of points for the others, where the query lies and what is near."""

    best: Sequence[PlacedLab]
    fitting: str
    others: str
    you: Point
    nearest: Sequence[PlacedLab]
    placed: int
    width: int = WIDTH
    height: int = HEIGHT


def places_of(slugs: Sequence[str], vectors: csr_array) -> dict[str, Point]:
    """The places of labs by slug, from a row of length 1 for each, or an empty one, which has no place.

    Empty if these are fewer than `FEWEST` or all equal. Each component is spread over its side of the drawing, its
    largest coordinate positive, so that the same labs give the same map.
    """
    has_terms = np.diff(vectors.indptr) > 0
    placed = sorted((slug, row) for row, slug in enumerate(slugs) if has_terms[row])
    if len(placed) < FEWEST or vectors.shape[1] <= 2:  # noqa: PLR2004  (a plane has two dimensions)
        return {}
    from scipy.sparse.linalg import ArpackError
    from sklearn.decomposition import PCA

    try:
        found = PCA(2, svd_solver="arpack", random_state=0).fit_transform(vectors[[row for _, row in placed]])
    except ArpackError:  # of equal rows
        return {}
    found *= np.sign(found[np.abs(found).argmax(axis=0), [0, 1]])
    low, high = found.min(axis=0), found.max(axis=0)
    shares = (found - low) / np.where(high > low, high - low, 1.0)
    return {
        slug: Point(round(MARGIN + (WIDTH - 2 * MARGIN) * x), round(MARGIN + (HEIGHT - 2 * MARGIN) * (1 - y)))
        for (slug, _), (x, y) in zip(placed, shares.tolist(), strict=True)
    }


def topic_map(
    places: Mapping[str, Point], profiles: Mapping[str, LabRecord], ranked: Sequence[Match]
) -> TopicMap | None:
    """The map of these labs for a query with this ranking; None while few of them are placed, or none of those fits."""
    shown = {slug: places[slug] for slug in profiles if slug in places}
    fitting = [match for match in ranked if match.lab in shown]
    if len(shown) < FEWEST or not fitting:
        return None
    rank, you = {match.lab: match.rank for match in fitting}, _middle(fitting, shown)

    def placed(slug: str) -> PlacedLab:
        return PlacedLab(slug, profiles[slug].name or slug, rank.get(slug, 0), shown[slug])

    return TopicMap(
        best=[placed(match.lab) for match in fitting[:NUMBERED]],
        fitting=_dots(shown[match.lab] for match in fitting[NUMBERED:]),
        others=_dots(point for slug, point in shown.items() if slug not in rank),
        you=you,
        nearest=[placed(slug) for slug in nsmallest(NEAREST, shown, lambda slug: (math.dist(shown[slug], you), slug))],
        placed=len(shown),
    )


def _middle(fitting: Sequence[Match], places: Mapping[str, Point]) -> Point:
    weights = [match.score**PULL for match in fitting]
    x, y = np.average([places[match.lab] for match in fitting], axis=0, weights=weights).tolist()
    return Point(round(x, 1), round(y, 1))


def _dots(points: Iterable[Point]) -> str:
    return "".join(f"M{x:.0f} {y:.0f}h0" for x, y in sorted(set(points)))
