"""A system that is named in a short text outweighs the other words of the text."""

from __future__ import annotations

import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, WorkDoc

LABS = (
    LabDoc(
        "field",
        "",
        [
            WorkDoc("a", "Deep learning systems on clusters", "We build systems for deep learning."),
            WorkDoc("b", "Deep learning at scale", "Training of deep models."),
            WorkDoc("c", "Surveying systems", "A survey of systems in use."),
        ],
    ),
    LabDoc(
        "named",
        "",
        [
            WorkDoc(
                "g", "Galvatron", "It trains models with parallel layers for deep learning.", systems=("Galvatron",)
            ),
            WorkDoc("h", "Queues of tables", "Tables and queues."),
            WorkDoc("k", "Storage of graphs", "Graphs on disk."),
        ],
    ),
    LabDoc("proteins", "", [WorkDoc("p", "Folding of proteins", "Proteins fold in cells.")]),
)


@pytest.fixture(scope="module")
def index() -> LabIndex:
    return LabIndex.fit(LABS)


def ranked(index: LabIndex, text: str) -> list[str]:
    return [match.lab for match in index.rank(Query([Topic(text)]))]


def test_the_lab_of_a_system_comes_before_labs_that_have_the_words_beside_its_name(index: LabIndex) -> None:
    assert ranked(index, "deep learning system") == ["field", "named"]
    assert ranked(index, "Galvatron deep learning system") == ["named", "field"]
    (first, *_) = index.explain(Query([Topic("Galvatron deep learning system")]), "named").terms
    assert first.term == "Galvatron"


def test_a_name_carries_no_lab_that_has_nothing_of_the_rest(index: LabIndex) -> None:
    assert ranked(index, "Galvatron proteins") == ["proteins"]
    assert ranked(index, "Galvatron statues of marble") == []


def test_two_words_of_the_labs_show_that_a_name_within_a_text_is_meant(index: LabIndex) -> None:
    assert ranked(index, "a survey at scale of Galvatron")[0] == "named"
    assert ranked(index, "Galvatron survey at scale") == ["field"]  # its capital may be that of the first word
    assert ranked(index, "a survey of Galvatron") == ["field"]


def test_a_name_outweighs_what_concepts_add_for_the_words_beside_it() -> None:
    of_phones = Concept(("phones",), ("clients at the edge", "edge devices", "federated clients"), "They are.", "test")
    phones = [WorkDoc(f"p{place}", "Federated clients at the edge", "Edge devices.") for place in range(3)]
    words = " ".join(f"word{place}" for place in range(10))
    named = [WorkDoc("n", "Tables", f"FlexGen fills tables. {words}", systems=("FlexGen",)), WorkDoc("m", words, "")]
    concerned = LabIndex.fit([LabDoc("edge", "", phones), LabDoc("tables", "", named)], concepts=[of_phones])
    assert ranked(concerned, "tables on phones") == ["edge"]
    assert ranked(concerned, "FlexGen on phones") == ["tables", "edge"]


def test_a_name_in_capitals_beside_words_of_another_field_is_another_abbreviation() -> None:
    vtc = LabDoc("fair", "", [WorkDoc("v", "Fair queues", "VTC counts tokens.", systems=("VTC",))])
    concerned = LabIndex.fit([*LABS, vtc])
    assert ranked(concerned, "VTC, Vocational Training Council") == []
    assert ranked(concerned, "the council (VTC)") == ["fair"]
    assert ranked(concerned, "VTC, fair queues of tokens") == ["fair"]


def test_in_a_long_text_a_name_is_one_word_among_others(index: LabIndex) -> None:
    text = "I build a deep learning system like Galvatron. Deep learning systems on clusters are what I study in depth."
    assert ranked(index, text)[0] == "field"


def test_a_concept_for_one_of_few_words_carries_no_text_whose_others_are_of_another_field() -> None:
    concepts = [Concept(("Kubernetes",), ("clusters",), "It runs them.", "the test")]
    concerned = LabIndex.fit(LABS, concepts=concepts)
    assert ranked(concerned, "Kubernetes") == ["field"]
    assert ranked(concerned, "Kubernetes salary negotiation for nurses") == []
    assert ranked(concerned, "Kubernetes salary systems") == ["field"]
    assert ranked(concerned, "Kubernetes bcachefs nvmeof drivers") == ["field"]  # words that may be of the field


def test_a_word_of_a_systems_name_is_as_unknown_as_any_of_another_field() -> None:
    parrot = LabDoc(
        "fl", "", [WorkDoc("x", "FedML Parrot", "Learning of behaviour at scale.", systems=("FedML Parrot",))]
    )
    assert ranked(LabIndex.fit([*LABS, parrot]), "FedML Parrot") == ["fl"]
    assert ranked(LabIndex.fit([*LABS, parrot]), "parrot behaviour and vocal learning") == []
    birds = LabDoc("birds", "", [WorkDoc("y", "Parrot calls", "A parrot calls.")])
    assert ranked(LabIndex.fit([*LABS, parrot, birds]), "parrot behaviour and vocal learning") != []


def test_common_words_that_labs_have_only_apart_need_a_better_match() -> None:
    def work(key: str, said: str) -> WorkDoc:
        return WorkDoc(key, said, " ".join(f"{key}{number}" for number in range(200)))

    apart = LabDoc("apart", "", [work("m", "Memory management"), work("p", "A project for maps")])
    together = LabDoc("together", "", [work("t", "Management of all that is behind a project")])
    query = Query([Topic("project management")])
    assert {match.lab for match in LabIndex.fit([apart, together]).rank(query)} == {"apart", "together"}
    assert LabIndex.fit([apart]).rank(query) == []
    assert LabIndex.fit([apart]).explain(query, "apart").score > 0.02
    assert LabIndex.fit([apart]).rank(Query([Topic("memory")])) != []


def test_a_short_form_of_common_words_that_labs_have_only_apart_needs_a_better_match_too() -> None:
    concepts = [Concept(("PM", "project management"), ("project management", "PM"), "The same.", "the test", 1.0)]
    filler = " ".join(f"w{number}" for number in range(260))
    apart = LabDoc("apart", "", [WorkDoc("m", "Memory management", filler), WorkDoc("p", "A project for maps", filler)])
    index = LabIndex.fit([apart], concepts=concepts)
    for text in ("PM", "project management"):
        assert index.rank(Query([Topic(text)])) == []
        assert index.explain(Query([Topic(text)]), "apart").score > 0.02
