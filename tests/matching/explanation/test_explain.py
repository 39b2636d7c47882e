from __future__ import annotations

import pytest
from hypothesis import given

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic, UnknownLab, WorkDoc, read_concepts
from tests.matching.corpus import FEDERATED, LABS, corpora, queries

CONCEPTS = read_concepts(
    """
    [[concept]]
    plain = ["video card"]
    terms = ["GPU clusters"]
    why = "A GPU is sold as a video card."
    added_by = "a test"
    """
)


@given(corpora, queries)
def test_shares_add_up_to_the_score(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs, concepts=CONCEPTS)
    for lab in labs:
        explanation = index.explain(query, lab.key)
        assert sum(term.share for term in explanation.terms) == pytest.approx(explanation.score, abs=1e-6)
        assert 0 <= explanation.score <= 1 + 1e-6


@pytest.mark.parametrize(
    "query",
    [
        Query(
            [Topic("large language model serving"), Topic("fedrated learning", 0.5)],
            "sparsity on a video card",
            "KV cache",
        ),
        Query([Topic("MoE LLM")], resume="I know kernel density estimation"),
        Query([Topic("Hydra")], facets={"place": ("Zurich",)}),
    ],
)
def test_shares_add_up_with_expansions_corrections_and_concepts(query: Query) -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    for lab in LABS:
        explanation = index.explain(query, lab.key)
        assert sum(term.share for term in explanation.terms) == pytest.approx(explanation.score, abs=1e-6)


def test_every_term_says_where_it_came_from() -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    query = Query([Topic("LLM schedulng")], "batches on a video card", "throughput of accelerators")
    origins = {(term.term, term.source, term.via) for term in index.explain(query, "serving").terms}
    assert ("LLM", "topic", "") in origins
    assert ("language", "expansion", "LLM") in origins
    assert ("scheduling", "correction", "schedulng") in origins
    assert ("batches", "statement", "") in origins
    assert ("GPU", "concept", "video card") in origins
    assert ("throughput", "resume", "") in origins


def test_a_term_names_the_works_that_carry_it() -> None:
    index = LabIndex.fit(LABS)
    terms = {term.term: term.works for term in index.explain(Query([Topic("sparsity")]), "serving").terms}
    assert terms == {"sparsity": ("s2",)}


def test_evidence_is_the_sentence_that_matched_with_its_words_marked() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("meeting latency objectives")], "I like hiking. I want to build a scheduler for latency.")
    first = index.explain(query, "serving").evidence[0]
    assert first.work == "s1"
    assert first.sentence == "The scheduler meets latency objectives."
    assert [first.sentence[start:end] for start, end in first.spans] == ["scheduler", "meets latency objectives"]
    assert first.query_source == "topic"
    assert first.query_sentence == "meeting latency objectives"
    assert first.query_sentence[slice(*first.query_spans[0])] == "meeting latency objectives"


def test_a_work_that_has_what_was_typed_is_shown_before_one_that_has_what_was_added() -> None:
    works = (
        WorkDoc("added", "GPU clusters", ""),
        WorkDoc("typed", "Heat of a video card", "How warm a video card of a desktop gets, measured for a year."),
    )
    index = LabIndex.fit([LabDoc("lab", "", works)], concepts=CONCEPTS)
    evidence = index.explain(Query([Topic("video card")]), "lab").evidence
    assert [item.work for item in evidence] == ["typed", "added"]
    assert evidence[0].score < evidence[1].score


def test_of_works_that_share_as_much_with_a_query_the_one_that_a_near_concept_is_about_comes_first() -> None:
    works = (
        WorkDoc("near", "Text of a frugal kind", "An overview of studies on frugal drafting for text on desktops."),
        WorkDoc("far", "Text of a lavish kind", "An overview of texts."),
    )
    concepts = read_concepts(
        """
        [[concept]]
        plain = ["guess several words", "check guesses together"]
        terms = ["frugal drafting"]
        why = "Drafts are guesses."
        added_by = "a test"
        """
    )
    query = Query([Topic("guesses of text")])
    without_concepts, with_concepts = (
        LabIndex.fit([LabDoc("lab", "", works)], concepts=given_concepts).explain(query, "lab")
        for given_concepts in ((), concepts)
    )
    assert [item.work for item in without_concepts.evidence] == ["far", "near"]
    assert [item.work for item in with_concepts.evidence] == ["near", "far"]
    assert with_concepts.terms == without_concepts.terms


def test_the_words_behind_an_added_term_are_marked_in_the_query() -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    first = index.explain(Query(statement="LLM on my video card"), "serving").evidence[0]
    assert first.query_sentence == "LLM on my video card"
    assert "LLM" in [first.query_sentence[start:end] for start, end in first.query_spans]


def test_what_the_lab_says_of_itself_is_the_sentence_of_its_profile_that_matches_best() -> None:
    profile = "We like coffee. We recruit for inference on NPUs and TPUs.\n\nDatabases"
    index = LabIndex.fit([LabDoc("lab", profile, (WorkDoc("w", "Inference of models", "It is fast."),))])
    evidence = index.explain(Query([Topic("inference on NPUs")]), "lab").profile_evidence
    assert evidence is not None
    assert evidence.sentence == "We recruit for inference on NPUs and TPUs."
    assert [evidence.sentence[start:end] for start, end in evidence.spans] == ["inference on NPUs"]
    assert 0 < evidence.score < 1
    assert evidence.adds
    assert index.explain(Query([Topic("models")]), "lab").profile_evidence is None


def test_a_work_is_no_evidence_where_the_profile_says_far_more() -> None:
    filler = " ".join(f"w{number}" for number in range(100))
    lab = LabDoc("lab", "Dataset distillation.", (WorkDoc("w", "Traces", f"We publish a dataset. {filler}"),))
    index = LabIndex.fit([lab])
    planned = index.explain(Query([Topic("dataset distillation")]), "lab")
    assert planned.evidence == ()
    assert planned.profile_evidence is not None
    assert planned.profile_evidence.sentence == "Dataset distillation."
    assert [item.work for item in index.explain(Query([Topic("traces of a dataset")]), "lab").evidence] == ["w"]


def test_a_work_with_few_of_the_typed_words_is_none_either() -> None:
    """What concepts add for the others is in the profile alone."""
    concept = Concept(("dataset condensation of pictures",), ("dataset distillation",), "So.", "a test")
    filler = " ".join(f"w{number}" for number in range(100))
    lab = LabDoc("lab", "Dataset distillation.", (WorkDoc("w", "Traces", f"We publish a dataset. {filler}"),))
    explained = LabIndex.fit([lab], concepts=[concept]).explain(
        Query([Topic("dataset condensation of pictures")]), "lab"
    )
    assert explained.evidence == ()
    assert explained.profile_evidence is not None


def test_a_work_has_a_typed_long_form_where_it_has_the_short_one() -> None:
    same = Concept(("VLM", "vision language model"), ("VLM", "vision language model"), "So.", "a test", 1.0)
    filler = " ".join(f"w{number}" for number in range(8))
    works = (
        WorkDoc("words", "Training of language models", f"A language model of texts. {filler}"),
        WorkDoc("seeing", "Caches", f"We measure VLM benchmarks. {filler}"),
    )
    index = LabIndex.fit([LabDoc("lab", "", works)], concepts=[same])
    for text in ("VLM", "vision language model"):
        evidence = index.explain(Query([Topic(text)]), "lab").evidence
        assert evidence[0].work == "seeing", text


def test_an_entry_of_a_list_in_a_profile_is_quoted_without_its_bullet() -> None:
    lab = LabDoc(
        "lab", "We work on:\n- Hardware-friendly inference.\n- Sparse training.", [WorkDoc("w1", "Graphs", "")]
    )
    evidence = LabIndex.fit([lab]).explain(Query([Topic("sparse training")]), "lab").profile_evidence
    assert evidence is not None
    assert evidence.sentence == "Sparse training."
    assert [evidence.sentence[start:end] for start, end in evidence.spans] == ["Sparse training"]


def test_of_a_profile_the_sentence_with_what_no_work_has_comes_first() -> None:
    profile = "Inference of large models is what we do. We use NPUs."
    index = LabIndex.fit([LabDoc("lab", profile, (WorkDoc("w", "Inference of large models", "It is fast."),))])
    adding = index.explain(Query([Topic("inference of large models on NPUs")]), "lab").profile_evidence
    repeating = index.explain(Query([Topic("inference of large models")]), "lab").profile_evidence
    assert adding is not None
    assert repeating is not None
    assert (adding.sentence, adding.adds) == ("We use NPUs.", True)
    assert (repeating.sentence, repeating.adds) == ("Inference of large models is what we do.", False)


def test_a_gap_says_what_mentioning_it_would_bring() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("LLM serving")])
    explanation = index.explain(query, "serving")
    assert explanation.missing
    for gap in explanation.missing:
        longer = Query([*query.topics, Topic(gap.term)])
        assert index.explain(longer, "serving").score - explanation.score == pytest.approx(gap.gain, abs=1e-6)
        assert gap.gain > 0
    assert "LLM" not in {gap.term for gap in explanation.missing}


def test_facets_are_met_or_missed_and_leave_the_score_alone() -> None:
    index = LabIndex.fit(LABS)
    wanted = {"place": ("hong kong",), "hardware": ("NPU",), "funding": ("full",), "degree": ()}
    explanation = index.explain(Query([Topic("federated learning")], facets=wanted), "federated")
    assert [check.name for check in explanation.facets_met] == ["place"]
    assert [(check.name, check.lab_values) for check in explanation.facets_missed] == [
        ("funding", ()),
        ("hardware", ("mobile phones",)),
    ]
    assert explanation.score == index.explain(Query([Topic("federated learning")]), "federated").score


def test_explaining_an_unknown_lab_is_refused() -> None:
    with pytest.raises(UnknownLab, match="'nobody'"):
        LabIndex.fit([FEDERATED]).explain(Query([Topic("x")]), "nobody")


def test_rank_explained_is_rank_with_explain() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("federated learning"), Topic("LLM serving")])
    assert index.rank_explained(query) == [(match, index.explain(query, match.lab)) for match in index.rank(query)]


def test_explanations_of_two_indexes_that_say_the_same_are_equal() -> None:
    query = Query([Topic("LLM serving")])
    first, second = (LabIndex.fit(LABS).explain(query, "serving") for _ in range(2))
    assert first == second
    assert not first != second  # noqa: SIM202 - what is asked
    assert first != LabIndex.fit(LABS).explain(query, "theory")
