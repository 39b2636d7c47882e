from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.reviews.scorecards.calibration import LEAST_COMPARED, Card, calibrate, leniencies

quarter_points = st.integers(4, 20).map(lambda quarters: quarters / 4)  # the mean of four criteria
some_cards = st.dictionaries(st.tuples(st.integers(1, 12), st.integers(1, 5)), quarter_points, max_size=60).map(
    lambda table: [Card(applicant, reviewer, score) for (applicant, reviewer), score in table.items()]
)


def order_of(cards: list[Card]) -> list[int]:
    means = calibrate(cards).means
    return sorted(means, key=lambda applicant: (-round(means[applicant].calibrated, 9), applicant))


@given(some_cards)
def test_both_means_lie_between_one_and_five_points(cards: list[Card]) -> None:
    for means in calibrate(cards).means.values():
        assert 1.0 <= means.raw <= 5.0
        assert 1.0 <= means.calibrated <= 5.0


@given(some_cards, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(cards: list[Card], random: object) -> None:
    shuffled = list(cards)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random
    assert calibrate(shuffled) == calibrate(cards)


@given(st.lists(quarter_points, max_size=30))
def test_with_one_reviewer_the_calibrated_mean_is_the_raw_one(scores: list[float]) -> None:
    found = calibrate(Card(applicant, 7, score) for applicant, score in enumerate(scores))
    assert {key: means.calibrated for key, means in found.means.items()} == dict(enumerate(scores))


@given(some_cards)
def test_all_leniencies_together_are_nothing(cards: list[Card]) -> None:
    assert sum(calibrate(cards).leniency.values()) == pytest.approx(0.0, abs=1e-6)


MERITS = [2.0 + 0.05 * applicant for applicant in range(30)]


def three_reviewers(*added: float, quirk: float = 0.0) -> list[Card]:
    """Three reviewers who read all thirty applicants; each adds something of their own."""
    return [
        Card(applicant, reviewer, merit + constant + (quirk if (applicant + reviewer) % 2 else -quirk))
        for applicant, merit in enumerate(MERITS)
        for reviewer, constant in enumerate(added)
    ]


@given(st.floats(-0.9, 0.9), st.integers(0, 2))
def test_what_one_of_many_carded_reviewers_adds_to_all_does_not_change_the_order(added: float, who: int) -> None:
    constants = [0.0, 0.0, 0.0]
    constants[who] = added
    assert order_of(three_reviewers(*constants)) == order_of(three_reviewers(0.0, 0.0, 0.0))


def test_a_severe_reviewer_who_reads_only_some_does_not_sink_them() -> None:
    cards = [
        card
        for card in three_reviewers(0.3, -0.9, 0.2, quirk=0.05)
        if card.reviewer != 1 or card.applicant % 2  # the severe one reads every second
    ]
    raw = calibrate(cards).means
    assert sorted(raw, key=lambda key: raw[key].raw) != list(range(30))
    found = calibrate(cards)
    assert found.is_calibrated
    assert found.leniency[1] == pytest.approx(-0.75, abs=0.1)
    errors = [abs(found.means[i].calibrated - found.means[0].calibrated - 0.05 * i) for i in range(30)]
    assert max(errors) < 0.15


def test_whoever_reads_the_better_applicants_is_not_called_lenient() -> None:
    shared = [Card(i, reviewer, 3.0) for i in range(6) for reviewer in (1, 2)]
    better = [Card(i, 1, 4.5) for i in range(10, 30)]
    assert calibrate(shared + better).leniency == {1: 0.0, 2: 0.0}


def test_leniency_shrinks_to_nothing_as_cards_become_fewer() -> None:
    found = [leniencies([c for c in three_reviewers(0.6, 0.0, 0.0) if c.applicant < n], 3.0)[0] for n in (1, 5, 30)]
    assert found[0] == pytest.approx(0.4 / 4)  # 0.4 above the others, times n / (n + 3)
    assert found[1] == pytest.approx(0.4 * 5 / 8)
    assert found[2] == pytest.approx(0.4 * 30 / 33)


def test_with_too_few_cards_the_raw_means_stand_and_it_is_said() -> None:
    few = [Card(i, reviewer, 4.0 - reviewer) for i in range(LEAST_COMPARED - 1) for reviewer in (0, 1)]
    found = calibrate(few)
    assert not found.is_calibrated
    assert {means.calibrated for means in found.means.values()} == {3.5}
    enough = [*few, Card(99, 0, 4.0), Card(99, 1, 3.0)]
    assert calibrate(enough).is_calibrated


def test_agreeing_reviewers_are_left_as_they_are() -> None:
    found = calibrate(three_reviewers(0.0, 0.0, 0.0, quirk=0.2))
    assert found.leniency == {0: 0.0, 1: 0.0, 2: 0.0}


def test_no_cards_give_no_means() -> None:
    assert calibrate([]).means == {}
