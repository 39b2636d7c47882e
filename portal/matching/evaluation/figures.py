"""Means and ratios with their 95 % bootstrap intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_RESAMPLES = 1000
_NUMBERS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean or ratio over `count` queries (or labs) with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    count: int


def mean(values: Sequence[float]) -> Figure:
    """The mean of `values` (at least one)."""
    return ratio([(value, 1.0) for value in values])


def ratio(parts: Sequence[tuple[float, float]]) -> Figure:
    """The sum of the first numbers of `parts` divided by the sum of the second ones, which must not be 0.

    The interval comes from 1,000 resamples of the parts, drawn with replacement: always the same ones, whatever the
    order of the parts. Resamples whose second numbers add up to 0 are skipped.
    """
    value = math.fsum(part for part, _ in parts) / math.fsum(whole for _, whole in parts)
    distinct, counts = np.unique(np.array(parts, dtype=np.float64), axis=0, return_counts=True)
    if len(distinct) == 1:
        return Figure(value, value, value, len(parts))
    sums = np.concatenate([drawn @ distinct for drawn in _drawings(counts)])
    sums = sums[sums[:, 1] != 0]
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return Figure(value, float(low), float(high), len(parts))


def _drawings(counts: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
    """How often each distinct part is drawn: one row per resample, several rows at a time."""
    generator = np.random.default_rng(0)
    many = int(counts.sum())
    rows = max(1, _NUMBERS_AT_ONCE // len(counts))
    for start in range(0, _RESAMPLES, rows):
        yield generator.multinomial(many, counts / many, min(rows, _RESAMPLES - start)).astype(np.float64)
