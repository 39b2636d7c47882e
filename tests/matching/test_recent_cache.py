"""The values used last are at hand, for all threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from portal.matching.recent_cache import RecentCache


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
