"""Labs in two dimensions: the plane in which their vectors differ most, and where a query lies among them.

The rows of the labs are scaled to length 1; scikit-learn's principal component analysis of them gives the
plane (principal coordinates, so that distances on it come as close as two dimensions can to those of the vectors).
The map does not depend on the order of labs and terms: both are sorted first, the iteration starts from a fixed seed,
and the strongest term fixes the signs. A query is placed at the centroid of the labs that it fits, each weighed by a
power of its score. So the exact ranking places it, not a second reading of the query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Matrix = Any
    """A scipy.sparse matrix or array; scipy has no types."""

_DENSE_UP_TO = 256
"""Up to so many labs or terms all eigenvalues are computed; beyond that only the three largest, by iteration."""
_NOTHING = 1e-9
"""Smaller extents are due to rounding."""
_DIGITS = 6
_MOST_STRETCH = 2.0
"""The shorter side of the map is stretched at most by this factor more than the longer one, so that a direction in
which labs hardly differ does not look like one in which they do."""
_TILT = 0.5
"""The weight of the third coordinate in the second if both matter equally."""
_FEW = 8
_MOST_EVENED = 0.7
"""With more than a few labs, most lie close together and some far out. Coordinates are then mixed with their ranks, up
to this share, which uses the whole map and keeps the order of the labs."""
PULL = 3.0
"""The power of a lab's score that weighs it in the centroid; docs/matching-measured.md has the figures behind it."""


class Point(NamedTuple):
    """A place on the map: x from -1 (left) to 1 (right), y from -1 (below) to 1 (above)."""

    x: float
    y: float

    def distance(self, other: Point) -> float:
        """The distance to another point, in half widths of the map."""
        return math.hypot(self.x - other.x, self.y - other.y)


class Direction(NamedTuple):
    """The terms typical of the two ends of an axis, most typical first; empty if labs do not differ along it."""

    low: tuple[str, ...] = ()
    high: tuple[str, ...] = ()


NO_DIRECTION = Direction()


@dataclass(frozen=True, slots=True)
class Plane:
    """The points of the labs, and each term's direction along the two axes (in the order of `terms`)."""

    places: Mapping[str, Point]
    unplaced: tuple[str, ...]
    terms: tuple[str, ...]
    loads: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopicMap:
    """Where labs lie, what the directions mean, and which labs have no terms to place them by."""

    places: Mapping[str, Point]
    unplaced: tuple[str, ...] = ()
    across: Direction = NO_DIRECTION
    up: Direction = NO_DIRECTION

    def place(self, scores: Mapping[str, float]) -> Point | None:
        """Where a query with these scores lies; None if it fits no lab of the map."""
        best = max((score for key, score in scores.items() if key in self.places), default=0.0)
        if best <= 0:
            return None
        pulls = [
            ((score / best) ** PULL, self.places[key])
            for key, score in sorted(scores.items())
            if score > 0 and key in self.places
        ]
        total = math.fsum(pull for pull, _ in pulls)
        return Point(
            round(math.fsum(pull * point.x for pull, point in pulls) / total, _DIGITS),
            round(math.fsum(pull * point.y for pull, point in pulls) / total, _DIGITS),
        )

    def nearest(self, point: Point, most: int) -> list[tuple[str, float]]:
        """The labs nearest to a point on the map with their distances, equal ones by key."""
        by_distance = sorted((round(place.distance(point), _DIGITS), key) for key, place in self.places.items())
        return [(key, distance) for distance, key in by_distance[:most]]


def lay_out(keys: Sequence[str], rows: Matrix, terms: Sequence[str]) -> Plane:
    """The plane of labs from their vectors: one row per key, one column per term, no negative values.

    Raises:
        ValueError: a key is repeated, or the matrix has a different number of rows or columns.
    """
    import scipy.sparse
    from sklearn.preprocessing import normalize

    if len(set(keys)) < len(keys):
        raise ValueError("a lab stands on a map once")
    if rows.shape != (len(keys), len(terms)):
        raise ValueError(f"{len(keys)} labs and {len(terms)} terms, but a matrix of {rows.shape}")
    columns = sorted(range(len(terms)), key=terms.__getitem__)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    matrix = scipy.sparse.csr_matrix(rows, dtype=np.float64)[order][:, columns]
    matrix.eliminate_zeros()
    has_terms = matrix.getnnz(axis=1) > 0
    placed = [keys[position] for position, is_placed in zip(order, has_terms, strict=True) if is_placed]
    matrix = matrix[has_terms]
    matrix = normalize(matrix) if placed else matrix
    coordinates = _principal(matrix)
    # Before the tilt, so that it is the same for the same labs; and after it, as a tilt may reverse an axis.
    coordinates = _tilted(coordinates * _signs(np.asarray(matrix.T @ coordinates)))
    coordinates = coordinates * _signs(np.asarray(matrix.T @ coordinates))
    points = _framed(coordinates)
    return Plane(
        {key: Point(float(x), float(y)) for key, (x, y) in zip(placed, points, strict=True)},
        tuple(keys[position] for position, is_placed in zip(order, has_terms, strict=True) if not is_placed),
        tuple(terms[column] for column in columns),
        np.asarray(matrix.T @ coordinates).T,
    )


def _principal(matrix: Matrix) -> NDArray[np.float64]:
    """The three largest principal coordinates of the rows; zeros if rows differ in fewer directions."""
    from sklearn.decomposition import PCA, KernelPCA

    count, terms = matrix.shape
    coordinates = np.zeros((count, 3))
    if not count:
        return coordinates
    if count <= _DENSE_UP_TO:  # few labs have few inner products, whatever the number of terms
        decomposition = KernelPCA(min(3, count), kernel="linear", eigen_solver="dense")
    elif terms <= _DENSE_UP_TO:
        decomposition = PCA(min(3, terms), svd_solver="covariance_eigh")
    else:
        decomposition = PCA(3, svd_solver="arpack", tol=1e-8, random_state=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # shares of the variance if there is none
        components = decomposition.fit_transform(matrix)
    differ = (components**2).sum(axis=0) > _NOTHING
    coordinates[:, np.flatnonzero(differ)] = components[:, differ]
    return coordinates


def _signs(loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each axis the sign that makes its strongest term positive (the first of equally strong ones)."""
    if not len(loads):
        return np.ones(loads.shape[1])
    strongest = np.abs(loads).round(_DIGITS).argmax(axis=0)
    signs: NDArray[np.float64] = np.where(loads[strongest, np.arange(loads.shape[1])] < 0, -1.0, 1.0)
    return signs


def _tilted(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first two coordinates, the second tilted towards the third by how nearly the third matters as much.

    Labs with nothing in common differ equally in many directions; without the tilt, two of them could lie on one point
    as if they were the same.
    """
    second, third = (coordinates[:, 1:] ** 2).sum(axis=0)
    tilt = _TILT * (third / second) ** 4 if second > _NOTHING else 0.0
    return np.column_stack([coordinates[:, 0], coordinates[:, 1] + tilt * coordinates[:, 2]])


def _framed(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coordinates from -1 to 1 with the middle of the labs at zero; many labs are spread out where they crowd."""
    if not len(coordinates):
        return coordinates
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    half = (high - low) / 2
    longest = half.max()
    if longest <= _NOTHING:
        return np.zeros_like(coordinates)
    scale = np.maximum(half, longest / _MOST_STRETCH)
    framed = (coordinates - (low + high) / 2) / scale
    by_rank = np.apply_along_axis(_ranks, 0, coordinates.round(_DIGITS)) * (half / scale)
    evened = _MOST_EVENED * max(0.0, 1 - _FEW / len(coordinates))
    mixed: NDArray[np.float64] = ((1 - evened) * framed + evened * by_rank).round(_DIGITS) + 0.0
    return mixed


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """From -1 for the smallest value to 1 for the largest; equal ones have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(counts) == 1:
        return np.zeros(len(values))
    middle = np.cumsum(counts) - (counts + 1) / 2
    ranks: NDArray[np.float64] = 2 * (middle - middle[0]) / (middle[-1] - middle[0]) - 1
    of_values: NDArray[np.float64] = ranks[inverse]
    return of_values
