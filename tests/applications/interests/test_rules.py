from __future__ import annotations

import pytest

from portal.applications.forms import one_line, running_text
from portal.applications.interests.service import (
    LONGEST_STATEMENT,
    MOST_TOPICS,
    Stated,
    topic_key,
    why_not_state,
    why_not_weight,
)
from portal.applications.sharing import why_not_share
from portal.matching import Topic


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  LLM \t serving\r\n on  NPUs ", "LLM serving on NPUs"),
        ("k\x00v\x1bcache", "k v cache"),
        ("大模型 推理", "大模型 推理"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\ud800b", "a b"),
    ],
)
def test_a_topic_is_kept_on_one_line_without_controls(typed: str, kept: str) -> None:
    assert one_line(typed) == kept


def test_a_text_keeps_its_lines_and_loses_its_controls() -> None:
    assert running_text("One\r\n\r\nTwo\rThree\x00\x07\n\n") == "One\n\nTwo\nThree"


def test_topics_that_differ_in_case_and_blanks_have_the_same_key() -> None:
    assert topic_key("LLM  Serving") == topic_key("llm serving")
    assert topic_key("LLM serving") != topic_key("LLM training")


def test_what_keeps_every_limit_is_not_refused() -> None:
    topics = tuple(Topic(f"topic {number}", 5.0) for number in range(MOST_TOPICS))
    stated = Stated(topics, "x" * LONGEST_STATEMENT, {"place": ("Berlin",)}, resume_weight=1.0)
    assert why_not_state(stated) is None
    assert why_not_state(Stated()) is None


@pytest.mark.parametrize(
    ("stated", "begins"),
    [
        (Stated((Topic("x" * 201),)), "A topic may have 200 characters; this one has 201."),
        (Stated((Topic("queues", 5.1),)), "Give a number from 0 to 5"),
        (Stated((Topic("queues"), Topic("Queues"))), "“Queues” is there twice."),
        (Stated(tuple(Topic(str(number)) for number in range(13))), "You can state 12 topics"),
        (Stated(statement="x" * 4_001), "The statement may have 4,000 characters; this one has 4,001. Take out 1 "),
        (Stated(resume_weight=1.5), "Give a number from 0 to 1"),
        (Stated(facets={"place": tuple(map(str, range(51)))}), "You can ask for 50 values"),
    ],
)
def test_each_limit_is_refused_with_its_reason(stated: Stated, begins: str) -> None:
    assert (why_not_state(stated) or "").startswith(begins)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -0.1])
def test_a_weight_is_a_finite_number_of_0_or_more(weight: float) -> None:
    assert why_not_weight(weight) == "Give a number from 0 to 5, such as 2.5."


def test_labs_can_be_named_up_to_a_number() -> None:
    assert why_not_share(29) is None
    assert why_not_share(30) == ("You share with 30 labs, the most there can be. Stop sharing with one of them first.")
