from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web.word_diff import MOST_PIECES, Kind, word_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "cd", " ", "\n", "表", "示", "."]), max_size=30).map("".join)


def test_a_changed_word_stands_between_what_stayed() -> None:
    assert word_diff("We build fast systems.", "We build slow systems.") == [
        ("same", "We build "),
        ("removed", "fast"),
        ("added", "slow"),
        ("same", " systems."),
    ]


def test_a_replaced_phrase_reads_as_a_phrase() -> None:
    assert word_diff("Please contact me by mail.", "Please write to the lab.") == [
        ("same", "Please "),
        ("removed", "contact me by mail"),
        ("added", "write to the lab"),
        ("same", "."),
    ]


def test_chinese_is_compared_sign_by_sign() -> None:
    assert word_diff("研究大模型", "研究小模型") == [
        ("same", "研究"),
        ("removed", "大"),
        ("added", "小"),
        ("same", "模型"),
    ]


def test_nothing_and_other_values_have_a_difference_too() -> None:
    assert word_diff(None, "new") == [("added", "new")]
    assert word_diff(3, None) == [("removed", "3")]
    assert word_diff("", "") == []


@given(TEXTS, TEXTS)
def test_the_parts_give_both_texts_again(before: str, after: str) -> None:
    parts = word_diff(before, after)
    assert "".join(text for kind, text in parts if kind != "added") == before
    assert "".join(text for kind, text in parts if kind != "removed") == after


@given(TEXTS)
def test_equal_texts_have_no_difference(text: str) -> None:
    assert word_diff(text, text) == ([("same", text)] if text else [])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "kept\n" + "a " * 20_000,
            "kept\n" + "b a " * 10_000,
            [("same", "kept\n"), ("removed", "a " * 20_000), ("added", "b a " * 10_000)],
        ),
        ("x\n" * 9_000, "y\n" * 9_000, [("removed", "x\n" * 9_000), ("added", "y\n" * 9_000)]),
    ],
)
def test_long_texts_with_little_in_common_are_shown_as_replaced(
    before: str, after: str, expected: list[tuple[Kind, str]]
) -> None:
    assert len(before) > MOST_PIECES
    assert word_diff(before, after) == expected
