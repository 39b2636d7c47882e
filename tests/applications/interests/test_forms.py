from __future__ import annotations

from dataclasses import replace

import pytest

from portal.applications.forms import Difference, Merged, fingerprint, in_words
from portal.applications.interests.forms import LABELS, differences, merge, parts_of
from portal.applications.interests.service import Stated
from portal.matching import Topic

BEFORE = Stated((Topic("queues", 1.0),), "Before.", {"place": ("Berlin",)})


def test_a_form_of_what_is_saved_is_saved_as_it_is() -> None:
    mine = replace(BEFORE, statement="Mine.", discoverable=True)
    assert merge(mine, BEFORE, fingerprint(parts_of(BEFORE))) == Merged(mine)


def test_parts_that_only_one_side_changed_come_from_that_side() -> None:
    mine = replace(BEFORE, statement="Mine.")
    theirs = replace(BEFORE, topics=(), discoverable=True)
    merged = merge(mine, theirs, fingerprint(parts_of(BEFORE)))
    assert merged == Merged(replace(theirs, statement="Mine."), from_elsewhere=("topics", "discoverable"))


def test_a_part_that_both_changed_is_in_conflict_and_stays_mine() -> None:
    mine, theirs = replace(BEFORE, statement="Mine."), replace(BEFORE, statement="Theirs.")
    assert merge(mine, theirs, fingerprint(parts_of(BEFORE))) == Merged(mine, conflicting=("statement",))


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    mine = replace(BEFORE, statement="Same.")
    assert merge(mine, replace(mine), fingerprint(parts_of(BEFORE))) == Merged(mine)


@pytest.mark.parametrize("opened_with", ["", "x", "a.b.c", "a.b.c.d.e"])
def test_without_knowing_what_was_before_every_difference_is_a_conflict(opened_with: str) -> None:
    merged = merge(replace(BEFORE, topics=(), statement=""), BEFORE, opened_with)
    assert merged.conflicting == ("topics", "statement")


def test_the_weight_of_the_resume_is_always_the_saved_one() -> None:
    assert merge(BEFORE, replace(BEFORE, resume_weight=0.9), fingerprint(parts_of(BEFORE))).value.resume_weight == 0.9


def test_a_fingerprint_does_not_depend_on_the_order_of_the_facets() -> None:
    one = Stated(facets={"place": ("Berlin",), "degree": ("phd",)})
    assert fingerprint(parts_of(one)) == fingerprint(
        parts_of(Stated(facets={"degree": ("phd",), "place": ("Berlin",)}))
    )


def test_what_is_saved_is_shown_part_by_part() -> None:
    saved = Stated((Topic("LLM serving", 2.0), Topic("queues")), "", {"degree": ("phd",), "place": ("A", "B")})
    assert differences(saved, ("topics", "statement", "facets", "discoverable")) == [
        Difference("Topics", "LLM serving (weight 2)\nqueues (weight 1)"),
        Difference("Statement", "Nothing"),
        Difference("What the lab should have", "Degree: Ph.D.\nPlace: A, B"),
        Difference("Whether other labs may find you", "Only labs I share with or apply to can see me"),
    ]


def test_parts_are_listed_in_a_sentence() -> None:
    assert in_words([LABELS["topics"], LABELS["facets"]]) == "topics; what the lab should have"
