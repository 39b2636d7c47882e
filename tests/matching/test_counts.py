from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from portal.matching.counts import Counts


@given(st.lists(st.integers(1, 3) | st.integers(14, 255)))
def test_counts_come_out_as_they_were(counts: list[int]) -> None:
    packed = Counts.of(np.array(counts, dtype=np.uint8))
    assert len(packed.halves) == (len(counts) + 1) // 2
    assert packed.at(np.arange(len(counts))).tolist() == counts
    assert packed.at(np.arange(len(counts))[::-1]).tolist() == counts[::-1]
