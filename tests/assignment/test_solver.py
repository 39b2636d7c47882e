"""Deferred acceptance, against a checker that shares nothing with it and against trying everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.assignment import Lab, Market, MarketError, Round, certificate, lists_digest, read_round, solve
from portal.assignment.verify import check
from tests.assignment.markets import SEEDS, best_stable, markets


@given(markets(), SEEDS)
def test_every_market_has_an_assignment_that_the_checker_proves(market: Market, seed: str) -> None:
    computed = solve(market, seed)
    text = certificate(computed)
    verdict = check(text.encode())
    assert verdict.violations == ()
    assert (verdict.placed, verdict.seed, verdict.lists) == (len(computed.lab_of), seed, lists_digest(market))
    assert read_round(text) == computed


@given(markets(people=4, labs=4, least=2), SEEDS)
def test_everybody_gets_the_best_lab_of_any_stable_assignment(market: Market, seed: str) -> None:
    computed = solve(market, seed)
    assert {applicant: computed.lab_of.get(applicant) for applicant in market.applicants} == best_stable(market, seed)


@given(markets(), st.data())
def test_the_order_of_the_input_changes_nothing(market: Market, data: st.DataObject) -> None:
    applicants = dict(data.draw(st.permutations(list(market.applicants.items()))))
    labs = {
        name: Lab(lab.seats, tuple(tuple(data.draw(st.permutations(group))) for group in lab.order))
        for name, lab in data.draw(st.permutations(list(market.labs.items())))
    }
    assert certificate(solve(Market(applicants, labs), "seed")) == certificate(solve(market, "seed"))


def test_the_seed_decides_between_equals_and_nothing_else() -> None:
    market = Market({"an": ("x",), "bo": ("x",), "cy": ("x",)}, {"x": Lab(2, (("cy",), ("an", "bo")))})
    admitted = {seed: sorted(solve(market, seed).lab_of) for seed in ("", "1", "2", "3", "4")}
    # printf '%s\n%s' 1 an | sha256sum, and so on: the smaller number of an and bo comes first.
    assert admitted == {"": ["bo", "cy"], "1": ["an", "cy"], "2": ["bo", "cy"], "3": ["an", "cy"], "4": ["an", "cy"]}


def test_a_whole_chain_moves_when_one_comes() -> None:
    size = 3000  # a chain that recursion would not survive
    names = [f"p{index}" for index in range(size)]
    applicants = {name: (f"l{index}", f"l{index + 1}") for index, name in enumerate(names)}
    labs = {f"l{index}": Lab(1, ((names[index - 1],), (names[index],))) for index in range(1, size)}
    labs |= {"l0": Lab(1, (("new",), ("p0",))), f"l{size}": Lab(1, ((names[-1],),))}
    computed = solve(Market({**applicants, "new": ("l0",)}, labs), "")
    assert computed.lab_of == {"new": "l0"} | {name: f"l{index + 1}" for index, name in enumerate(names)}


@pytest.mark.parametrize(
    ("applicants", "labs", "problems"),
    [
        ({"an": ("x", "y", "x")}, {"x": Lab(1)}, [
            "The list of “an” has the lab “x” 2 times.",
            "The list of “an” has the lab “y”, which is not in the market.",
        ]),
        ({"an": ()}, {"x": Lab(-1, (("an", "bo"), ("an",)))}, [
            "The lab “x” has -1 seats; it takes a whole number from 0.",
            "The order of the lab “x” has “an” 2 times.",
            "The order of the lab “x” has “bo”, who is not in the market.",
        ]),
        ({"": ()}, {"\ud800\x1b": Lab(True)}, [
            "The name of an applicant is empty.",
            r"The name of the lab '\ud800\x1b' cannot be written as UTF-8.",
            "The lab “\ud800\x1b” has True seats; it takes a whole number from 0.",
        ]),
    ],
)  # fmt: skip
def test_a_contradictory_market_is_refused_with_all_its_problems(
    applicants: dict[str, tuple[str, ...]], labs: dict[str, Lab], problems: list[str]
) -> None:
    with pytest.raises(MarketError) as refused:
        Market(applicants, labs)
    assert list(refused.value.problems) == problems


def test_nobody_and_nothing_is_a_market() -> None:
    assert solve(Market({}, {}), "") == Round(Market({}, {}), "", {})


def test_a_seed_that_has_no_bytes_is_refused() -> None:
    with pytest.raises(MarketError, match="seed"):
        solve(Market({}, {}), "\udc00")
