"""How much of a match each sentence of a lab's works carries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, TermShare, Topic, WorkDoc, mark
from portal.matching.explanation.heat import STEPS, heat, step
from tests.matching.corpus import LABS, corpora, queries

PAGED = WorkDoc(
    "paged",
    "Paged caches for serving",
    "Caches are hard. Serving needs caches; caches need pages. Nothing else matters here.",
)
OTHER = WorkDoc("other", "On serving", "")


def share(term: str, value: float, *works: str) -> TermShare:
    return TermShare(term, value, "topic", works)


def test_every_sentence_of_title_and_abstract_is_a_cell_in_order() -> None:
    (work,) = heat([PAGED], [])
    assert [(cell.sentence, cell.in_title, cell.share, cell.spans) for cell in work.cells] == [
        ("Paged caches for serving", True, 0.0, ()),
        ("Caches are hard.", False, 0.0, ()),
        ("Serving needs caches;", False, 0.0, ()),
        ("caches need pages.", False, 0.0, ()),
        ("Nothing else matters here.", False, 0.0, ()),
    ]
    assert work.share == 0.0


def test_a_term_is_spread_over_the_sentences_that_have_it() -> None:
    (work,) = heat([PAGED], [share("caching", 0.4, "paged")])
    assert [cell.share for cell in work.cells] == [0.1, 0.1, 0.1, 0.1, 0.0]
    assert work.cells[1].spans == ((0, 6),)


def test_a_sentence_that_has_a_term_twice_carries_twice_as_much() -> None:
    twice = WorkDoc("twice", "A cache is a cache", "One cache.")
    (work,) = heat([twice], [share("cache", 0.3, "twice")])
    assert [cell.share for cell in work.cells] == pytest.approx([0.2, 0.1])


def test_only_works_that_carry_a_term_get_of_it() -> None:
    paged, other = heat([PAGED, OTHER], [share("serving", 0.2, "other")])
    assert (paged.work, paged.share) == ("paged", 0.0)
    assert (other.work, other.share) == ("other", 0.2)


def test_of_a_phrase_the_whole_must_be_there() -> None:
    (work,) = heat([PAGED], [share("paged caches", 0.2, "paged")])
    assert [cell.share for cell in work.cells] == [0.2, 0.0, 0.0, 0.0, 0.0]
    assert work.cells[0].spans == ((0, 12),)


def test_what_no_sentence_has_is_carried_by_none() -> None:
    (work,) = heat([PAGED], [share("vLLM", 0.2, "paged"), share("serving", 0.1)])
    assert work.share == 0.0


def test_no_works_and_empty_works_have_no_cells() -> None:
    assert heat([], [share("serving", 0.1, "paged")]) == ()
    assert heat([WorkDoc("empty", "", "")], []) == heat([WorkDoc("empty", "…", "  ")], [])
    assert heat([WorkDoc("empty", "", "")], [])[0].cells == ()


def test_sentences_of_scripts_without_spaces_are_found_too() -> None:
    chinese = WorkDoc("zh", "联邦学习系统", "我们研究联邦学习。其他内容。")
    (work,) = heat([chinese], [share("联邦", 0.2, "zh")])
    assert [cell.share for cell in work.cells] == pytest.approx([0.1, 0.1, 0.0])


def test_cells_of_a_real_explanation_add_up_to_the_terms_in_them() -> None:
    index = LabIndex.fit(LABS)
    ((_, why), *_) = index.rank_explained(Query([Topic("KV-cache compression for LLM serving")]))
    works = {work.key: work for work in index.lab(why.lab).works}
    cells = heat([works[item.work] for item in why.evidence], why.terms)
    carried = sum(term.share for term in why.terms if term.works)
    assert sum(work.share for work in cells) == pytest.approx(carried)
    assert max(cell.share for work in cells for cell in work.cells) > 0.1 * why.score


@given(corpora, queries)
def test_cells_never_carry_more_than_the_score(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs)
    for key in (lab.key for lab in labs):
        why = index.explain(query, key)
        works = {work.key: work for work in index.lab(key).works}
        works_heat = heat([works[item.work] for item in why.evidence], why.terms)
        assert [work.work for work in works_heat] == [item.work for item in why.evidence]
        assert sum(work.share for work in works_heat) <= why.score + 1e-6
        for work in works_heat:
            for cell in work.cells:
                assert cell.share >= 0
                assert (cell.spans == ()) == (cell.share == 0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_darker_never_means_less(first: float, second: float) -> None:
    less, more = sorted((first, second))
    assert step(less, 1.0) <= step(more, 1.0)


def test_steps_are_parts_of_the_score() -> None:
    assert [step(share, 0.5) for share in (0.0, 0.0001, 0.01, 0.025, 0.05, 0.1, 0.5)] == [0, 1, 2, 3, 4, 5, 5]
    assert step(0.1, 0.0) == 0
    assert len(STEPS) == 4


def test_words_are_marked_where_mark_would_mark_them() -> None:
    abstract = "Paged *caches* serve; see https://example.org/x. Serving paged caches, é and paging."
    (work,) = heat([WorkDoc("w", "", abstract)], [share("paged caches", 0.2, "w"), share("serving", 0.1, "w")])
    for cell in work.cells:
        wanted = [term for term in ("paged caches", "serving") if mark(cell.sentence, [term])]
        assert cell.spans == mark(cell.sentence, wanted)
