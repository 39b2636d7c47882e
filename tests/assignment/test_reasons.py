"""“Why not lab X” has exactly one true answer, and names nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given

from portal.assignment import Lab, Market, NotStable, Reason, Round, UnknownName, Why, solve, why_not
from tests.assignment.markets import SEEDS, markets, strict_order

MARKET = Market(
    {
        "zoe": ("best", "shut", "picky", "full", "mine", "later"),
        "ann": ("full",),
        "ben": ("full",),
        "cem": ("best",),
        "dan": ("full",),
    },
    {
        "best": Lab(1, (("cem",), ("zoe",))),
        "shut": Lab(0, (("zoe",),)),
        "picky": Lab(5, (("ann",),)),
        "full": Lab(3, (("ben",), ("ann", "dan", "zoe"))),
        "mine": Lab(2, (("zoe",),)),
        "later": Lab(2, (("zoe",),)),
        "other": Lab(1),
    },
)
COMPUTED = solve(MARKET, "4")  # in this draw ann and dan come before zoe


@pytest.mark.parametrize(
    ("lab", "reason", "sentence"),
    [
        (
            "best",
            Reason(Why.FULL, "best", 1, 1, "mine", place=2, last_place=1, higher=1),
            (
                "“best” gave its one seat to one applicant whom it ranks above you. Its last seat went to the "
                "applicant in place 1 of its order, in which the lottery breaks ties; you are in place 2."
            ),
        ),
        ("shut", Reason(Why.NO_SEATS, "shut", 0, 2, "mine"), "“shut” had no seats in this round."),
        (
            "picky",
            Reason(Why.NOT_ACCEPTABLE, "picky", 5, 3, "mine"),
            "“picky” did not put you on its list of applicants whom it would accept.",
        ),
        (
            "full",
            Reason(Why.FULL, "full", 3, 4, "mine", place=4, last_place=3, higher=1, drawn=2),
            (
                "“full” gave its 3 seats to one applicant whom it ranks above you, and to 2 applicants whom it ranks "
                "equal to you and whose lottery numbers are smaller. Its last seat went to the applicant in place 3 of "
                "its order, in which the lottery breaks ties; you are in place 4."
            ),
        ),
        ("mine", Reason(Why.ASSIGNED, "mine", 2, 5, "mine", 5), "You got “mine”, number 5 on your list."),
        (
            "later",
            Reason(Why.GOT_BETTER, "later", 2, 6, "mine", 5),
            "You got “mine”, number 5 on your list, which you ranked above “later”, number 6.",
        ),
        ("other", Reason(Why.NOT_LISTED, "other", 1, got="mine"), "“other” is not on your list."),
    ],
)
def test_every_kind_of_reason_has_its_record_and_its_sentence(lab: str, reason: Reason, sentence: str) -> None:
    explained = why_not(COMPUTED, "zoe", lab)
    assert (explained, explained.sentence) == (reason, sentence)


@given(markets(), SEEDS)
def test_every_pair_has_a_reason_and_it_is_true(market: Market, seed: str) -> None:
    computed = solve(market, seed)
    for applicant, choices in market.applicants.items():
        for name, lab in market.labs.items():
            order, admitted = strict_order(market, seed, name), computed.admitted[name]
            explained = why_not(computed, applicant, name)
            place = order.index(applicant) + 1 if applicant in order else None
            last = max((order.index(other) + 1 for other in admitted), default=None)
            true = {
                Why.NOT_LISTED: name not in choices,
                Why.ASSIGNED: applicant in admitted,
                Why.GOT_BETTER: name in choices and computed.lab_of.get(applicant) in choices[: choices.index(name)],
                Why.NO_SEATS: lab.seats == 0,
                Why.NOT_ACCEPTABLE: applicant not in order,
                Why.FULL: explained.higher + explained.drawn == len(admitted) == lab.seats
                and (explained.place, explained.last_place) == (place, last)
                and (last or 0) < (place or 0),
            }
            assert true[explained.why]


def test_who_is_not_there_is_said_with_names_like_it() -> None:
    with pytest.raises(UnknownName) as refused:
        why_not(COMPUTED, "zoë", "best")
    assert str(refused.value) == ("There is no applicant “zoë”. Known are: “ann”, “ben”, “cem”, “dan”, “zoe”.")
    market = Market({}, {f"lab {index}": Lab(0) for index in range(1000)})
    with pytest.raises(UnknownName, match="There are 1,000") as refused:
        market.with_seats({"lab 7x": 1})
    assert "“lab 7”" in str(refused.value)


@pytest.mark.parametrize("lab_of", [{}, {"cem": "best", "zoe": "later"}])
def test_an_assignment_that_is_not_stable_is_given_no_reason(lab_of: dict[str, str]) -> None:
    with pytest.raises(NotStable):
        why_not(Round(MARKET, "4", lab_of), "zoe", "mine")


def test_the_order_of_a_lab_is_found_once_for_all_who_ask() -> None:
    computed = solve(Market({"a": ("x",), "b": ("x",)}, {"x": Lab(1, (("a", "b"),))}), "seed")
    assert computed.places_at("x") is computed.places_at("x")
    assert sorted(computed.places_at("x").values()) == [1, 2]
