from __future__ import annotations

import random

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching import scoring as scoring_module
from portal.matching.segments import bounds, common

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
    monkeypatch.setattr(common, "FEW_ROWS", 3)
    monkeypatch.setattr(bounds, "_DENSE_FROM", 0.5)
    other = LabIndex.fit(LABS)
    assert [other.rank(query) for query in QUERIES] == [index.rank(query) for query in QUERIES]


def test_of_too_many_common_terms_some_are_kept_with_the_others(
    index: LabIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "MOST", 5)
    other = LabIndex.fit(LABS)
    assert len(other._state.layers[0].segment.common.terms) == 5
    assert [other.rank_explained(query) for query in QUERIES] == [index.rank_explained(query) for query in QUERIES]


def test_where_few_labs_fit_all_of_them_are_found() -> None:
    dice = random.Random(5)  # noqa: S311 - the same labs in every run
    words = [first + second for first in ("tor", "mel", "sip", "gan", "ruv") for second in ("ax", "on", "ik", "ub")]

    def text(length: int) -> str:
        return " ".join(dice.choices(words, weights=[1 / rank for rank in range(1, 21)], k=length))

    labs = [LabDoc(f"lab{number:03d}", text(3), [WorkDoc("w", text(3), "")]) for number in range(150)]
    index = LabIndex.fit(labs)
    for _ in range(12):
        query = Query([Topic(text(5))], resume=text(40), correct_spelling=False)
        explained = (index.explain(query, lab.key) for lab in labs)
        expected = sorted((-item.score, item.lab) for item in explained if item.fits)
        for k in (1, 20, 150):
            assert [(-match.score, match.lab) for match in index.rank(query, k)] == expected[:k]


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
