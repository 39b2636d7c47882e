"""The two inner loops of ranking, in compiled code of SciPy.

Its sparse kernels are private: where one is missing NumPy does the same, which a test holds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_MOST_ENTRIES = 2**31 - 1


def add_multiple(total: NDArray[np.float32], row: NDArray[np.float32], factor: float) -> None:
    """`total` += factor × row."""
    from scipy.linalg.blas import saxpy

    saxpy(row, total, a=factor)


def add_postings(
    total: NDArray[np.float32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    labs: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
) -> None:
    """For every term i: `total[labs]` += factors[i] × values, over the entries `begins[i]` … `ends[i] - 1`."""
    order = np.argsort(-begins, kind="stable")
    begins, ends, factors = begins[order], ends[order], factors[order]
    kernel = _scipy("scipy.sparse._sparsetools", "csc_matvec")
    if kernel is None or len(values) > _MOST_ENTRIES:
        _in_numpy(total, begins, ends, labs, values, factors)
        return
    # One call for all: the column between two terms ends before it begins, so nothing is added for it.
    edges = np.empty(2 * len(begins), dtype=np.int32)
    edges[0::2], edges[1::2] = begins, ends
    spaced = np.zeros(2 * len(begins) - 1, dtype=np.float32)
    spaced[0::2] = factors
    kernel(len(total), len(spaced), edges, labs, values, spaced, total)


def _in_numpy(
    total: NDArray[np.float32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    labs: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
) -> None:
    for begin, end, factor in zip(begins.tolist(), ends.tolist(), factors, strict=True):
        total[labs[begin:end]] += factor * values[begin:end]


_found: dict[str, Callable[..., object] | None] = {}


def _scipy(module: str, name: str) -> Callable[..., object] | None:
    """A function of SciPy, None where this version has none of that name."""
    if name not in _found:
        try:
            _found[name] = getattr(import_module(module), name, None)
        except ImportError:
            _found[name] = None
    return _found[name]
