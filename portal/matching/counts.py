"""How often terms occur, in half a byte each: nearly all do so once or twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGE = 15


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of up to 255, two in a byte of `halves`. Those of 15 and more, at `places` (rising), are `large`."""

    halves: NDArray[np.uint8]
    places: NDArray[np.int64]
    large: NDArray[np.uint8]

    @classmethod
    def of(cls, counts: NDArray[np.uint8]) -> Counts:
        """Pack `counts`."""
        places = np.flatnonzero(counts >= _LARGE)
        small = np.zeros(len(counts) + len(counts) % 2, dtype=np.uint8)
        np.minimum(counts, _LARGE, out=small[: len(counts)])
        return cls(small[0::2] | small[1::2] << np.uint8(4), places, counts[places])

    def at(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The counts at some places."""
        pairs, shifts = self.halves[places >> 1], ((places & 1) << 2).astype(np.uint8)
        found: NDArray[np.uint8] = pairs >> shifts & np.uint8(_LARGE)
        large = np.flatnonzero(found == _LARGE)
        if len(large):
            found[large] = self.large[self.places.searchsorted(places[large])]
        return found
