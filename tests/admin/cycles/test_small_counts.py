"""What is said of small groups: nothing that anybody could compute back."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.admin.cycles.figures.small_counts import LEAST, Published, in_words, nested, part

COUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=9).map(lambda counts: sorted(counts, reverse=True))


def test_whoever_knows_the_rule_cannot_tell_a_hidden_count_from_three_others() -> None:
    """Every chain of up to four counts up to 15: those that are published alike are what a reader cannot tell apart."""
    alike: dict[tuple[Published, ...], list[tuple[int, ...]]] = defaultdict(list)
    for length in range(1, 5):
        for counts in combinations_with_replacement(range(15, -1, -1), length):
            alike[tuple(nested(counts))].append(counts)
    for said, chains in alike.items():
        for place, count in enumerate(said):
            possible = {chain[place] for chain in chains}
            if not count.is_exact:
                assert possible == set(range(count.low, count.high + 1)), said
                assert len(possible) >= LEAST - 1


@given(COUNTS)
def test_what_is_said_is_true_and_no_exact_count_or_difference_is_a_small_group(counts: list[int]) -> None:
    said = nested(counts)
    assert all(low <= count <= high for count, (low, high) in zip(counts, said, strict=True))
    exact = [one.low for one in said if one.is_exact]
    assert not [count for count in exact if 0 < count < LEAST]
    assert not [(more, less) for more in exact for less in exact if 0 < more - less < LEAST]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([0], ["0"]),
        ([1], ["fewer than 5"]),
        ([12, 11, 5, 0], ["12", "8 to 11", "5", "0"]),
        ([6, 5, 1], ["6", "1 to 5", "1 to 5"]),
        ([1200, 1200, 1196, 4], ["1,200", "1,200", "1,196 to 1,199", "fewer than 5"]),
    ],
)
def test_counts_are_said_in_words(counts: list[int], words: list[str]) -> None:
    assert [in_words(one) for one in nested(counts)] == words


def test_a_part_larger_than_its_whole_is_refused() -> None:
    with pytest.raises(ValueError, match="11 cannot be a part of 10"):
        part(11, 12, 10)
