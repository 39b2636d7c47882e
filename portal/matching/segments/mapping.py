"""Maps the arrays of a saved index into memory."""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[Any]

_POPULATE_READ = 22
"""MADV_POPULATE_READ of Linux (since 5.14), for which `mmap` has no name."""


def mapped(file: Path, *, in_reach: bool = False) -> Array:
    """The array of a file, mapped into memory (an empty file cannot be mapped and is read).

    With `in_reach`, all of its pages are mapped at once if the system can do so, instead of one by one as they are
    touched; this reads what is not in memory yet. Returned as a plain array: slicing NumPy's memmap class is slow.
    """
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError:
        read: Array = np.load(file, allow_pickle=False)
        return read
    if in_reach and sys.platform == "linux" and isinstance(array.base, mmap.mmap):
        with suppress(OSError):  # an older Linux: the array is the same, only slower at first
            array.base.madvise(_POPULATE_READ)
    return np.asarray(array)
