from __future__ import annotations

from dataclasses import replace

import pytest

from portal.applications.forms import one_line, running_text
from portal.applications.interests.rules import Stated, differing_parts, topic_key
from portal.matching import Topic

STATED = Stated((Topic("LLM serving", 2.0),), "I like queues.", {"place": ("Berlin",)})


def test_two_that_say_the_same_do_not_differ() -> None:
    assert differing_parts(STATED, replace(STATED)) == ()


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        (replace(STATED, topics=(Topic("LLM serving", 1.0),)), ("topics",)),
        (replace(STATED, statement="I like stacks."), ("statement",)),
        (replace(STATED, facets={}), ("facets",)),
        (replace(STATED, discoverable=True), ("discoverable",)),
        (replace(STATED, statement="", discoverable=True), ("statement", "discoverable")),
    ],
)
def test_a_difference_is_named_by_its_part(changed: Stated, parts: tuple[str, ...]) -> None:
    assert differing_parts(STATED, changed) == parts


def test_a_part_can_be_taken_from_the_other() -> None:
    other = Stated((), "Other.", {}, discoverable=True)
    assert STATED.with_part_of(other, "statement") == replace(STATED, statement="Other.")
    assert STATED.with_part_of(other, "topics") == replace(STATED, topics=())


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
