from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, WorkDoc
from portal.matching.segments import postings, weights
from portal.matching.segments.postings import Collector, merged
from portal.matching.segments.shelf import Shelf
from portal.matching.segments.stored_labs import StoredLabs, pack, work_keys
from portal.matching.segments.weights import TermTable
from tests.matching.corpus import LABS

numbers = st.integers(0, 2**50 - 1) | st.integers(0, 5) | st.integers(2**50 - 3, 2**50 - 1)


def as_counts(postings_of_terms: postings.Postings) -> Counter[tuple[int, int]]:
    sizes = np.diff(postings_of_terms.starts)
    terms = np.repeat(postings_of_terms.table.numbers, sizes).tolist()
    return Counter(
        dict(
            zip(
                zip(terms, postings_of_terms.rows.tolist(), strict=True), postings_of_terms.counts.tolist(), strict=True
            )
        )
    )


@given(
    st.lists(st.lists(st.tuples(numbers, st.integers(0, 40)), max_size=30), max_size=5),
    st.sampled_from([41, 2**14 + 1, 2**20]),
    st.sampled_from([0, 20, 10**9]),
)
def test_batches_are_counted_whatever_waits_on_disk(
    batches: list[list[tuple[int, int]]], rows: int, in_memory: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_IN_MEMORY", in_memory)
        collector = Collector()
        for batch in batches:
            collector.add(
                np.array([number for number, _ in batch], dtype=np.uint64),
                np.array([row for _, row in batch], dtype=np.int32),
            )
        collected = collector.postings(rows)
    assert as_counts(collected) == Counter(item for batch in batches for item in batch)
    assert (np.diff(collected.table.numbers.astype(np.int64)) > 0).all()
    parts = [
        (
            np.repeat(collected.table.numbers, np.diff(collected.starts))[chosen],
            collected.rows[chosen],
            collected.counts[chosen],
            collected.rows[chosen].astype(np.float32),
        )
        for chosen in (collected.rows < 20, collected.rows >= 20)
    ]
    merged_again, weights = merged(parts)
    assert as_counts(merged_again) == as_counts(collected)
    assert merged_again.rows.tolist() == collected.rows.tolist()
    assert weights.tolist() == collected.rows[collected.starts[:-1]].tolist()


def test_counts_stop_at_what_fits() -> None:
    collector = Collector()
    collector.add(np.zeros(1000, dtype=np.uint64), np.zeros(1000, dtype=np.int32))
    assert collector.postings(1).counts.tolist() == [255]


@given(st.lists(numbers, unique=True), numbers)
def test_a_table_finds_what_is_in_it(term_numbers: list[int], wanted: int) -> None:
    ordered = sorted(term_numbers)
    table = TermTable(np.array(ordered, dtype=np.uint64))
    looked_up = [*ordered, wanted]
    places = [ordered.index(number) if number in term_numbers else -1 for number in looked_up]
    assert [table.find(number) for number in looked_up] == places
    with pytest.MonkeyPatch.context() as patch:
        for large in (1 << 16, 0):
            patch.setattr(weights, "_LARGE", large)
            for times in (1, 70):
                assert table.find_all(np.array(looked_up * times, dtype=np.uint64)).tolist() == places * times


@pytest.mark.parametrize("in_memory", [0, 400, 10**9])
def test_labs_come_from_the_shelf_as_they_were_put(monkeypatch: pytest.MonkeyPatch, in_memory: int) -> None:
    monkeypatch.setattr("portal.matching.segments.shelf._IN_MEMORY", in_memory)
    put = [
        *LABS,
        LabDoc("odd", "", [WorkDoc('a", "b', "", ""), WorkDoc("ü\\", "", "")]),
        LabDoc("without works", "", []),
    ]
    shelf = Shelf()
    for lab in put:
        shelf.put(lab)
    labs = shelf.labs()
    assert list(labs) == list(StoredLabs(*pack(labs))) == put
    for sequence in (labs, StoredLabs(*pack(labs))):
        assert [list(work_keys(sequence, place)) for place in range(len(put))] == [
            [work.key for work in lab.works] for lab in put
        ]
