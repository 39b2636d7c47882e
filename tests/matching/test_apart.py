"""An index that another process fits."""

from __future__ import annotations

import threading
import time

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic
from portal.matching.apart import FitFailed

from .corpus import LABS


def test_an_index_fitted_apart_answers_like_one_fitted_here() -> None:
    read: list[int] = []
    index = LabIndex.fit(LABS, apart=True, progress=read.append)
    query = Query([Topic("LLM serving")], "federated learning on phones")
    assert index.rank_explained(query) == LabIndex.fit(LABS).rank_explained(query) != []
    index.replace(LabDoc("new", "Quantum annealing.", ()))
    assert [match.lab for match in index.rank(Query([Topic("quantum annealing")]))] == ["new"]
    assert read == [1, 2, 3]


def test_what_cannot_be_fitted_fails_here_too() -> None:
    with pytest.raises(FitFailed):
        LabIndex.fit([*LABS, LABS[0]], apart=True)


def test_queries_are_answered_while_another_process_fits() -> None:
    index = LabIndex.fit(LABS)
    thread = threading.Thread(target=lambda: LabIndex.fit(LABS, apart=True))
    thread.start()
    answered = 0
    while thread.is_alive():
        assert index.rank(Query([Topic(f"LLM serving {answered}")]))
        answered += 1
        time.sleep(0.001)
    assert answered > 10
