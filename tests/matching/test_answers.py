"""Lists are cached: the same question gets the same answer, until an edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.matching import LabIndex, Query, Topic
from portal.matching.query import questions

from .corpus import LABS

if TYPE_CHECKING:
    import pytest

ASKED = Query((Topic("federated learning"), Topic("LLM serving", 0.5)), facets={"place": ["Hong Kong"]})


def test_a_list_asked_again_is_the_same_with_what_was_read_for_it() -> None:
    index = LabIndex.fit(LABS)
    first, again = index.rank_explained(ASKED), index.rank_explained(ASKED)
    assert first == again
    assert first[0][1].evidence is again[0][1].evidence
    assert first[0][1].missing is again[0][1].missing


def test_the_topics_of_gaps_do_not_push_out_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_SHORT_QUERIES", 1)
    index = LabIndex.fit(LABS)
    first = index.rank_explained(ASKED)
    assert [gap for _, explanation in first for gap in explanation.missing]
    assert index.rank_explained(ASKED)[0][1] is first[0][1]


def test_what_a_reader_does_to_a_list_stays_with_the_reader() -> None:
    index = LabIndex.fit(LABS)
    ranked, explained = index.rank(ASKED), index.rank_explained(ASKED)
    index.rank(ASKED).clear()
    index.rank_explained(ASKED).clear()
    assert (index.rank(ASKED), index.rank_explained(ASKED)) == (ranked, explained)
    assert len(ranked) > 0


def test_lists_of_several_lengths_and_facets_are_told_apart() -> None:
    index = LabIndex.fit(LABS)
    all_of_them = index.rank(ASKED)
    assert len(all_of_them) > 1
    assert [len(index.rank(ASKED, k)) for k in (1, 20, 1)] == [1, len(all_of_them), 1]
    wanted = [query.facets for query in (ASKED, replace(ASKED, facets={"place": ["Beijing"]}), ASKED)]
    checked = [index.rank_explained(replace(ASKED, facets=facets))[0][1] for facets in wanted]
    assert [
        [check.wanted for check in (*explanation.facets_met, *explanation.facets_missed)] for explanation in checked
    ] == [
        [("Hong Kong",)],
        [("Beijing",)],
        [("Hong Kong",)],
    ]


def test_long_lists_take_no_memory_and_are_the_same() -> None:
    index = LabIndex.fit(LABS)
    for k in (100, 101, 10_000):
        assert index.rank(ASKED, k) == index.rank(ASKED)
        assert index.rank_explained(ASKED, k) == index.rank_explained(ASKED)
    are_cached = [index.rank_explained(ASKED, k)[0][1] is index.rank_explained(ASKED, k)[0][1] for k in (100, 101)]
    assert are_cached == [True, False]


def test_the_next_list_after_an_edit_has_it() -> None:
    index = LabIndex.fit(LABS)
    best = index.rank(ASKED)[0].lab
    assert index.rank_explained(ASKED)[0][1].lab == best
    index.remove(best)
    assert best not in {match.lab for match in index.rank(ASKED)}
    assert best not in {why.lab for _, why in index.rank_explained(ASKED)}
    index.replace(next(lab for lab in LABS if lab.key == best))
    assert (index.rank(ASKED)[0].lab, index.rank_explained(ASKED)[0][1].lab) == (best, best)
