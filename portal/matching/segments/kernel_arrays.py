"""Segments and term weights as compiled kernels read them: one table with the addresses of their arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.kernels import layout
from portal.matching.language.hashing import BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.segments.segment import Segment
    from portal.matching.segments.singles import Singles
    from portal.matching.segments.weights import TermTable

    Array = NDArray[Any]

_UNSIGNED = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))
_MANY = 2**32


class ArraysCache:
    """Caches the table of a segment; pickled without it, as addresses mean nothing in another process."""

    __slots__ = ("arrays",)

    def __init__(self) -> None:
        self.arrays: SegmentArrays | Unsupported | None = None

    def __reduce__(self) -> tuple[type[ArraysCache], tuple[()]]:
        return ArraysCache, ()


class Unsupported(Exception):
    """An array has a type or layout that kernels do not read."""


class _Addresses:
    """A table of addresses. It keeps the arrays at these addresses alive."""

    __slots__ = ("_arrays", "table")

    def __init__(self) -> None:
        self._arrays: list[Array] = []
        self.table: NDArray[np.int64] = np.zeros(layout.S_END, dtype=np.int64)

    def put(self, values: dict[int, int]) -> None:
        """Write numbers and addresses to their places in the table."""
        for place, value in values.items():
            self.table[place] = value

    def of_numbers(self, table: TermTable, idf: NDArray[np.float32]) -> dict[int, int]:
        """The entries for term numbers and their weights."""
        buckets = table.buckets()
        return {
            layout.S_NUMBERS: self.address(table.numbers, np.uint64),
            layout.S_NUMBERS_COUNT: len(table),
            layout.S_BUCKETS: self.address(buckets[0], np.int32) if buckets else 0,
            layout.S_BUCKET_SHIFT: buckets[1] if buckets else -1,
            layout.S_IDF: self.address(idf, np.float32),
        }

    def of_singles(self, singles: Singles) -> dict[int, int]:
        """The entries for terms that occur once in a single work."""
        return {
            layout.S_SINGLE_COUNT: len(singles),
            layout.S_SINGLE_STARTS: self.address(singles.starts, np.uint32),
            layout.S_SINGLE_PACKED: self.address(singles.packed, np.uint32),
            layout.S_SINGLE_LOW: self.address(singles.low, np.uint16),
            layout.S_SINGLE_REST: BITS - (len(singles.starts) - 1).bit_length() + 1,
            layout.S_SINGLE_HIGH: singles.high,
        }

    def address(self, array: Array, kind: type[np.generic] | None = None) -> int:
        """The address of an array of `kind`, by default of unsigned integers of 1, 2 or 4 bytes. Keeps the array.

        Raises:
            Unsupported: the array has another type, or is not contiguous.
        """
        is_supported = array.dtype in _UNSIGNED if kind is None else array.dtype == kind
        if not is_supported or not array.flags.c_contiguous:
            raise Unsupported
        self._arrays.append(array)
        address: int = array.__array_interface__["data"][0]
        return address


class WeightArrays(_Addresses):
    """The table for the weights of an index."""

    __slots__ = ()

    def __init__(self, table: TermTable, idf: NDArray[np.float32], singles: Singles) -> None:
        """Raises Unsupported if an array has a type or layout that kernels do not read."""
        super().__init__()
        self.put(self.of_numbers(table, idf))
        if len(singles):
            self.put(self.of_singles(singles))


class SegmentArrays(_Addresses):
    """The table for a segment."""

    __slots__ = ()

    def __init__(self, segment: Segment) -> None:
        """Raises Unsupported if the segment is larger than kernels can handle."""
        super().__init__()
        values = self._of_rows(segment) | self._of_terms(segment)
        if len(segment.common.terms):
            values |= self._of_common(segment) | self._of_bounds(segment)
        if len(segment.singles):
            values |= self.of_singles(segment.singles)
            values[layout.S_SINGLE_IDF] = self.address(np.array([segment.idf_of_singles]), np.float64)
        self.put(values)

    def _of_rows(self, segment: Segment) -> dict[int, int]:
        first, keys = segment.rows.first, segment.keys
        order = np.zeros(len(keys), dtype=np.int32)
        if len(keys) > 1:
            order[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys), dtype=np.int32)
        most = int(first[-1]) if len(keys) == 1 else int((first[1:] - first[:-1]).max(initial=1))
        return {
            layout.S_LABS: segment.rows.labs,
            layout.S_MOST_ROWS: most,
            layout.S_FIRST_ROW: self.address(first, np.int64),
            layout.S_LAB_OF_ROW: self.address(segment.rows.lab, np.int32),
            layout.S_INVERSE_LENGTH: self.address(segment.inverse_length, np.float32),
            layout.S_INVERSE_FOCUS: self.address(segment.inverse_focus, np.float32),
            layout.S_OF_ROW: self.address(segment.bounds.of_row, np.float32),
            layout.S_KEY_ORDER: self.address(order, np.int32),
        }

    def _of_terms(self, segment: Segment) -> dict[int, int]:
        postings = segment.postings
        starts = postings.starts
        if starts.dtype == np.int64 and len(postings.rows) < _MANY:
            starts = starts.astype(np.uint32)
        return self.of_numbers(postings.table, segment.idf) | {
            layout.S_STARTS: self.address(starts, np.uint32),
            layout.S_ROWS: self.address(postings.rows, np.int32),
            layout.S_COUNTS: self.address(postings.counts, np.uint8),
        }

    def _of_common(self, segment: Segment) -> dict[int, int]:
        common = segment.common
        starts = common.starts.astype(np.int64)
        return {
            layout.S_COMMON_TERMS: self.address(common.terms, np.int64),
            layout.S_COMMON_COUNT: len(common.terms),
            layout.S_COMMON_MOST: int((starts[1:] - starts[:-1]).max(initial=0)),
            layout.S_COMMON_STARTS: self.address(common.starts, np.uint32),
            layout.S_WITHIN: self.address(common.within),
            layout.S_WITHIN_BYTES: common.within.itemsize,
            layout.S_WITHIN_WIDTH: common.within.shape[1],
            layout.S_CELLS: self.address(common.cells.packed),
            layout.S_CELL_BYTES: common.cells.packed.itemsize,
            layout.S_LOW_BITS: common.cells.low_bits,
            layout.S_ROW_BITS: common.cells.row_bits,
            layout.S_LARGE_PLACES: self.address(common.cells.places, np.int64),
            layout.S_LARGE_COUNT: len(common.cells.places),
            layout.S_LARGE: self.address(common.cells.large, np.uint8),
        }

    def _of_bounds(self, segment: Segment) -> dict[int, int]:
        bounds = segment.bounds
        return {
            layout.S_BOUND_STEP: self.address(bounds.step, np.float32),
            layout.S_BOUND_STARTS: self.address(bounds.starts, np.int64),
            layout.S_BOUND_LABS: self.address(bounds.labs),
            layout.S_BOUND_LABS_BYTES: bounds.labs.itemsize,
            layout.S_BOUND_STEPS: self.address(bounds.steps, np.uint8),
            layout.S_DENSE_ROW: self.address(bounds.dense_row, np.int32),
            layout.S_DENSE: self.address(bounds.dense, np.uint8),
        }


def arrays_of(segment: Segment) -> SegmentArrays | None:
    """The table of a segment; None if kernels cannot read it. Cached in the segment."""
    cache = segment.kernel_cache
    if cache.arrays is None:
        try:
            cache.arrays = SegmentArrays(segment)
        except Unsupported as error:
            cache.arrays = error
    return cache.arrays if isinstance(cache.arrays, SegmentArrays) else None
