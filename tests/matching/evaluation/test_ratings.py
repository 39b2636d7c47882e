"""The pairwise loss of reviewer assignment, held against its published definition pair by pair."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabIndex
from portal.matching.evaluation.ratings import Rating, ScoredRating, pairwise, score, wrong_pairs
from tests.matching.corpus import LABS


def scored(lab: str, *pairs: tuple[float, float]) -> list[ScoredRating]:
    return [ScoredRating(Rating.of_text(lab, f"t{n}", rating), own) for n, (rating, own) in enumerate(pairs)]


def test_each_pair_in_wrong_order_costs_the_difference_of_its_ratings() -> None:
    found = pairwise(scored("a", (5, 0.1), (4, 0.2), (1, 0.3)))
    assert found
    assert (found.loss.value, found.pairs) == (1.0, 3)
    assert pairwise(scored("a", (5, 0.3), (4, 0.2), (1, 0.1))).loss.value == 0.0  # type: ignore[union-attr]
    one_wrong = pairwise(scored("a", (5, 0.2), (4, 0.3), (1, 0.1)))
    assert one_wrong
    assert one_wrong.loss.value == 1 / (1 + 4 + 3)


def test_a_tie_costs_half_and_is_not_in_right_order() -> None:
    found = pairwise(scored("a", (5, 0.0), (4, 0.0), (2, 0.0)))
    assert found
    assert found.loss.value == 0.5
    assert found.easy
    assert found.hard
    assert (found.easy.value, found.easy_pairs) == (0.0, 2)
    assert (found.hard.value, found.hard_pairs) == (0.0, 1)


def test_pairs_are_of_one_lab_and_of_different_ratings() -> None:
    assert pairwise([*scored("a", (5, 0.1)), *scored("b", (1, 0.2), (1, 0.4))]) is None
    assert pairwise([]) is None


def test_without_easy_or_hard_pairs_there_is_no_such_figure() -> None:
    found = pairwise(scored("a", (4, 0.2), (3, 0.1)))
    assert found
    assert (found.easy, found.hard) == (None, None)


items = st.tuples(st.integers(1, 5).map(float), st.sampled_from((0.0, 0.1, 0.2, 0.3)))


@given(st.lists(st.lists(items, min_size=1, max_size=7), min_size=1, max_size=4))
def test_the_figures_are_those_of_the_published_definition(labs: list[list[tuple[float, float]]]) -> None:
    loss = most = easy = easy_right = hard = hard_right = 0.0
    for rated in labs:
        for (one, own), (other, others) in combinations(rated, 2):
            true, found = one - other, own - others
            most += abs(true)
            loss += abs(true) if true * found < 0 else abs(true) / 2 if true * found == 0 else 0
            if true and max(one, other) >= 4 and min(one, other) <= 2:
                easy += 1
                easy_right += true * found > 0
            if true and min(one, other) >= 4:
                hard += 1
                hard_right += true * found > 0
    figures = pairwise([item for number, rated in enumerate(labs) for item in scored(f"lab{number}", *rated)])
    assert (figures is None) == (most == 0)
    if figures:
        assert figures.loss.value == pytest.approx(loss / most)
        assert figures.loss.low <= figures.loss.value + 1e-9
        assert figures.loss.high >= figures.loss.value - 1e-9
        assert (figures.easy.value if figures.easy else None) == (pytest.approx(easy_right / easy) if easy else None)
        assert (figures.hard.value if figures.hard else None) == (pytest.approx(hard_right / hard) if hard else None)
        assert (figures.easy_pairs, figures.hard_pairs) == (easy, hard)


def test_wrong_pairs_come_lab_by_lab_the_worst_first() -> None:
    found = list(wrong_pairs([*scored("a", (5, 0.1), (4, 0.2), (1, 0.1)), *scored("b", (2, 0.5), (1, 0.4))]))
    assert [(pair.better.rating.rating, pair.worse.rating.rating) for pair in found] == [(5, 1), (5, 4)]


def test_scores_are_those_of_the_index_also_below_the_floor() -> None:
    index = LabIndex.fit(LABS)
    rated = [Rating.of_text("serving", "LLM serving", 5), Rating.of_text("serving", "federated learning", 1)]
    found = pairwise(score(index, rating) for rating in rated)
    assert found
    assert found.loss.value == 0.0
    assert score(index, Rating.of_text("theory", "poetry", 1)).score == 0.0
