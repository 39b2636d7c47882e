"""The values used last are at hand, for all threads, and no more than fit in the memory meant for them."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from portal.matching import LabIndex, Query
from portal.matching.query.questions import Question
from portal.matching.recent_cache import RecentCache, RecentTexts
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    import pytest


def test_the_values_used_last_are_cached() -> None:
    cache: RecentCache[str] = RecentCache(2)
    computed: list[int] = []

    def cached(key: int) -> str:
        def compute() -> str:
            computed.append(key)
            return str(key)

        return cache.of(key, compute)

    assert [cached(key) for key in (1, 2, 1, 3, 1, 2)] == ["1", "2", "1", "3", "1", "2"]
    assert computed == [1, 2, 3, 2]
    assert [key in cache for key in (1, 2, 3)] == [True, True, False]


def test_many_threads_use_one_cache() -> None:
    cache: RecentCache[int] = RecentCache(4)
    as_before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # seconds, so that threads take turns within every line
    try:
        with ThreadPoolExecutor(6) as threads:
            used = threads.map(
                lambda first: [cache.of(7 * key % 13, lambda: 1) for key in range(first, 60_000)], range(6)
            )
            assert {value for values in used for value in values} == {1}
    finally:
        sys.setswitchinterval(as_before)
    assert sum(key in cache for key in range(13)) == 4


def test_texts_are_cached_by_their_length() -> None:
    cache: RecentTexts[int] = RecentTexts(10)
    made: list[str] = []

    def length(text: str) -> int:
        def make() -> int:
            made.append(text)
            return len(text)

        return cache.of(text, len(text), make)

    short, middle, long, too_long = "a", "b" * 4, "c" * 6, "d" * 11
    assert [length(text) for text in (short, middle, short, middle)] == [1, 4, 1, 4]
    assert made == [short, middle]
    assert length(long) == 6
    assert [text in cache for text in (short, middle, long)] == [False, True, True]
    assert length(too_long) == 11
    assert [text in cache for text in (middle, long, too_long)] == [True, True, False]
    for _ in range(20):
        assert length("") == 0
    assert made == [short, middle, long, too_long, ""]


def test_many_threads_use_one_cache_of_texts() -> None:
    cache: RecentTexts[int] = RecentTexts(100)
    as_before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # seconds
    try:
        with ThreadPoolExecutor(6) as threads:
            used = threads.map(
                lambda first: [cache.of(7 * key % 13, 20, lambda: 1) for key in range(first, 30_000)], range(6)
            )
            assert {value for values in used for value in values} == {1}
    finally:
        sys.setswitchinterval(as_before)
    assert sum(key in cache for key in range(13)) == 5


def test_long_questions_are_kept_by_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("query.analysis._LONG_TEXTS", "query.questions._LONG_QUERIES", "answers._LONG_LISTS"):
        monkeypatch.setattr(f"portal.matching.{name}", 20_000, raising=False)  # characters
    index = LabIndex.fit(LABS)
    for copy in range(9):
        resume = f"asked{copy} " + "federated learning " * 300
        index.rank(Query(resume=resume, resume_weight=1.0), 3)
    gc.collect()
    asked = [question for question in gc.get_objects() if type(question) is Question]
    kept = [part.text for question in asked for part in question.query.parts if part.text.startswith("asked")]
    assert len(kept) == 3
