"""Traditional and simplified Chinese are read as the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal import matching
from portal.matching.language.han import simplified
from portal.matching.language.terms import keys, terms
from portal.matching.language.words import fold

MATCHER = Path(matching.__file__).parent


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("聯邦學習與機器學習系統", "联邦学习与机器学习系统"),
        ("在GPU上訓練 LLM，使用數據並行。", "在GPU上训练 LLM，使用数据并行。"),
        ("分佈式", "分布式"),
        ("機械学習のシステム", "机械学习のシステム"),
    ],
)
def test_both_ways_of_writing_have_the_same_terms_in_the_same_places(traditional: str, simple: str) -> None:
    assert traditional != simple
    assert simplified(traditional) == simplified(simple) == simple
    assert [*terms(traditional)] == [*terms(simple)]
    assert keys((traditional,))


def test_what_is_not_chinese_stays() -> None:
    for text in ("", "KV-cache", "naïve Bayes", "연합 학습", "こんにちは", "日本", "\ud800"):
        assert simplified(text) == text
    assert fold("naïve") == "naive"


@pytest.mark.parametrize("folder", ["privacy", "language", "query"])
def test_lists_and_patterns_are_in_simplified_characters(folder: str) -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in (MATCHER / folder).glob("*.py")}
    assert texts
    traditional = {name for name, text in texts.items() if simplified(text) != text}
    assert traditional <= {"han.py"}, "text is searched in simplified characters, so these would never be found"
