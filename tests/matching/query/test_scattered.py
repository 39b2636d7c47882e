"""Sentences in plain words that contain words of a concept's phrases, but none of the phrases."""

from __future__ import annotations

import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.stemming import stem
from portal.matching.query.reading import read
from portal.matching.query.scattered import ScatteredWords

CONCEPTS = (
    Concept(
        ("guess the next words", "check the draft", "several guesses at once"),
        ("speculative decoding",),
        "So.",
        "a test",
    ),
    Concept(("share the draft", "nobody waits", "a fair turn"), ("fair scheduling",), "So.", "a test"),
    Concept(("draft guess words", "LoRA"), ("low-rank adaptation",), "Two forms of one term.", "a test", 1.0),
)
LABS = [
    LabDoc("decoding", "", [WorkDoc("w", "Speculative decoding", "Drafts of long texts are verified.")]),
    LabDoc("scheduling", "", [WorkDoc("w", "Fair scheduling", "Clients of long texts get a share.")]),
    LabDoc("checks", "", [WorkDoc("w", "Checks", "We check guesses for lamps.")]),
]


def added(text: str) -> dict[str, str]:
    """What concepts add to the match of a text with its first lab: the terms with what they stand for."""
    ranked = LabIndex.fit(LABS, concepts=CONCEPTS).rank_explained(Query([Topic(text)], correct_spelling=False), 1)
    return {term.term: term.via for _, why in ranked for term in why.terms if term.source == "concept"}


def test_three_words_of_a_concepts_phrases_bring_its_terms_and_say_for_what() -> None:
    assert added("some words are guessed and the draft is checked at once")["speculative decoding"] == (
        "words … guessed … draft … checked"
    )


@pytest.mark.parametrize(
    "text",
    [
        "some words are there and that is all there is",  # one word of the phrases
        "words, guess, draft, check, next",  # a topic
        "some words are guessed and the draft is checked, while gardeners sleep",  # about something unknown
        "words guessed | the draft that is checked next is there",  # pieces of a page
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert not added(text)


def test_beside_a_phrase_of_a_concept_there_may_be_unknown_words() -> None:
    text = "nobody waits while gardeners guess and words of the draft are checked"
    assert added(text)["speculative decoding"] == "guess … words … draft … checked"


def test_the_nearest_concept_is_taken_and_two_forms_of_a_term_are_none() -> None:
    words = ScatteredWords(CONCEPTS)
    nearest = words.nearest([stem(word) for word in "nobody waits for the draft when turns are fair".split()])  # noqa: SIM905
    assert nearest is not None
    assert nearest.terms == ("fair scheduling",)
    assert nearest.keys >= {"wait", "draft", "turn", "fair"}
    assert words.nearest([stem("draft"), stem("lora"), stem("guess")]) is None
    assert words.knows(stem("draft"))
    assert not words.knows(stem("lora"))
    assert words.nearest([]) is None


def test_the_concepts_near_a_text_come_with_their_cosines_nearest_first() -> None:
    near = ScatteredWords(CONCEPTS).near(list(map(stem, ("waiting", "drafts", "shared"))), 8)
    assert [concept.terms for concept in near] == [("fair scheduling",), ("speculative decoding",)]
    assert 1 > near[0].cosine > near[1].cosine > 0
    assert ScatteredWords(CONCEPTS).near([stem("gardeners")], 8) == []
    assert ScatteredWords(CONCEPTS).near([], 8) == []


def test_a_text_with_a_pair_of_a_labs_own_words_is_not_in_plain_words() -> None:
    known, reading = ScatteredWords(CONCEPTS), read("words are guessed and drafts of long texts are checked at once")
    keys = [word.key for word in reading.words]
    assert known.nearest_to(reading, keys, lambda _: True, has_phrase=True) is None
    assert known.nearest_to(reading, keys, {"long", "text"}.__contains__, has_phrase=True) is not None
