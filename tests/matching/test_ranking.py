from __future__ import annotations

import random

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc, bounds, ranking
from portal.matching import scoring as scoring_module

WORDS = [
    f"{first}{second}" for first in ("graph", "cache", "robot", "gene", "tensor") for second in ("ics", "um", "al")
]


def many_labs(count: int, most_works: int) -> list[LabDoc]:
    dice = random.Random(7)  # noqa: S311 - the same labs in every run

    def text(length: int) -> str:
        return " ".join(dice.choices(WORDS, weights=range(1, len(WORDS) + 1), k=length))

    return [
        LabDoc(
            f"lab{number:04d}",
            text(dice.randrange(6)),
            [WorkDoc(f"w{work}", text(3), text(6)) for work in range(dice.randrange(most_works))],
        )
        for number in range(count)
    ]


LABS = many_labs(600, 6)
QUERIES = [
    Query([Topic("graphics cacheum")]),
    Query([Topic("robotal"), Topic("geneics tensorum", 2)], "cacheal and graphum", "I know tensorics " * 30),
    Query(statement="geneal robotics", resume="graphics"),
]


@pytest.fixture(scope="module")
def index() -> LabIndex:
    return LabIndex.fit(LABS)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("k", [1, 20, 600])
def test_the_first_labs_are_those_of_scoring_every_lab(index: LabIndex, query: Query, k: int) -> None:
    explained = (index.explain(query, lab.key) for lab in LABS)
    expected = sorted((-item.score, item.lab) for item in explained if item.fits)
    assert [(-match.score, match.lab) for match in index.rank(query, k)] == expected[:k]


def test_bounds_by_term_and_by_row_lead_to_the_same_labs(index: LabIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_FEW_ROWS", 3)
    monkeypatch.setattr(bounds, "_DENSE_FROM", 0.5)
    other = LabIndex.fit(LABS)
    assert [other.rank(query) for query in QUERIES] == [index.rank(query) for query in QUERIES]


def test_labs_do_not_depend_on_the_order_in_which_they_come(index: LabIndex) -> None:
    other = LabIndex.fit(reversed(LABS))
    assert [other.rank_explained(query, 5) for query in QUERIES] == [
        index.rank_explained(query, 5) for query in QUERIES
    ]


def test_a_lab_with_many_works_is_scored_like_one_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    labs = many_labs(20, 90)
    index = LabIndex.fit(labs)
    before = [[index.score(query, lab.key) for lab in labs] for query in QUERIES]
    monkeypatch.setattr(scoring_module, "_WIDEST", 0)
    assert [[index.score(query, lab.key) for lab in labs] for query in QUERIES] == before


def test_only_so_many_labs_are_tried_where_few_fit(index: LabIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_MOST_LOOKED_AT", 30)
    whole = index.rank(QUERIES[0], 600)
    monkeypatch.setattr(ranking, "_SPARE", -590)
    short = index.rank(QUERIES[0], 600)
    assert short == [match for match in whole if match in short][: len(short)]
    assert len(short) < len(whole)
