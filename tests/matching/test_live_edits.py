from __future__ import annotations

import os
import random
import threading
from itertools import pairwise

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, UnknownLab, WorkDoc
from portal.matching.fitting import layer_of
from portal.matching.layers import State

from .corpus import FEDERATED, LABS, SERVING

WORDS = [
    "federated",
    "learning",
    "serving",
    "model",
    "GPU",
    "cache",
    "sparse",
    "quantum",
    "annealing",
    "LLM",
    "kernel",
    "hashing",
    "graph",
    "compiler",
    "zebra",
]
EDITS = int(os.environ.get("MATCHING_TEST_EDITS", "25"))
QUERIES = [Query([Topic(first), Topic(second, 0.5)]) for first, second in pairwise(WORDS)]


def random_lab(key: str, dice: random.Random) -> LabDoc:
    def text() -> str:
        return " ".join(dice.choices(WORDS, k=8))

    works = tuple(WorkDoc(f"w{number}", text(), text()) for number in range(dice.randrange(5)))
    return LabDoc(key, text(), works)


def fitted_with_same_weights(index: LabIndex, labs: list[LabDoc]) -> LabIndex:
    return LabIndex(index._weights, State((layer_of(labs, index._weights, index._state.layers[0]),)), ())


def test_an_edit_is_seen_by_the_next_query() -> None:
    index = LabIndex.fit(LABS)
    quantum = Query([Topic("quantum annealing", 1.0)], correct_spelling=False)
    assert index.rank(quantum) == []
    index.replace(
        LabDoc("theory", "Quantum annealing.", (WorkDoc("q1", "Quantum annealing of graphs", "", 2025, ("Orca",)),))
    )
    assert [match.lab for match in index.rank(quantum)] == ["theory"]
    assert [match.lab for match in index.rank(Query([Topic("orca")]))] == ["theory"]
    assert index.rank(Query([Topic("kernel density estimation")])) == []
    index.replace(LabDoc("new", "Quantum annealing hardware.", ()))
    assert {match.lab for match in index.rank(quantum)} == {"new", "theory"}
    index.remove("theory")
    assert [match.lab for match in index.rank(quantum)] == ["new"]
    assert index.keys() == ("federated", "new", "serving")
    assert len(index) == 3


def test_removing_or_asking_for_a_lab_that_is_not_there_is_refused() -> None:
    index = LabIndex.fit(LABS)
    index.remove("theory")
    for act in (index.remove, index.typical_terms, lambda key: index.explain(QUERIES[0], key)):
        with pytest.raises(UnknownLab, match="no lab has the key 'theory'"):
            act("theory")


def test_many_edits_answer_like_an_index_fitted_from_scratch_with_the_same_weights() -> None:
    dice = random.Random(3)  # noqa: S311 - the same choice in every run
    labs = {f"lab{number:02d}": random_lab(f"lab{number:02d}", dice) for number in range(20)}
    index = LabIndex.fit(labs.values())
    for step in range(120):
        key = f"lab{dice.randrange(30):02d}"
        if key in labs and dice.random() < 0.3:
            del labs[key]
            index.remove(key)
        else:
            labs[key] = random_lab(key, dice)
            index.replace(labs[key])
        assert index.keys() == tuple(sorted(labs))
        if step % 20 == 0:
            scratch = fitted_with_same_weights(index, list(labs.values()))
            for query in QUERIES:
                assert index.rank_explained(query, 5) == scratch.rank_explained(query, 5)
    assert len(index._state.layers) <= 12


def test_queries_in_other_threads_see_one_state_or_the_next_never_a_mixture() -> None:
    index = LabIndex.fit(LABS)
    edited = LabDoc("serving", "Quantum annealing of spin glasses.", ())
    query = Query(
        [Topic("LLM serving"), Topic("quantum annealing"), Topic("federated learning")], correct_spelling=False
    )
    before = index.rank_explained(query)
    index.replace(edited)
    after = index.rank_explained(query)
    assert before != after
    answers: list[object] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            answers.append(index.rank_explained(query))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for lab in [SERVING, edited] * 15:
        index.replace(lab)
    stop.set()
    for thread in threads:
        thread.join()
    assert answers
    assert all(answer in (before, after) for answer in answers)


def test_edits_from_several_threads_are_all_kept() -> None:
    index = LabIndex.fit([FEDERATED])
    threads = [
        threading.Thread(target=index.replace, args=(LabDoc(f"lab{number}", f"topic number {number}", ()),))
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert index.keys() == tuple(sorted(("federated", *(f"lab{number}" for number in range(20)))))


def test_a_new_fit_of_the_current_labs_learns_the_weights_anew() -> None:
    index = LabIndex.fit(LABS)
    index.replace(LabDoc("new", "Large vision models (LVMs).", ()))
    fresh = LabIndex.fit(map(index.lab, index.keys()))
    assert fresh.keys() == index.keys()
    assert fresh.rank(QUERIES[0]) == LabIndex.fit([*LABS, LabDoc("new", "Large vision models (LVMs).", ())]).rank(
        QUERIES[0]
    )
    assert fresh.rank(Query([Topic("LVM")]))[0].lab == "new"


def test_every_answer_given_during_many_edits_is_that_of_an_index_from_scratch() -> None:
    dice = random.Random(11)  # noqa: S311 - the same choice in every run
    labs = {f"lab{number:02d}": random_lab(f"lab{number:02d}", dice) for number in range(12)}
    index = LabIndex.fit(labs.values())
    queries = QUERIES[:3]
    answers: list[tuple[int, object]] = []
    stop = threading.Event()

    def ask(number: int) -> None:
        while not stop.is_set():
            answers.append((number % len(queries), index.rank(queries[number % len(queries)])))

    right = [[index.rank(query) for query in queries]]
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(EDITS):
        key = f"lab{dice.randrange(16):02d}"
        if key in labs and dice.random() < 0.3:
            del labs[key]
            index.remove(key)
        else:
            labs[key] = random_lab(key, dice)
            index.replace(labs[key])
        scratch = fitted_with_same_weights(index, list(labs.values()))
        right.append([scratch.rank(query) for query in queries])
        assert [index.rank(query) for query in queries] == right[-1]
    stop.set()
    for thread in threads:
        thread.join()
    assert answers
    assert all(any(answer == state[number] for state in right) for number, answer in answers)


def test_a_word_that_was_asked_for_in_vain_is_found_once_an_edit_brings_it() -> None:
    index = LabIndex.fit([LabDoc("base", "Graph caches.", [WorkDoc("w", "Graph caches", "")])])
    index.replace(LabDoc("one", "Robots that walk.", [WorkDoc("w", "Robots that walk", "")]))
    query = Query([Topic("quokkadb")])
    assert index.rank(query) == []
    index.replace(LabDoc("two", "We build quokkadb.", [WorkDoc("w", "quokkadb", "")]))
    assert [match.lab for match in index.rank(query)] == ["two"]
    resume = Query(resume="I wrote QuokkaDB and nothing else.")
    assert [match.lab for match in index.rank(resume)] == ["two"]
