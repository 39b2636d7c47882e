from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.segments import common
from portal.matching.segments.common import common_by_lab
from portal.matching.segments.postings import Postings
from portal.matching.segments.rows import Rows
from portal.matching.segments.weights import TermTable

TERMS = 600
"""More terms than fit into two buckets."""
counts = st.integers(1, 3) | st.integers(14, 255)
entries = st.dictionaries(st.tuples(st.integers(0, TERMS - 1), st.integers(0, 40)), counts, max_size=60)


@given(entries, st.lists(st.integers(0, TERMS - 1), unique=True), st.sets(st.integers(0, 6)), st.sampled_from([0, 999]))
def test_the_entries_of_terms_in_labs_are_found_in_both_ways(
    counts_of_entries: dict[tuple[int, int], int], wanted: list[int], labs: set[int], many: int
) -> None:
    rows = Rows.of([5, 0, 9, 1, 12, 3, 4])
    ordered = sorted(counts_of_entries.items())
    starts = np.searchsorted([term for (term, _), _ in ordered], np.arange(TERMS + 1))
    postings = Postings(
        TermTable(np.arange(TERMS, dtype=np.uint64)),
        starts,
        np.array([row for (_, row), _ in ordered], dtype=np.int32),
        np.array([count for _, count in ordered], dtype=np.uint8),
    )
    common_entries = common_by_lab(np.arange(TERMS), np.ones(len(ordered), dtype=bool), postings, rows)
    places, in_rows, in_all = (column.tolist() for column in common_entries.all_entries(rows))
    assert dict(zip(zip(places, in_rows, strict=True), in_all, strict=True)) == counts_of_entries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "_MANY", many)
        lab_list = sorted(labs)
        found_entries = common_entries.entries(
            np.array(sorted(wanted), dtype=np.int64), np.array(lab_list, dtype=np.int64)
        )
    columns = (
        found_entries.term.tolist(),
        found_entries.lab.tolist(),
        found_entries.row.tolist(),
        found_entries.counts.tolist(),
    )
    answers = [
        (sorted(wanted)[term], int(rows.first[lab_list[lab]]) + row, count)
        for term, lab, row, count in zip(*columns, strict=True)
    ]
    assert sorted(answers) == sorted(
        (term, row, count) for (term, row), count in ordered if term in wanted and rows.lab[row] in labs
    )
    for term in wanted:
        of_term = [row for answered_term, row, _ in answers if answered_term == term]
        assert of_term == sorted(of_term)


def test_a_lab_with_hundreds_of_works_is_kept_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    labs = [
        LabDoc(
            f"lab{size}", "Graphs.", [WorkDoc(f"w{work:03d}", f"sparse graphs {work % 7}x", "") for work in range(size)]
        )
        for size in (2, 40, 300)
    ]
    query = Query([Topic("sparse graphs 3x")])
    expected = LabIndex.fit(labs).rank_explained(query)
    monkeypatch.setattr(common, "FEW_ROWS", 3)
    monkeypatch.setattr(common, "FEW_LABS", 0)
    index = LabIndex.fit(labs)
    assert len(index._state.layers[0].segment.common.terms) > 2
    assert index.rank_explained(query) == expected
