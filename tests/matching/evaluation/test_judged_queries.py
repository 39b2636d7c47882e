"""The figures of judged queries."""

from __future__ import annotations

import math
from functools import cache

import pytest

from portal.matching import LabIndex, Topic
from portal.matching.evaluation.figures import Figure, mean, ratio
from portal.matching.evaluation.judged_queries import (
    AGREEMENT,
    EVIDENCE,
    FIRST_LAB,
    KEPT_OUT,
    NDCG,
    NOT_FIRST,
    PRECISION,
    REFUSAL,
    RELATED,
    JudgedQuery,
    evaluate,
    judge,
)
from tests.matching.corpus import LABS

BROAD = (Topic("federated learning"), Topic("LLM serving", 0.8), Topic("k-means clustering", 0.6))  # a lab for each


@cache
def index() -> LabIndex:
    return LabIndex.fit(LABS)


def order(judged: JudgedQuery) -> list[str]:
    return [match.lab for match in index().rank(judged.query)]


def values(judged: JudgedQuery) -> dict[str, float]:
    return dict(judge(index(), judged).values)


def test_a_right_lab_in_the_third_place_counts_by_its_place() -> None:
    third = order(JudgedQuery("", (), topics=BROAD))[2]
    figures_of_query = values(JudgedQuery("", (third,), topics=BROAD))
    assert figures_of_query == {
        FIRST_LAB: 0.0,
        RELATED: 0.0,
        "recall@1": 0.0,
        "recall@3": 1.0,
        "recall@5": 1.0,
        "recall@10": 1.0,
        NDCG: 1 / math.log2(4),
        PRECISION: 1 / 3,
        REFUSAL: 1.0,
    }


def test_with_several_right_labs_each_counts() -> None:
    first, _, third = order(JudgedQuery("", (), topics=BROAD))
    figures_of_query = values(JudgedQuery("", (third, first), topics=BROAD))
    assert figures_of_query[FIRST_LAB] == 1.0
    assert figures_of_query["recall@1"] == 0.5
    assert figures_of_query[PRECISION] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert figures_of_query[NDCG] == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_a_right_lab_that_does_not_come_counts_as_missed() -> None:
    assert order(JudgedQuery("hashing", ())) == ["theory"]
    figures_of_query = values(JudgedQuery("hashing", ("theory", "serving")))
    assert (figures_of_query["recall@10"], figures_of_query[PRECISION]) == (0.5, 0.5)


def test_refusal_is_right_where_labs_come_only_for_what_fits() -> None:
    for text, labs, right in (
        ("medieval poetry", (), 1.0),
        ("hashing", (), 0.0),
        ("medieval poetry", ("theory",), 0.0),
        ("hashing", ("federated",), 1.0),
    ):
        assert values(JudgedQuery(text, labs))[REFUSAL] == right
    assert values(JudgedQuery("medieval poetry", ())) == {REFUSAL: 1.0}


def test_evidence_is_what_the_first_work_shows_title_systems_and_sentence() -> None:
    for wanted, shown in (
        ("deferred BATCH scheduling", 1.0),  # title
        ("symphony", 1.0),  # system
        ("KV-cache", 0.0),  # another work
        ("meets latency objectives", 0.0),  # a sentence that did not match
    ):
        assert values(JudgedQuery("LLM serving", ("serving",), evidence=(wanted,)))[EVIDENCE] == shown
    assert values(JudgedQuery("LLM serving", ("serving",), evidence=("never", "symphony")))[EVIDENCE] == 1.0
    assert values(JudgedQuery("medieval poetry", ("serving",), evidence=("symphony",)))[EVIDENCE] == 0.0


def test_the_sentence_of_a_profile_is_evidence_where_no_work_is() -> None:
    planned = JudgedQuery("privacy", ("federated",), evidence=("Federated learning, privacy",))
    assert index().explain(planned.query, "federated").evidence == ()
    assert values(planned)[EVIDENCE] == 1.0
    beside_works = JudgedQuery("privacy of skewed labels", ("federated",), evidence=("Federated learning, privacy",))
    assert values(beside_works)[EVIDENCE] == 0.0  # it stands behind the works


def test_the_sentence_of_a_profile_may_show_what_is_to_be_kept_out() -> None:
    text = "privacy of skewed labels"
    assert values(JudgedQuery(text, ("federated",), not_evidence=("mobile devices",)))[KEPT_OUT] == 0.0
    assert values(JudgedQuery(text, ("federated",), not_evidence=("split learning",)))[KEPT_OUT] == 1.0


def test_evidence_to_keep_out_must_not_show_for_any_lab() -> None:
    last = order(JudgedQuery("", (), topics=BROAD))[2]
    title = {"theory": "k-means", "serving": "language model", "federated": "federated"}[last]
    assert values(JudgedQuery("", (last,), not_evidence=("poetry", title), topics=BROAD))[KEPT_OUT] == 0.0
    assert values(JudgedQuery("", (last,), not_evidence=("poetry",), topics=BROAD))[KEPT_OUT] == 1.0
    assert values(JudgedQuery("medieval poetry", (), not_evidence=("poetry",)))[KEPT_OUT] == 1.0


def test_a_lab_that_must_not_come_first_may_come_second() -> None:
    first, second, _ = order(JudgedQuery("", (), topics=BROAD))
    assert values(JudgedQuery("", (first,), not_first=(second,), topics=BROAD))[NOT_FIRST] == 1.0
    assert values(JudgedQuery("", (second,), not_first=(first,), topics=BROAD))[NOT_FIRST] == 0.0


def test_two_texts_agree_when_they_have_the_same_first_lab() -> None:
    assert values(JudgedQuery("large language model serving", ("serving",), same_as="LLM serving"))[AGREEMENT] == 1.0
    assert values(JudgedQuery("hashing", ("theory",), same_as="LLM serving"))[AGREEMENT] == 0.0
    assert values(JudgedQuery("poetry", (), same_as="medieval"))[AGREEMENT] == 1.0


def test_topics_statement_and_resume_are_part_of_the_query() -> None:
    for judged in (
        JudgedQuery("", ("theory",), topics=(Topic("hashing"),)),
        JudgedQuery("", ("theory",), statement="hashing"),
        JudgedQuery("", ("theory",), resume="hashing"),
    ):
        assert values(judged)[FIRST_LAB] == 1.0
    assert values(JudgedQuery("", ()))[REFUSAL] == 1.0


def test_figures_are_means_by_kind_and_over_all() -> None:
    judged = (
        JudgedQuery("LLM serving", ("serving",), "topic"),
        JudgedQuery("federated learning", ("serving",), "topic"),
        JudgedQuery("k-means clustering", ("theory", "serving"), "topic"),
        JudgedQuery("medieval poetry", (), "unrelated"),
        JudgedQuery("hashing", (), "unrelated"),
        JudgedQuery("LLM", ("serving",)),
    )
    figures = evaluate(index(), judged)
    assert list(figures.by_kind) == ["topic", "unrelated", ""]
    assert figures.by_kind["topic"][FIRST_LAB].value == pytest.approx(2 / 3)
    assert figures.by_kind["unrelated"].keys() == {REFUSAL}
    assert figures.by_kind["unrelated"][REFUSAL] == Figure(0.5, 0.0, 1.0, 2)
    assert figures.overall[FIRST_LAB].value == 0.75
    assert figures.overall[FIRST_LAB].count == 4
    assert figures.overall[REFUSAL].count == 6
    assert EVIDENCE not in figures.overall


def test_the_same_queries_give_the_same_figures_in_any_order() -> None:
    judged = [JudgedQuery(text, ("serving",)) for text in ("LLM", "hashing", "KV cache", "federated")]
    assert evaluate(LabIndex.fit(LABS), judged).overall == evaluate(LabIndex.fit(LABS[::-1]), judged[::-1]).overall


def test_an_interval_is_that_of_the_bootstrap() -> None:
    tossed = mean([1.0] * 50 + [0.0] * 50)
    # Normal approximation: 0.5 ± 1.96 · √(0.25 / 100) = 0.402 … 0.598
    assert (tossed.value, tossed.count) == (0.5, 100)
    assert tossed.low == pytest.approx(0.402, abs=0.015)
    assert tossed.high == pytest.approx(0.598, abs=0.015)
    assert mean([0.1] * 7) == Figure(0.1, 0.1, 0.1, 7)
    many = mean([place / 3000 for place in range(3001)])  # drawn in several pieces
    assert many.high - many.low == pytest.approx(2 * 1.96 * math.sqrt(1 / 12 / 3001), rel=0.1)


def test_a_ratio_draws_the_parts_together() -> None:
    assert ratio([(1.0, 4.0)] * 3) == Figure(0.25, 0.25, 0.25, 3)
    assert ratio([(0.0, 1.0), (9.0, 9.0)]) == Figure(0.9, 0.0, 1.0, 2)
    assert ratio([(0.0, 0.0), (1.0, 2.0)]) == Figure(0.5, 0.5, 0.5, 2)
