"""“Why not lab X” has exactly one true answer, and names nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given

from portal.assignment import Lab, Market, NotStable, Reason, Round, Why, solve, why_not
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
        ("best", Reason(Why.FULL, 5, place=2, last_place=1), "Full: last seat to place 1, this is place 2"),
        ("shut", Reason(Why.NO_SEATS, 5), "No seats"),
        ("picky", Reason(Why.NOT_ACCEPTABLE, 5), "Not ranked by the lab"),
        (
            "full",
            Reason(Why.FULL, 5, place=4, last_place=3, drawn=2),
            "Full: last seat to place 3, this is place 4; 2 seats drawn by lot",
        ),
        ("mine", Reason(Why.ASSIGNED, 5), "Got it"),
        ("later", Reason(Why.GOT_BETTER, 5), "Got choice 5 instead"),
        ("other", Reason(Why.NOT_LISTED, 5), "Not on their list"),
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
                Why.FULL: len(admitted) == lab.seats
                and explained.drawn
                == sum(other in group for group in lab.order if applicant in group for other in admitted)
                and (explained.place, explained.last_place) == (place, last)
                and (last or 0) < (place or 0),
            }
            assert true[explained.why]


@pytest.mark.parametrize("lab_of", [{}, {"cem": "best", "zoe": "later"}])
def test_an_assignment_that_is_not_stable_is_given_no_reason(lab_of: dict[str, str]) -> None:
    with pytest.raises(NotStable):
        why_not(Round(MARKET, "4", lab_of), "zoe", "mine")


def test_the_order_of_a_lab_is_found_once_for_all_who_ask() -> None:
    computed = solve(Market({"a": ("x",), "b": ("x",)}, {"x": Lab(1, (("a", "b"),))}), "seed")
    assert computed.places_at("x") is computed.places_at("x")
    assert sorted(computed.places_at("x").values()) == [1, 2]
