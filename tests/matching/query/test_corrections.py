from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import Concept, Correction, LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.words import sentences
from portal.matching.query.expansion import _word_counts
from tests.matching.corpus import LABS


def test_misspelt_words_are_read_as_meant_and_can_be_left_alone() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("fedrated lerning")], "kernal density")
    assert index.corrections(query) == (
        Correction("fedrated", "federated"),
        Correction("lerning", "learning"),
        Correction("kernal", "kernel"),
    )
    assert index.rank(query)[0].lab == "federated"
    as_typed = Query([Topic("fedrated lerning")], correct_spelling=False)
    assert index.corrections(as_typed) == ()
    assert index.rank(as_typed) == []


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("Baocheng Sun", ()),
        ("I would like to learn from Kerstin Schedler", ()),
        ("Schedler", ("scheduler",)),  # alone, with small letters, or where it makes a known pair
        ("schedler sun", ("scheduler",)),
        ("Kernal Density Okonkwo", ("kernel",)),
        ("Schedler Optimizaton", ("scheduler", "optimization")),
    ],
)
def test_what_may_be_part_of_a_persons_name_is_not_corrected(text: str, corrected: tuple[str, ...]) -> None:
    labs = [LabDoc("lab", "", (WorkDoc("w", "A scheduler", "Batching by kernel density. Optimization."),))]
    corrections = LabIndex.fit(labs).corrections(Query([Topic(text)]))
    assert tuple(correction.used for correction in corrections) == corrected


def test_words_that_occur_are_never_corrected() -> None:
    index = LabIndex.fit([*LABS, LabDoc("typo", "A kernal of corn.", ())])
    assert index.corrections(Query([Topic("kernal")])) == ()
    assert index.corrections(Query(resume="fedrated lerning")) == ()


def test_of_equally_near_words_the_one_that_fits_its_neighbours_is_taken() -> None:
    labs = [
        LabDoc("a", "", (WorkDoc("w", "Online bipartite matching", ""),)),
        LabDoc("b", "", tuple(WorkDoc(f"w{n}", "A machine", "machine") for n in range(5))),
    ]
    assert LabIndex.fit(labs).corrections(Query([Topic("bipartite maching")])) == (Correction("maching", "matching"),)


def test_what_is_too_long_to_be_a_word_is_not_mended() -> None:
    index = LabIndex.fit(LABS)
    assert index.corrections(Query([Topic("federatedlearning " + "federatedlearning" * 4)])) == (
        Correction("federatedlearning", "federated learning"),
    )


NAMED = LabDoc(
    "named",
    "We serve models at the edge, trace workloads and recognise images.",
    (WorkDoc("n", "Serving at the edge", "We trace workloads.", systems=("CocktailSGD", "JellyBean", "PlinyCompute")),),
)


@pytest.mark.parametrize(
    ("typed", "used"),
    [
        ("cocktial sgd", "cocktailsgd"),
        ("plinny compute", "plinycompute"),
        ("jellybeen", "jellybean"),
        ("jellybeen workloads", "jellybean"),
    ],
)
def test_a_name_with_a_slip_is_known_written_in_two_or_made_of_common_words(typed: str, used: str) -> None:
    index = LabIndex.fit([NAMED, *LABS])
    assert [correction.used for correction in index.corrections(Query([Topic(typed)]))] == [used]
    assert index.rank(Query([Topic(typed)]))[0].lab == "named"


@pytest.mark.parametrize("typed", ["JellyBean vs", "cocktail and", "zorbal sgd", "computing jelly beans", "beanstalk"])
def test_what_stands_beside_a_name_or_is_far_from_one_stays(typed: str) -> None:
    index = LabIndex.fit([NAMED, *LABS])
    assert index.corrections(Query([Topic(typed)])) == ()


def test_two_long_words_of_the_labs_or_a_phrase_of_a_concept_are_read_apart() -> None:
    concept = Concept(("image recognition",), ("images",), "Images are recognised.", "the tests")
    index = LabIndex.fit([NAMED, *LABS], concepts=[concept])
    for typed, used in (
        ("workloadserving", "workload serving"),
        ("imagerecognition", "image recognition"),
        ("understand", None),
        ("zebraserving", None),
    ):
        assert index.corrections(Query([Topic(typed)])) == ((Correction(typed, used),) if used else ())


def test_verbs_with_not_and_two_small_words_stay() -> None:
    lab = LabDoc("words", "It should need what does overall serve.", ())
    index = LabIndex.fit([lab, *LABS])
    for text in ("this shouldn't, needn't and doesn't matter", "spread over all clients"):
        assert index.corrections(Query([Topic(text)])) == ()


def test_words_written_together_with_a_small_word_between_are_read_apart() -> None:
    index = LabIndex.fit([LabDoc("moe", "We route a mixture of experts.", ()), *LABS])
    assert index.corrections(Query([Topic("mixtureofexperts")])) == (
        Correction("mixtureofexperts", "mixture of experts"),
    )
    assert index.corrections(Query([Topic("mixtureinexport")])) == ()


@pytest.mark.parametrize(
    ("typed", "used"),
    [
        ("mixtureof experts", Correction("mixtureof", "mixture of")),
        ("Mixture ofexperts", Correction("ofexperts", "of experts")),
        ("mixtureof paints", None),
        ("stateof the mixture", None),
    ],
)
def test_a_word_written_together_with_the_small_one_beside_it_is_read_apart(
    typed: str, used: Correction | None
) -> None:
    index = LabIndex.fit([LabDoc("moe", "We route a state-of-the-art mixture-of-experts.", ()), *LABS])
    assert index.corrections(Query([Topic(typed)])) == ((used,) if used else ())


def test_a_4_between_two_known_words_is_read_as_for() -> None:
    index = LabIndex.fit([LabDoc("l", "Learning and databases, databases and learning", ())])
    assert index.corrections(Query([Topic("Learning4Databases")])) == (
        Correction("Learning4Databases", "learning for databases"),
    )
    assert [match.lab for match in index.rank(Query([Topic("Learning4Databases")]))] == ["l"]
    for other in ("learning4and", "learning4", "4databases", "learning4x", "learning4ducks", "learning4and4databases"):
        assert index.corrections(Query([Topic(other)])) == ()


def test_a_word_and_a_misspelt_one_are_read_as_the_word_that_they_are_together() -> None:
    work = WorkDoc("w", "Robust autoscaling of servers", "Autoscaling adapts to load, scaling in and out.")
    index = LabIndex.fit([LabDoc("a", "", (work,))])
    assert index.corrections(Query([Topic("auto scalling")])) == (Correction("auto scalling", "autoscaling"),)
    assert index.corrections(Query([Topic("auto, scalling")])) == (Correction("scalling", "scaling"),)
    assert index.corrections(Query([Topic("robust scalling")])) == (Correction("scalling", "scaling"),)
    ((_, explained),) = index.rank_explained(Query([Topic("auto scalling")]))
    assert [(term.term, term.via) for term in explained.terms] == [("autoscaling", "auto scalling")]


CHUNKS = st.sampled_from(["KV", "cache", "Kernel's", "fine-tuning", "C++", "e.g.", "v1.5", "naïve", "模型", "a", "NET"])


@given(st.lists(st.lists(CHUNKS, max_size=5).map(" ".join), max_size=5))
def test_the_words_of_concepts_are_counted_as_any_text_is_cut(phrases: list[str]) -> None:
    words = [word.form for phrase in phrases for sentence in sentences(phrase) for word in sentence.words]
    assert _word_counts(phrases) == Counter(words)
