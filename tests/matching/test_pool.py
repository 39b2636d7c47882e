"""Threads, processes and a cluster rank a whole pool with the same results, bit for bit, in chunks of any size."""

from __future__ import annotations

import os
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import joblib
import pytest
from joblib.externals.loky import get_reusable_executor

from portal.matching import LabDoc, LabIndex, Match, Query, Topic, WorkDoc
from portal.matching.pool import _pickled, _rank_pickled, _unpacked, rank_stream

from .corpus import FEDERATED, LABS

if TYPE_CHECKING:
    from collections.abc import Iterator

DICE = random.Random(11)  # noqa: S311 - the same corpus in every run
WORDS = "federated serving LLM cache hashing kernel sparse clients Hydra model GPU graph k-means++ fair split".split()  # noqa: SIM905


def words(many: int) -> str:
    return " ".join(DICE.choices(WORDS, k=many))


LABS_OF_POOL = [
    *LABS,
    *(
        LabDoc(f"lab{n:02}", words(9), [WorkDoc(f"w{w}", words(5), f"{words(8)}. {words(8)}.") for w in range(6)])
        for n in range(20)
    ),
]
POOL = {
    f"p{n:03}": Query([Topic(words(3), DICE.random()), Topic(words(1))], words(6) + ".", words(30)) for n in range(90)
}
Answers = list[tuple[str, list[Match]]]


@pytest.fixture(scope="module")
def index() -> LabIndex:
    return LabIndex.fit(LABS_OF_POOL)


@pytest.fixture(scope="module")
def expected(index: LabIndex) -> Answers:
    answers = [(key, index.rank(query, 10)) for key, query in POOL.items()]
    assert len({tuple(match.lab for match in matches) for _, matches in answers}) > 20
    return answers


@contextmanager
def processes() -> Iterator[None]:
    try:
        with joblib.parallel_config(backend="loky"):
            yield
    finally:
        get_reusable_executor().shutdown(wait=True)


@contextmanager
def cluster() -> Iterator[None]:
    distributed = pytest.importorskip(
        "distributed", reason="Dask is not installed; get it with: .venv/bin/pip install -e '.[cluster]'"
    )
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as workers,
        distributed.Client(workers),
        joblib.parallel_config(backend="dask"),
    ):
        yield


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_threads_rank_as_one_does(index: LabIndex, expected: Answers, chunk: int, jobs: int) -> None:
    assert list(rank_stream(index.rank, POOL.items(), 10, n_jobs=jobs, chunk=chunk)) == expected


@pytest.mark.parametrize("backend", [pytest.param(processes, marks=pytest.mark.thorough), cluster])
def test_processes_and_clusters_rank_as_threads_do(index: LabIndex, expected: Answers, backend: type) -> None:
    with backend():
        for chunk in (1, 13, 1000):
            assert list(rank_stream(index.rank, POOL.items(), 10, n_jobs=2, chunk=chunk)) == expected
        places = list(rank_stream(where, POOL.items(), 10, n_jobs=2, chunk=1))
    assert os.getpid() not in {matches[0].rank for _, matches in places}


def where(query: Query, k: int) -> list[Match]:
    """Tells in which process it runs."""
    return [Match(f"{len(query.topics)} {k}", 0.0, os.getpid(), 0.0)]


def test_edits_travel_with_the_index() -> None:
    edited = LabIndex.fit(LABS_OF_POOL)
    edited.replace(LabDoc("weaving", "Looms for silk.", ()))
    edited.remove("lab03")
    pool = {"silk": Query([Topic("looms for silk")]), **POOL}
    in_this_process = list(rank_stream(edited.rank, pool.items(), 30, n_jobs=1))
    assert [match.lab for match in in_this_process[0][1]] == ["weaving"]
    with processes():
        assert list(rank_stream(edited.rank, pool.items(), 30, n_jobs=2)) == in_this_process


def test_what_a_worker_unpacks_it_keeps_for_the_next_chunk(index: LabIndex, expected: Answers) -> None:
    digest, content = _pickled(index.rank)
    keyed = list(POOL.items())[:3]
    assert _rank_pickled(digest, content, keyed, 10) == expected[:3]
    unpacked = _unpacked[digest]
    assert _rank_pickled(digest, content, keyed, 10) == expected[:3]
    assert _unpacked == {digest: unpacked}
    other_digest, other_content = _pickled(LabIndex.fit(LABS).rank)
    _rank_pickled(other_digest, other_content, keyed, 10)
    assert list(_unpacked) == [other_digest]


def test_queries_are_taken_as_they_are_needed(index: LabIndex) -> None:
    taken: list[int] = []

    def endless() -> Iterator[tuple[str, Query]]:
        while True:
            taken.append(len(taken))
            yield str(len(taken)), Query([Topic("hashing")])

    answers = rank_stream(index.rank, endless(), 1, n_jobs=2, chunk=4)
    assert [next(answers)[0] for _ in range(10)] == [str(n) for n in range(1, 11)]
    answers.close()  # type: ignore[attr-defined]
    assert len(taken) < 1000


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_while_taking_queries_comes_after_the_answers_before_it(index: LabIndex, jobs: int) -> None:
    def broken() -> Iterator[tuple[str, Query]]:
        yield from list(POOL.items())[:10]
        raise OSError("the disk is gone")

    answers = rank_stream(index.rank, broken(), 1, n_jobs=jobs, chunk=4)
    assert [next(answers)[0] for _ in range(10)] == list(POOL)[:10]
    with pytest.raises(OSError, match="the disk is gone"):
        next(answers)


def test_a_chunk_has_at_least_one_query(index: LabIndex) -> None:
    with pytest.raises(ValueError, match="at least 1 query, not 0"):
        rank_stream(index.rank, POOL.items(), 10, chunk=0)


def test_a_pool_gives_what_rank_gives_in_any_number_of_threads_and_resumes() -> None:
    index = LabIndex.fit(LABS)
    topics = ["federated", "serving", "LLM", "cache", "hashing", "kernel", "sparsity", "clients", "Hydra"]
    dice = random.Random(7)  # noqa: S311 - the same choice in every run
    pool = {f"p{number:03d}": Query([Topic(" ".join(dice.sample(topics, 3)))]) for number in range(150)}
    expected = [(key, index.rank(pool[key])) for key in sorted(pool)]
    assert list(index.rank_pool(pool, n_jobs=1)) == expected
    assert list(index.rank_pool(pool, n_jobs=3)) == expected
    done = {key for key, _ in expected[:70]}
    assert list(index.rank_pool(pool, n_jobs=2, done=done)) == expected[70:]
    in_reverse = [pool[key] for key in sorted(pool, reverse=True)]
    assert list(index.rank_pool(in_reverse, n_jobs=2)) == [matches for _, matches in reversed(expected)]
    assert FEDERATED.key in {match.lab for _, matches in expected for match in matches}
