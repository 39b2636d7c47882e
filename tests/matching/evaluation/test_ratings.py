"""The pairwise loss of reviewer assignment, compared with its published definition pair by pair."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabIndex
from portal.matching.evaluation.ratings import Rating, ScoredRating, pairwise, score
from tests.matching.corpus import LABS


def scored(lab: str, *pairs: tuple[float, float]) -> list[ScoredRating]:
    return [ScoredRating(Rating.of_text(lab, f"t{n}", rating), own) for n, (rating, own) in enumerate(pairs)]


def test_each_pair_in_wrong_order_costs_the_difference_of_its_ratings() -> None:
    all_wrong = pairwise(scored("a", (5, 0.1), (4, 0.2), (1, 0.3)))
    assert all_wrong
    assert (all_wrong.loss.value, all_wrong.pairs) == (1.0, 3)
    assert pairwise(scored("a", (5, 0.3), (4, 0.2), (1, 0.1))).loss.value == 0.0  # type: ignore[union-attr]
    one_wrong = pairwise(scored("a", (5, 0.2), (4, 0.3), (1, 0.1)))
    assert one_wrong
    assert one_wrong.loss.value == 1 / (1 + 4 + 3)


def test_a_tie_costs_half_and_is_not_in_right_order() -> None:
    tied = pairwise(scored("a", (5, 0.0), (4, 0.0), (2, 0.0)))
    assert tied
    assert tied.loss.value == 0.5
    assert tied.easy
    assert tied.hard
    assert (tied.easy.value, tied.easy_pairs) == (0.0, 2)
    assert (tied.hard.value, tied.hard_pairs) == (0.0, 1)


def test_pairs_are_of_one_lab_and_of_different_ratings() -> None:
    assert pairwise([*scored("a", (5, 0.1)), *scored("b", (1, 0.2), (1, 0.4))]) is None
    assert pairwise([]) is None


def test_without_easy_or_hard_pairs_there_is_no_such_figure() -> None:
    figures = pairwise(scored("a", (4, 0.2), (3, 0.1)))
    assert figures
    assert (figures.easy, figures.hard) == (None, None)


items = st.tuples(st.integers(1, 5).map(float), st.sampled_from((0.0, 0.1, 0.2, 0.3)))


@given(st.lists(st.lists(items, min_size=1, max_size=7), min_size=1, max_size=4))
def test_the_figures_are_those_of_the_published_definition(labs: list[list[tuple[float, float]]]) -> None:
    loss = most = easy = easy_right = hard = hard_right = 0.0
    for pairs in labs:
        for (rating, own_score), (other_rating, other_score) in combinations(pairs, 2):
            gap, lead = rating - other_rating, own_score - other_score
            most += abs(gap)
            loss += abs(gap) if gap * lead < 0 else abs(gap) / 2 if gap * lead == 0 else 0
            if gap and max(rating, other_rating) >= 4 and min(rating, other_rating) <= 2:
                easy += 1
                easy_right += gap * lead > 0
            if gap and min(rating, other_rating) >= 4:
                hard += 1
                hard_right += gap * lead > 0
    figures = pairwise([item for lab, pairs in enumerate(labs) for item in scored(f"lab{lab}", *pairs)])
    assert (figures is None) == (most == 0)
    if figures:
        assert figures.loss.value == pytest.approx(loss / most)
        assert figures.loss.low <= figures.loss.value + 1e-9
        assert figures.loss.high >= figures.loss.value - 1e-9
        assert (figures.easy.value if figures.easy else None) == (pytest.approx(easy_right / easy) if easy else None)
        assert (figures.hard.value if figures.hard else None) == (pytest.approx(hard_right / hard) if hard else None)
        assert (figures.easy_pairs, figures.hard_pairs) == (easy, hard)


def test_scores_are_those_of_the_index_also_below_the_floor() -> None:
    index = LabIndex.fit(LABS)
    rated = [Rating.of_text("serving", "LLM serving", 5), Rating.of_text("serving", "federated learning", 1)]
    figures = pairwise(score(index, rating) for rating in rated)
    assert figures
    assert figures.loss.value == 0.0
    assert score(index, Rating.of_text("theory", "poetry", 1)).score == 0.0
