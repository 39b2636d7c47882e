"""The words of a match in one sentence: none is repeated, and none with a meaning of its own is left out."""

from __future__ import annotations

import pytest

from portal.labs.matches import whole_phrases


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        pytest.param(["machine learning", "machine", "learning"], ["machine learning"], id="a phrase for its words"),
        pytest.param(["Machine", "GPUs", "machine learning"], ["machine learning", "GPUs"], id="in its place"),
        pytest.param(["high-performance", "high", "high performance GPUs"], ["high performance GPUs"], id="hyphens"),
        pytest.param(["arch", "search engines"], ["arch", "search engines"], id="a part of a word is no part"),
        pytest.param(["LLM", "llm", "serving"], ["LLM", "serving"], id="a word in two spellings"),
        pytest.param(["training", "slow nets", "training over slow"], ["training over slow", "slow nets"], id="parts"),
        pytest.param(["fast runs", "slow nets", "runs on slow"], ["fast runs", "slow nets"], id="no new word"),
        pytest.param(["data management", "management of data"], ["data management"], id="the other way round"),
        pytest.param(["处理", "然语", "自然", "语言"], ["处理", "自然语言"], id="pairs of characters"),
        pytest.param(["naïve", "evaluation"], ["naïve", "evaluation"], id="letters are not put together"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_parts_give_their_place_to_what_they_are_parts_of(terms: list[str], told: list[str]) -> None:
    assert whole_phrases(terms, 5) == tuple(told)


def test_no_more_than_the_limit_are_told() -> None:
    assert whole_phrases((f"topic{number}" for number in range(9)), 3) == ("topic0", "topic1", "topic2")
