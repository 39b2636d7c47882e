"""What other seats would do, and what differs between two rounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.assignment import Changes, Lab, Market, MarketError, Move, compare, solve, what_if
from tests.assignment.markets import SEEDS, markets

MARKET = Market(
    {"an": ("x", "y"), "bo": ("x", "y"), "cy": ("y",), "di": ("z",)},
    {"x": Lab(1, (("an",), ("bo",))), "y": Lab(1, (("bo",), ("cy",), ("an",))), "z": Lab(1, (("di",),))},
)


def test_one_more_seat_moves_a_chain() -> None:
    assert what_if(solve(MARKET, ""), {"x": 2}) == Changes(
        seats=(("x", 1, 2),),
        moves=(Move("bo", "y", "x", "higher on their list"), Move("cy", None, "y", "placed")),
        placed_before=3,
        placed_after=4,
    )


def test_one_seat_less_moves_it_back() -> None:
    assert what_if(solve(MARKET, ""), {"x": 0, "z": 1}) == Changes(
        seats=(("x", 1, 0),),
        moves=(Move("an", "x", None, "no longer placed"),),
        placed_before=3,
        placed_after=2,
    )


@given(markets(least=1), SEEDS, st.data())
def test_more_seats_harm_nobody_and_fewer_help_nobody(market: Market, seed: str, data: st.DataObject) -> None:
    lab = data.draw(st.sampled_from(sorted(market.labs)))
    before, seats = market.labs[lab].seats, data.draw(st.integers(0, 4))
    before_change, after_change = solve(market, seed), solve(market.with_seats({lab: seats}), seed)
    outcome = what_if(before_change, {lab: seats})
    good, bad = {"higher on their list", "placed"}, {"lower on their list", "no longer placed"}
    assert {move.step for move in outcome.moves} <= (good if seats > before else bad if seats < before else set())
    moved = {
        applicant
        for applicant in market.applicants
        if before_change.lab_of.get(applicant) != after_change.lab_of.get(applicant)
    }
    assert {(move.applicant, move.before, move.after) for move in outcome.moves} == {
        (applicant, before_change.lab_of.get(applicant), after_change.lab_of.get(applicant)) for applicant in moved
    }


def test_seats_that_cannot_be_are_refused() -> None:
    with pytest.raises(MarketError, match="-1 seats"):
        what_if(solve(MARKET, ""), {"x": -1})


def test_a_run_on_changed_data_says_what_changed_in_it_and_what_came_of_it() -> None:
    later = Market(
        {"an": ("y", "x"), "bo": ("x", "w", "y"), "cy": ("y",), "em": ("x",)},
        {"x": Lab(1, (("em",), ("bo", "an"))), "y": Lab(2, (("bo",), ("cy",), ("an",))), "w": Lab(1, (("bo",),))},
    )
    assert compare(solve(MARKET, "1"), solve(later, "2")) == Changes(
        seats=(("y", 1, 2),),
        moves=(
            Move("an", "x", "y", "higher on their list"),
            Move("bo", "y", "w", "higher on their list"),
            Move("cy", None, "y", "placed"),
            Move("di", "z", None, "gone"),
            Move("em", None, "x", "new"),
        ),
        placed_before=3,
        placed_after=4,
    )


def test_a_lab_no_longer_on_the_list_is_neither_better_nor_worse() -> None:
    later = Market({**MARKET.applicants, "an": ("z",), "di": ()}, {**MARKET.labs, "z": Lab(1, (("an",),))})
    changes = compare(solve(MARKET, ""), solve(later, ""))
    assert [move for move in changes.moves if move.applicant == "an"] == [
        Move("an", "x", "z", "the earlier lab left their list")
    ]


@given(markets(), SEEDS)
def test_the_same_data_changes_nothing(market: Market, seed: str) -> None:
    changes = compare(solve(market, seed), solve(Market(market.applicants, market.labs), seed))
    assert (changes.seats, changes.moves) == ((), ())
