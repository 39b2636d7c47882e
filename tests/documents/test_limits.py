from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD, Limits


def test_the_standard_limits_are_those_the_pages_promise() -> None:
    assert (STANDARD.bytes, STANDARD.pages, STANDARD.characters) == (5 * 1024 * 1024, 20, 60_000)


@pytest.mark.parametrize("name", ["bytes", "pages", "seconds", "cpu_seconds"])
def test_a_limit_of_nothing_is_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"The limit {name} must be greater than zero"):
        Limits(**{name: 0})


def test_memory_too_small_to_start_a_child_is_refused() -> None:
    with pytest.raises(ValueError, match="memory_bytes must be at least"):
        Limits(memory_bytes=10 * 1024 * 1024)
