"""The topic map: labs in the plane in which their vectors differ most, and a query among those that fit it.

scikit-learn's principal component analysis places the labs once after each fit, in the thread that made it; until then
pages show no map. The query lies in the middle of the labs that it fits, pulled towards the best, so the exact ranking
places it and not a second reading of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.config import extension

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Flask

    from portal.labs.live_index.state import Fit, IndexedLabs
    from portal.matching import Match


EXTENSION = "portal_topic_maps"
FEWEST = 8  # labs that make a map
NUMBERED = 10  # best matches whose rank stands in their dots
LISTED = 12
PULL = 3.0
"""The power of a lab's score that weighs it in the middle of the labs that fit."""
WIDTH, HEIGHT = 360, 240  # units of the drawing
MARGIN = 14


class Point(NamedTuple):
    """A place in the drawing: x from the left, y from above."""

    x: float
    y: float


class MapLab(NamedTuple):
    """A lab on the map, with its position in the ranking; 0 if it does not fit."""

    slug: str
    name: str
    position: int
    point: Point


@dataclass(frozen=True)
class MapView:
    """The map for a page: the best matches, the dots of the others as SVG paths of points, and where the query lies.

    `nearest` are the labs by distance from the query, or from the middle of the drawing if no lab fits.
    """

    best: Sequence[MapLab]
    fitting: str
    others: str
    you: Point | None
    nearest: Sequence[MapLab]
    placed: int
    width: int = WIDTH
    height: int = HEIGHT


class TopicMaps:
    """The places of the labs of the last fit that was placed. One per process."""

    def __init__(self) -> None:
        self._fit: Fit | None = None
        self._places: Mapping[str, Point] = {}

    def draw(self, labs: IndexedLabs) -> None:
        """Place the labs of a fit, unless that is done. Takes a second for thousands of labs."""
        if labs.fit is not self._fit:
            self._places, self._fit = places_of(labs), labs.fit

    def view(self, labs: IndexedLabs, ranked: Sequence[Match]) -> MapView | None:
        """The map of the labs that are placed, for a query with this ranking; None while they are few."""
        places = self._places
        names = {slug: profile.name or slug for slug, profile in labs.profiles.items() if slug in places}
        if len(names) < FEWEST:
            return None
        order = [match.lab for match in ranked if match.lab in names]
        position = {slug: rank for rank, slug in enumerate(order, start=1)}
        you = _middle({match.lab: match.score for match in ranked if match.lab in names}, places)
        all_labs = [MapLab(slug, names[slug], position.get(slug, 0), places[slug]) for slug in sorted(names)]
        by_rank = sorted((lab for lab in all_labs if lab.position), key=lambda lab: lab.position)
        here = you or Point(WIDTH / 2, HEIGHT / 2)
        return MapView(
            best=by_rank[:NUMBERED],
            fitting=_dots(by_rank[NUMBERED:]),
            others=_dots([lab for lab in all_labs if not lab.position]),
            you=you,
            nearest=sorted(all_labs, key=lambda lab: (math.dist(lab.point, here), lab.slug))[:LISTED],
            placed=len(all_labs),
        )


def places_of(labs: IndexedLabs) -> dict[str, Point]:
    """The places of labs by slug, without those that have no terms; none of fewer than `FEWEST`.

    Principal components of the labs' vectors (scaled to length 1), each spread over its side of the drawing. The same
    labs give the same map: the largest coordinate of each axis is positive.
    """
    from sklearn.decomposition import PCA

    keys, rows, _terms = labs.index.lab_vectors()
    has_terms = np.diff(rows.indptr) > 0
    placed = [key for key, has in zip(keys, has_terms, strict=True) if has]
    if len(placed) < FEWEST or rows.shape[1] <= 2:  # noqa: PLR2004  (a plane has two dimensions)
        return {}
    coordinates = PCA(2, svd_solver="arpack", random_state=0).fit_transform(rows[has_terms])
    coordinates *= np.sign(coordinates[np.abs(coordinates).argmax(axis=0), [0, 1]])
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    shares = (coordinates - low) / np.where(high > low, high - low, 1.0)
    return {
        key: Point(round(MARGIN + (WIDTH - 2 * MARGIN) * x), round(MARGIN + (HEIGHT - 2 * MARGIN) * (1 - y)))
        for key, (x, y) in zip(placed, shares.tolist(), strict=True)
    }


def _middle(scores: Mapping[str, float], places: Mapping[str, Point]) -> Point | None:
    """Where a query with these scores lies; None if it fits no lab."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return None
    pulls = [((score / best) ** PULL, places[slug]) for slug, score in sorted(scores.items())]
    total = math.fsum(pull for pull, _ in pulls)
    return Point(
        round(math.fsum(pull * point.x for pull, point in pulls) / total, 1),
        round(math.fsum(pull * point.y for pull, point in pulls) / total, 1),
    )


def _dots(labs: Sequence[MapLab]) -> str:
    """Labs as an SVG path of points."""
    return "".join(f"M{x:.0f} {y:.0f}h0" for x, y in sorted({lab.point for lab in labs}))


def topic_maps(app: Flask) -> TopicMaps:
    """The maps of an application."""
    return extension(app, EXTENSION, TopicMaps)
