"""The entries of labs packed into cells of two bytes (four in labs of many works), a lab's entries side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Unsigned = NDArray[np.unsignedinteger[Any]]

MOST_ROWS = 1 << 20
"""The most rows of one lab that cells can tell apart."""
LARGE = 15
"""A cell with this count refers to `large`, which holds this count and larger ones."""
_COUNT_BITS = 4
_MOST_LOW_BITS = 8
_NARROW_BITS = 16


@dataclass(frozen=True, slots=True)
class Cells:
    """Each of `packed` holds, from the lowest bit up: the low bits of a term's place, the row in the lab, the count.

    Two bytes suffice while `row_bits` of them leave at least six for the term. Counts of 15 and more, at `places`
    (rising), are `large`.
    """

    packed: Unsigned
    row_bits: int
    places: Ints
    large: NDArray[np.uint8]

    @classmethod
    def of(cls, terms: Ints, rows: Unsigned, counts: NDArray[np.uint8], most_rows: int) -> Cells:
        """The cells of entries of the terms at the places `terms`, in labs of up to `most_rows` rows."""
        row_bits = max(most_rows - 1, 0).bit_length()
        is_narrow = row_bits <= _NARROW_BITS - _COUNT_BITS - _MOST_LOW_BITS + 2
        if not is_narrow:
            row_bits = (MOST_ROWS - 1).bit_length()
        places = np.flatnonzero(counts >= LARGE)
        kind: type[np.unsignedinteger[Any]] = np.uint16 if is_narrow else np.uint32
        low_bits = _low_bits(np.dtype(kind), row_bits)
        packed: Unsigned = np.minimum(counts, LARGE).astype(kind)
        packed <<= kind(row_bits)
        packed |= rows.astype(kind)
        packed <<= kind(low_bits)
        packed |= (terms & ((1 << low_bits) - 1)).astype(kind)
        return cls(packed, row_bits, places, counts[places])

    @property
    def low_bits(self) -> int:
        """How many bits of a term's place fit into a cell."""
        return _low_bits(self.packed.dtype, self.row_bits)

    def low(self, cells: Unsigned) -> Unsigned:
        """The low bits of the terms' places in some of the cells."""
        return cells & cells.dtype.type((1 << self.low_bits) - 1)

    def rows_at(self, places: Ints) -> Ints:
        """The rows of the entries at `places`."""
        rows: Ints = (self.packed[places] >> self.low_bits & ((1 << self.row_bits) - 1)).astype(np.int64)
        return rows

    def counts_at(self, places: Ints) -> NDArray[np.uint8]:
        """The counts of the entries at `places`."""
        counts = (self.packed[places] >> (self.low_bits + self.row_bits)).astype(np.uint8)
        large = np.flatnonzero(counts == LARGE)
        if len(large):
            counts[large] = self.large[self.places.searchsorted(places[large])]
        return counts


def _low_bits(kind: np.dtype[Any], row_bits: int) -> int:
    return min(_MOST_LOW_BITS, 8 * kind.itemsize - _COUNT_BITS - row_bits)
