from __future__ import annotations

import json

import pytest

from portal.matching import LabIndex
from portal.matching.evaluation import (
    Figure,
    JudgedFileError,
    JudgedQuery,
    Rating,
    evaluate,
    pairwise_loss,
    read_judged,
    read_ratings,
)

from .corpus import LABS


def test_judged_queries_are_read_and_wrong_lines_named() -> None:
    line = {"text": "LLM", "labs": ["serving"], "kind": "short", "evidence": ["LLM"], "same_as": "x"}
    assert read_judged(json.dumps(line) + "\n\n") == (JudgedQuery("LLM", ("serving",), "short", ("LLM",), "x"),)
    for text, message in (
        ("{}\n", 'line 1: needs "text" and a list "labs"'),
        ("\n[1]", "line 2 is no JSON object"),
        ("nothing", "line 1 is no JSON"),
        ('{"text": "x", "labs": [], "lab": 1}', "unknown field lab"),
        ('{"text": "x", "labs": [], "evidence": "x"}', "list of texts"),
    ):
        with pytest.raises(JudgedFileError, match=message):
            read_judged(text)


def test_figures_count_what_they_say() -> None:
    judged = (
        JudgedQuery("LLM serving", ("serving",), "topic", ("scheduling for LLM serving",)),
        JudgedQuery("federated learning", ("serving",), "topic", ("x",)),
        JudgedQuery("k-means clustering", ("theory", "serving"), "topic", ("never written",)),
        JudgedQuery("medieval poetry", (), "unrelated"),
        JudgedQuery("hashing", (), "unrelated"),
        JudgedQuery("large language model serving", ("serving",), "long", (), "LLM serving"),
    )
    figures = evaluate(LabIndex.fit(LABS), judged)
    assert figures["topic"]["first lab"].value == pytest.approx(2 / 3)
    assert figures["topic"]["evidence"] == Figure(0.5, 0.0, 1.0, 2)
    assert figures["unrelated"]["first lab"].value == 0.5
    assert figures["long"]["agreement"] == Figure(1.0, 1.0, 1.0, 1)
    assert figures["long"]["nDCG"].value == figures["long"]["recall"].value == 1.0
    assert figures["all"]["first lab"].count == 6
    interval = figures["topic"]["first lab"]
    assert interval.low <= interval.value <= interval.high
    assert figures == evaluate(LabIndex.fit(LABS), judged)


def test_the_loss_is_that_of_the_pairs_in_wrong_order() -> None:
    index = LabIndex.fit(LABS)
    right = [
        Rating("serving", "LLM serving", 5),
        Rating("serving", "federated learning", 1),
        Rating("serving", "KV cache", 4),
    ]
    found = pairwise_loss(index, right)
    assert (found.easy, found.pairs) == (1.0, 3)
    assert found.loss == (1 - found.hard) * 1 / 8
    reverse = [Rating(item.lab, item.text, 6 - item.rating) for item in right]
    assert pairwise_loss(index, reverse).loss == 1 - found.loss
    tied = [Rating("serving", "zebra", 5), Rating("serving", "poetry", 1)]
    assert pairwise_loss(index, tied).loss == 0.5
    with pytest.raises(JudgedFileError, match="nothing to compare"):
        pairwise_loss(index, tied[:1])


def test_ratings_are_read() -> None:
    assert read_ratings('{"lab": "a", "text": "x", "rating": 3}\n') == (Rating("a", "x", 3.0),)
    with pytest.raises(JudgedFileError, match="line 1: needs"):
        read_ratings('{"lab": "a", "text": "x", "rating": "high"}')
