"""Any word that some lab uses can be asked for, also an everyday word or a letter that is a name there."""

from __future__ import annotations

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc

LABS = (
    LabDoc("languages", "We write compilers in Go, R and C, and teach golang.", ()),
    LabDoc("office", "The IT of hospitals, and news about citation of preprints.", ()),
    LabDoc("search", "", (WorkDoc("a", "The A* search of paths", "Navigation of robots by A*."),)),
    LabDoc("radio", "", (WorkDoc("o", "Open radio: O-RAN in practice", "We study O-RAN."),)),
    LabDoc("cells", "", (WorkDoc("t", "Receptors of T cells", "A T cell meets an antigen."),)),
)


@pytest.mark.parametrize(
    ("text", "lab"),
    [
        ("R", "languages"),
        ("Go", "languages"),
        ("go", "languages"),
        ("golang", "languages"),
        ("C", "languages"),
        ("compilers in Go", "languages"),
        ('"go"', "languages"),
        ("IT", "office"),
        ("it", "office"),
        ("news", "office"),
        ("citation", "office"),
        ("preprints", "office"),
        ("A*", "search"),
        ("navigation", "search"),
        ("O-RAN", "radio"),
        ("T cell", "cells"),
        ("T-cells", "cells"),
    ],
)
def test_a_word_that_some_lab_uses_can_be_asked_for(text: str, lab: str) -> None:
    matches = LabIndex.fit(LABS).rank(Query([Topic(text)]))
    assert [match.lab for match in matches][:1] == [lab]


def test_an_everyday_word_that_was_left_out_is_named_and_quotation_marks_insist_on_it() -> None:
    index = LabIndex.fit(LABS)
    plain, insisting = Query([Topic("ways to go")]), Query([Topic('ways to "go"')])
    assert index.left_out(plain) == ("go",)
    assert index.left_out(insisting) == ()
    assert index.score(insisting, "languages") > index.score(plain, "languages")
    assert index.left_out(Query([Topic("the of")])) == ("the", "of")


def test_an_article_and_the_words_of_prose_are_not_said_to_be_left_out() -> None:
    index = LabIndex.fit(LABS)
    assert index.left_out(Query([Topic("statistics in R and a compiler")])) == index.left_out(
        Query([Topic("R compiler")])
    )
    assert index.left_out(Query(statement="I would like to go on with compilers in a lab.")) == ()
