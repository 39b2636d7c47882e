"""Labs in two dimensions: the same map from any order, for no lab and for thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.lab_terms import lab_vectors, topic_map
from portal.matching.topic_map import NO_DIRECTION, Point, TopicMap, lay_out
from tests.matching.corpus import LABS, corpora

if TYPE_CHECKING:
    import random


def lab(key: str, profile: str, *titles: str) -> LabDoc:
    return LabDoc(key, profile, [WorkDoc(f"{key}-{n}", title, "") for n, title in enumerate(titles)])


SERVING = [lab(f"serving-{n}", "LLM serving on GPU clusters", f"Batching number {n}") for n in range(5)]
PRIVACY = [lab(f"privacy-{n}", "Federated learning and differential privacy", f"Clients {n}") for n in range(5)]
FIELDS = [*SERVING, *PRIVACY]


def random_rows(labs: int, terms: int, seed: int) -> scipy.sparse.csr_matrix:
    return scipy.sparse.random(labs, terms, 0.02, format="csr", rng=np.random.default_rng(seed))


def names(count: int, kind: str) -> list[str]:
    return [f"{kind}-{number:05d}" for number in range(count)]


def distance(labs_map: TopicMap, first: str, second: str) -> float:
    return labs_map.places[first].distance(labs_map.places[second])


def test_no_lab_gives_an_empty_map() -> None:
    labs_map = topic_map([])
    assert labs_map == TopicMap({}, (), NO_DIRECTION, NO_DIRECTION)
    assert labs_map.place({"gone": 0.5}) is None
    assert labs_map.nearest(Point(0, 0), 5) == []


def test_one_lab_stands_in_the_middle() -> None:
    labs_map = topic_map([LABS[0]])
    assert labs_map.places == {"federated": Point(0.0, 0.0)}
    assert labs_map.across == labs_map.up == NO_DIRECTION
    assert labs_map.place({"federated": 0.2}) == Point(0.0, 0.0)


def test_two_labs_stand_at_the_ends_of_a_line() -> None:
    labs_map = topic_map(LABS[:2])
    assert {point.x for point in labs_map.places.values()} == {-1.0, 1.0}
    assert {point.y for point in labs_map.places.values()} == {0.0}
    assert labs_map.across.low
    assert labs_map.across.high
    assert labs_map.up == NO_DIRECTION


@pytest.mark.parametrize("count", [3, 4])
def test_a_few_labs_use_both_directions(count: int) -> None:
    labs_map = topic_map([*LABS, lab("graphs", "Graph neural networks", "Sampling of graphs")][:count])
    assert len(set(labs_map.places.values())) == count
    assert {min(point[axis] for point in labs_map.places.values()) for axis in (0, 1)} == {-1.0}
    assert {max(point[axis] for point in labs_map.places.values()) for axis in (0, 1)} == {1.0}


def test_labs_of_a_field_stand_together_and_its_words_name_the_end() -> None:
    labs_map = topic_map(FIELDS)
    within = max(distance(labs_map, "serving-0", lab_doc.key) for lab_doc in SERVING)
    between = min(distance(labs_map, "serving-0", lab_doc.key) for lab_doc in PRIVACY)
    assert within < between
    by_end = {labs_map.places["serving-0"].x < 0: "serving", labs_map.places["privacy-0"].x < 0: "privacy"}
    assert by_end[True] in " ".join(labs_map.across.low).casefold()
    assert by_end[False] in " ".join(labs_map.across.high).casefold()
    assert not set(labs_map.across.low) & set(labs_map.across.high)


def test_labs_that_say_the_same_stand_on_one_point() -> None:
    labs_map = topic_map([lab(f"lab-{n}", "Queues and stacks") for n in range(4)])
    assert set(labs_map.places.values()) == {Point(0.0, 0.0)}
    with_another = topic_map([lab("a", "Queues"), lab("b", "Queues"), lab("c", "Proteins")])
    assert with_another.places["a"] == with_another.places["b"] != with_another.places["c"]


def test_labs_without_works_and_labs_without_a_word() -> None:
    labs_map = topic_map([*FIELDS, lab("profile-only", "LLM serving"), lab("empty", ""), lab("stop words", "of the")])
    assert labs_map.unplaced == ("empty", "stop words")
    assert distance(labs_map, "profile-only", "serving-0") < distance(labs_map, "profile-only", "privacy-0")


@pytest.mark.parametrize("terms", [1, 2, 300])
def test_many_labs_that_hardly_differ_stand_on_as_few_points(terms: int) -> None:
    one_term_each = np.eye(terms)[np.arange(300) % 2 if terms > 1 else np.zeros(300, dtype=int)]
    plane = lay_out(names(300, "lab"), scipy.sparse.csr_matrix(one_term_each), names(terms, "term"))
    assert len(plane.places) == 300
    assert set(plane.places.values()) == ({Point(-1, 0), Point(1, 0)} if terms > 1 else {Point(0, 0)})


def test_a_lab_on_a_map_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="once"):
        topic_map([LABS[0], LABS[0]])
    with pytest.raises(ValueError, match="2 labs and 1 terms"):
        lay_out(["a", "b"], np.ones((3, 1)), ["t"])


@given(corpora, st.randoms())
def test_the_order_of_labs_does_not_matter(labs: list[LabDoc], chance: random.Random) -> None:
    shuffled = chance.sample(labs, len(labs))
    assert topic_map(labs) == topic_map(shuffled)


@given(corpora)
def test_every_lab_is_placed_in_the_frame_or_told_to_say_nothing(labs: list[LabDoc]) -> None:
    labs_map = topic_map(labs)
    assert sorted([*labs_map.places, *labs_map.unplaced]) == sorted(lab_doc.key for lab_doc in labs)
    assert all(-1 <= value <= 1 for point in labs_map.places.values() for value in point)


@pytest.mark.parametrize("count", [500, 5_000])
def test_many_labs_are_placed_alike_from_any_order_of_labs_and_terms(count: int) -> None:
    rows, keys, terms = random_rows(count, 400, seed=count), names(count, "lab"), names(400, "term")
    chance = np.random.default_rng(1)
    labs, columns = chance.permutation(count), chance.permutation(400)
    plane = lay_out(keys, rows, terms)
    other = lay_out([keys[at] for at in labs], rows[labs][:, columns], [terms[at] for at in columns])
    assert plane.places == other.places
    assert plane.unplaced == other.unplaced
    assert len(plane.places) + len(plane.unplaced) == count
    assert all(-1 <= value <= 1 for point in plane.places.values() for value in point)


def test_iteration_and_the_whole_decomposition_give_the_same_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = lab_vectors([*FIELDS, *LABS])
    whole = lay_out(*vectors)
    monkeypatch.setattr("portal.matching.topic_map._DENSE_UP_TO", 1)
    iterated = lay_out(*vectors)
    for key, point in whole.places.items():
        assert iterated.places[key] == pytest.approx(point, abs=1e-4)


def test_the_strongest_term_of_each_direction_is_positive() -> None:
    plane = lay_out(*lab_vectors(FIELDS))
    assert (plane.loads.max(axis=1) >= -plane.loads.min(axis=1) - 1e-6).all()


def test_a_query_stands_at_the_lab_it_fits_alone_and_between_those_it_fits_alike() -> None:
    labs_map = TopicMap({"a": Point(-1, 0), "b": Point(1, 0), "c": Point(0, 1)})
    assert labs_map.place({"a": 0.01}) == Point(-1, 0)
    assert labs_map.place({"a": 0.2, "b": 0.2}) == Point(0, 0)
    nearer = labs_map.place({"a": 0.2, "b": 0.1})
    assert nearer is not None
    assert nearer.x < -0.5
    assert [key for key, _ in labs_map.nearest(nearer, 2)] == ["a", "c"]
    assert labs_map.nearest(nearer, 1)[0][1] == pytest.approx(nearer.distance(Point(-1, 0)))


def test_a_query_with_no_known_word_has_no_place() -> None:
    index = LabIndex.fit(FIELDS)
    labs_map = topic_map(FIELDS)
    for text in ("zyzzyva", "", "medieval poetry"):
        assert labs_map.place({match.lab: match.score for match in index.rank(Query([Topic(text)]))}) is None
    assert labs_map.place({"serving-0": 0.0}) is None
    assert labs_map.place({"a lab that came later": 0.5}) is None


def test_a_query_stands_among_the_labs_of_its_field() -> None:
    index = LabIndex.fit(FIELDS)
    labs_map = topic_map(FIELDS)
    place = labs_map.place({match.lab: match.score for match in index.rank(Query([Topic("serving on GPU clusters")]))})
    assert place is not None
    assert {key.partition("-")[0] for key, _ in labs_map.nearest(place, 5)} == {"serving"}


def test_chinese_words_name_ends_too() -> None:
    labs_map = topic_map([lab("zh", "联邦学习", "联邦学习"), lab("en", "Compilers", "Compilers of kernels")])
    assert any("联" in name or "学" in name for name in (*labs_map.across.low, *labs_map.across.high))
