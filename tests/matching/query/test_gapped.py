"""Phrases of concepts with one more word in the query."""

from __future__ import annotations

import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, WorkDoc

CONCEPTS = [
    Concept(("graphics card", "share the work", "deep learning", "spread model"), ("GPU",), "The same.", "a test"),
    Concept(("IMU",), ("inertial measurement",), "Two forms of one term.", "a test", 1.0),
    Concept(("inertial measurement",), ("IMU",), "Two forms of one term.", "a test", 1.0),
]
LABS = [
    LabDoc("gpu", "", [WorkDoc("w", "Kernels on a GPU", "A GPU is a device.")]),
    LabDoc("deep", "", [WorkDoc("w", "Deep learning of residuals", "")]),
    LabDoc("imu", "", [WorkDoc("w", "IMU signals", "")]),
]


@pytest.fixture(scope="module")
def index() -> LabIndex:
    return LabIndex.fit(LABS, concepts=CONCEPTS)


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("an old graphics card at home", "graphics card"),
        ("an old graphics gaming card at home", "graphics gaming card"),
        ("who will share all the work", "share all the work"),
        ("to spread a model", "spread a model"),
        ("to spread all of the model", "spread all of the model"),
        ("an old graphics gaming card that I own", "graphics gaming card"),
        ("to spread such a very big model", "spread such a very big model"),
    ],
)
def test_one_more_word_may_stand_in_a_phrase_and_is_shown(index: LabIndex, text: str, via: str) -> None:
    terms = index.explain(Query([Topic(text)], correct_spelling=False), "gpu").terms
    assert [(term.term, term.source, term.via) for term in terms] == [("GPU", "concept", via)]


@pytest.mark.parametrize(
    "text",
    [
        "an old graphics gaming home card",  # two words
        "a graphics-gaming card",  # one word with a hyphen
        "graphics, gaming card",
        "deep residual learning",  # two words of which a lab has the pair
        "inertial unit measurement",  # one of two forms of a term
        "graphics | card",
        "spread all of the big model",  # two words that are not small
        "spread such, a model",
        "spread all of the model " + "and lamps on tables " * 6,  # small words, in what is no sentence
        "card graphics",
        "lamps and tables and " * 70 + "graphics gaming card",  # long as a resume
    ],
)
def test_what_is_no_phrase_of_plain_words_brings_nothing(index: LabIndex, text: str) -> None:
    for lab in LABS:
        terms = index.explain(Query([Topic(text)], correct_spelling=False), lab.key).terms
        assert not [term.via for term in terms if term.source == "concept"]
