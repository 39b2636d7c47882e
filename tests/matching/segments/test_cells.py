from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching.segments.cells import MOST_ROWS, Cells

entries = st.tuples(st.integers(0, 2**16 - 1), st.integers(0, 30), st.integers(1, 3) | st.integers(14, 255))


@given(st.lists(entries), st.sampled_from([31, 32, 40, 64, 65, 300, MOST_ROWS]))
def test_entries_come_out_as_they_were(given_entries: list[tuple[int, int, int]], most_rows: int) -> None:
    terms, rows, counts = (np.array([entry[column] for entry in given_entries], dtype=np.int64) for column in range(3))
    rows = np.where(rows == 30, most_rows - 1, rows)
    cells = Cells.of(terms, rows.astype(np.uint32), counts.astype(np.uint8), most_rows)
    backwards = np.arange(len(given_entries))[::-1]
    assert cells.counts_at(backwards).tolist() == counts[::-1].tolist()
    assert cells.rows_at(backwards).tolist() == rows[::-1].tolist()
    assert cells.low(cells.packed).tolist() == (terms % (1 << cells.low_bits)).tolist()


@pytest.mark.parametrize(
    ("most_rows", "size", "low_bits"), [(0, 2, 8), (1, 2, 8), (16, 2, 8), (17, 2, 7), (64, 2, 6), (65, 4, 8)]
)
def test_two_bytes_suffice_for_labs_of_few_works(most_rows: int, size: int, low_bits: int) -> None:
    nothing = np.zeros(0, dtype=np.int64)
    cells = Cells.of(nothing, nothing.astype(np.uint16), nothing.astype(np.uint8), most_rows)
    assert (cells.packed.itemsize, cells.low_bits) == (size, low_bits)
