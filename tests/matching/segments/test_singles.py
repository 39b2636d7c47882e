from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.segments import singles
from portal.matching.segments.singles import Singles

if TYPE_CHECKING:
    import pytest

numbers = st.integers(0, 2**50 - 1) | st.integers(0, 5) | st.integers(2**50 - 3, 2**50 - 1)


@given(st.dictionaries(numbers, st.integers(0, 2**17 - 1), max_size=20), st.lists(numbers), st.sampled_from([16, 17]))
def test_terms_are_found_with_their_rows(row_of_term: dict[int, int], others: list[int], bits: int) -> None:
    row_of_number = {number: row % 2**bits for number, row in sorted(row_of_term.items())}
    singles = Singles.of(
        np.array(list(row_of_number), dtype=np.uint64), np.array(list(row_of_number.values()), dtype=np.int32), 2**bits
    )
    singles = pickle.loads(pickle.dumps(singles))  # noqa: S301 - our own
    for looked_up in ([*row_of_number, *others], [*row_of_number, *others] * 17):
        which, rows = singles.find_all(np.array(looked_up, dtype=np.uint64))
        assert dict(zip(which.tolist(), rows.tolist(), strict=True)) == {
            place: row_of_number[number] for place, number in enumerate(looked_up) if number in row_of_number
        }
        assert [singles.find(number) for number in looked_up] == [row_of_number.get(number, -1) for number in looked_up]


def test_an_index_that_keeps_single_terms_apart_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    labs = [
        LabDoc(
            f"lab{lab}", "shared words", [WorkDoc(f"w{work}", f"shared topic{lab}{work} odd", "") for work in range(3)]
        )
        for lab in range(4)
    ]
    plain = LabIndex.fit(labs)
    monkeypatch.setattr(singles, "_WORTH_IT", 0)
    apart = LabIndex.fit(labs)
    assert (len(plain._weights.singles), len(apart._weights.singles)) == (0, 36)
    assert apart.terms == plain.terms
    for index in (plain, apart):
        index.replace(LabDoc("lab1", "topic20 shared", [WorkDoc("w0", "topic11 odd topic11", "")]))
    for text in ("topic11", "shared topic20", "topic30 odd", "topic"):
        query = Query([Topic(text)])
        assert apart.rank_explained(query) == plain.rank_explained(query)
