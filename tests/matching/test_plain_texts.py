"""Sentences in plain words: the terms for two phrases of concepts outweigh the ordinary words of the sentence."""

from __future__ import annotations

import math
from functools import cache

import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, WorkDoc

CONCEPTS = [
    Concept(("graphics card",), ("GPU",), "The same.", "a test", 0.5),
    Concept(("crooked lines",), ("nonlinear regression",), "The same.", "a test", 0.5),
    Concept(("neighbours exchange", "take turns"), ("gossip",), "They often are.", "a test", 0.45),
    Concept(("IMU",), ("inertial measurement",), "Two forms of one term.", "a test", 1.0),
    Concept(("inertial measurement",), ("IMU",), "Two forms of one term.", "a test", 1.0),
]
LABS = [
    LabDoc("gpu", "", [WorkDoc("w", "Kernels on a GPU", "Why it is cheap. IMU signals, gossip.")]),
    LabDoc("cheap", "", [WorkDoc("w", "Cheap glass", "")]),
]


def weight_of_gpu(text: str, *, over: str = "cheap") -> float:
    """How much the added "GPU" makes of the match, in times of an ordinary word that the same work has."""
    terms = LabIndex.fit(LABS, concepts=CONCEPTS).explain(Query([Topic(text)], correct_spelling=False), "gpu").terms
    shares = {term.term: term.share for term in terms}
    return shares["GPU"] / shares[over]


@cache
def weight_by_one_phrase() -> float:
    return weight_of_gpu("a cheap graphics card for somebody who follows hidden lines")


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("a cheap graphics card for somebody who follows crooked lines", 2),
        ("a cheap graphics card and another graphics card for the lines", 1 + math.log(2)),  # one phrase, twice
        ("cheap graphics card, crooked lines", 1),  # a topic
        ("cheap graphics card, crooked lines" + " and lamps or chairs" * 10, 1),  # a statement
        ("a cheap graphics card for somebody who has an IMU", 1),  # the other of two forms of a term
    ],
)
def test_two_phrases_in_a_sentence_make_it_one_in_plain_words(text: str, times: float) -> None:
    assert weight_of_gpu(text) == pytest.approx(times * weight_by_one_phrase(), rel=0.2)


def test_what_two_forms_of_a_term_bring_is_not_changed_by_phrases_beside_it() -> None:
    text = "a cheap IMU and a graphics card for somebody who follows {} lines"
    assert weight_of_gpu(text.format("crooked"), over="IMU") == pytest.approx(
        2 * weight_of_gpu(text.format("hidden"), over="IMU"), rel=0.2
    )


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("neighbours exchange gifts", set()),
        ("neighbours exchange gifts and take turns", set()),
        ("neighbours exchange graphics cards", {"gossip", "GPU"}),
        ("an IMU that neighbours exchange", set()),  # two forms of a term are no plain words
    ],
)
def test_a_weak_concept_counts_only_beside_a_stronger_one(text: str, added: set[str]) -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    terms = index.explain(Query([Topic(text)], correct_spelling=False), "gpu").terms
    assert {term.term for term in terms if term.source == "concept" and term.via != "IMU"} == added
