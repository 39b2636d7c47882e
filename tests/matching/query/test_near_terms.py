"""Concepts near to a text by the words of their phrases add terms with little weight, and far ones weigh less."""

from __future__ import annotations

import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.stemming import stem
from portal.matching.query.added import Added, AddedTerm
from portal.matching.query.near_terms import near_terms, weighed_by_nearness
from portal.matching.query.reading import read
from portal.matching.query.scattered import NearConcept

TREES = Concept(
    ("explore branches", "answers that fork", "a common beginning"), ("tree attention", "decoding"), "So.", "a test"
)
PREFIXES = Concept(("the beginning again", "answers to many"), ("prefix cache", "decoding"), "So.", "a test")
SHARING = Concept(("sharing beginnings", "nobody gives"), ("federated learning",), "So.", "a test")
LABS = [
    LabDoc("trees", "", [WorkDoc("t", "Tree attention", "Decoding of trees is made fast.")]),
    LabDoc("federated", "", [WorkDoc("f", "Federated learning", "Clients learn together.")]),
]
FORKS = "answers fork at a common beginning, whatever people type"


def added(text: str, *concepts: Concept) -> dict[str, str]:
    """What concepts add to the match of a text with its first lab: the terms with what they stand for."""
    index = LabIndex.fit(LABS, concepts=concepts)
    found = index.rank_explained(Query([Topic(text)], correct_spelling=False), 1)
    return {term.term: term.via for _, why in found for term in why.terms if term.source == "concept"}


def no_lab_uses(_key: str) -> bool:
    return False


def test_a_term_is_as_strong_as_all_its_concepts_are_near() -> None:
    words = [
        frozenset(map(stem, text.split())) for text in ("answers fork beginning", "answers beginning", "people type")
    ]
    near = [
        NearConcept(TREES.terms, 0.4, words[0]),
        NearConcept(PREFIXES.terms, 0.3, words[1]),
        NearConcept(SHARING.terms, 0.19, words[2]),  # not near enough
        NearConcept(("tables",), 0.3, frozenset({"fork"})),  # a single word
    ]
    found = list(near_terms(near, read(FORKS), [], no_lab_uses))
    assert [(addition.terms[-1].written, round(addition.strength, 3)) for addition in found] == [
        ("decoding", 0.5),  # of both: the root of 0.4² + 0.3² is 0.5
        ("tree attention", 0.32),
        ("prefix cache", 0.18),
    ]
    assert found[0].via == "answers … fork … beginning"
    assert found[2].via == "answers … beginning"
    assert list(near_terms([], read(FORKS), [], no_lab_uses)) == []


def test_a_near_concept_brings_its_lab_with_the_words_that_it_stands_for() -> None:
    found = added("answers fork where the trees are made", TREES, SHARING)
    assert found["tree attention"] == "answers … fork"


@pytest.mark.parametrize(
    "text",
    [
        "answers fork here",  # a topic
        "answers fork | whatever the people type next is there",  # pieces of a page
        "answers fork while gardeners of the castle sleep",  # something unknown, and no phrase
    ],
)
def test_other_texts_get_no_terms_of_near_concepts(text: str) -> None:
    concepts = Concept(("answers now", "forks later"), ("tree attention",), "So.", "a test"), SHARING
    assert not added(text, *concepts)


@pytest.mark.parametrize(
    ("text", "pairs", "adds"),
    [
        ("fork all the answers of people", (), True),
        ("fork all the answers of people", ("forkansw",), False),  # one plain word of three
        ("fork the answers of people that begin", ("forkansw",), True),  # two of four
        ("FORKs of people’s ANSWERs", (), False),  # the others are written as abbreviations
    ],
)
def test_a_text_in_the_terms_of_labs_gets_no_terms_of_near_concepts(
    text: str, pairs: tuple[str, ...], *, adds: bool
) -> None:
    near = [NearConcept(TREES.terms, 0.4, frozenset(map(stem, ("answers", "fork", "beginning"))))]
    assert bool(list(near_terms(near, read(text), [], pairs.__contains__))) == adds


def test_a_near_concept_shares_a_plain_word() -> None:
    near = [NearConcept(TREES.terms, 0.4, frozenset(map(stem, ("tree", "attention"))))]
    text = read("tree attention where people of many countries type")
    assert list(near_terms(near, text, [], no_lab_uses))
    assert not list(near_terms(near, text, [], {"treeattent"}.__contains__))


def test_in_a_long_text_a_concept_beside_the_point_weighs_less() -> None:
    phrase = Added((AddedTerm("client", "clients", "word"),), ("share",), "sharing", "concept", 0.8)
    same = Added((AddedTerm("gpu", "GPU", "word"),), ("card",), "cards", "concept", 1.0)  # two forms of one term
    near = [NearConcept(TREES.terms, 0.4, frozenset()), NearConcept(("client",), 0.2, frozenset())]
    assert [found.strength for found in weighed_by_nearness([phrase, same], near)] == pytest.approx([0.6, 1.0])
    assert [found.strength for found in weighed_by_nearness([phrase], near[:1])] == pytest.approx([0.4])
    assert weighed_by_nearness([phrase], []) == [phrase]


@pytest.mark.parametrize(
    ("cosine", "used", "phrase", "strength", "adds"),
    [
        (0.4, {"answer", "fork"}, (), 0.9, True),  # labs have all words, and the concept is quite near
        (0.3, {"answer", "fork"}, (), 0.9, False),  # which two words soon are
        (0.4, {"answer"}, (), 0.9, False),  # it may be about something else
        (0.3, {"gpu"}, ("type",), 0.9, True),  # a phrase: it is of the field
        (0.3, {"ram"}, ("type",), 0.9, False),  # but it brings nothing that labs have
        (0.4, {"gpu"}, ("answer", "fork"), 0.9, False),  # a phrase says it already
        (0.4, {"gpu"}, ("answer", "type"), 1.0, False),  # or a long form and one word
    ],
)
def test_a_text_of_few_words_gets_less(
    cosine: float, used: set[str], phrase: tuple[str, ...], strength: float, *, adds: bool
) -> None:
    near = [NearConcept(TREES.terms, cosine, frozenset(map(stem, ("answers", "fork", "beginning"))))]
    text = read("fork type answers" if phrase else "fork answers")
    addition = Added((AddedTerm("gpu", "GPU", "word"),), phrase, "", "concept", strength)
    additions = [addition] if phrase else []
    assert bool(list(near_terms(near, text, additions, used.__contains__))) == adds
