from __future__ import annotations

import pytest

from portal.reviews.preference_order import placed, seen_order, shifted


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ({}, [1, 2, 3, 4]),
        ({4: 1}, [4, 1, 2, 3]),
        ({1: 3}, [2, 3, 1, 4]),
        ({1: 99, 4: -5}, [4, 2, 3, 1]),
        ({1: 2, 2: 1}, [2, 1, 3, 4]),
        ({3: 1, 4: 1}, [4, 3, 1, 2]),
        ({7: 1}, [1, 2, 3, 4]),
    ],
)
def test_a_number_puts_a_choice_at_that_place(places: dict[int, int], order: list[int]) -> None:
    assert placed([1, 2, 3, 4], {1: 1, 2: 2, 3: 3, 4: 4} | places) == order


def test_a_step_ends_at_the_ends() -> None:
    assert shifted([1, 2, 3], 3, -1) == [1, 3, 2]
    assert shifted([1, 2, 3], 1, -1) == [1, 2, 3]
    assert shifted([1, 2, 3], 3, 1) == [1, 2, 3]


def test_another_order_is_another_fingerprint() -> None:
    assert len({seen_order([1, 2]), seen_order([2, 1]), seen_order([12]), seen_order([])}) == 4
