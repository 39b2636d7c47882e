"""Two people edit one concept: nothing of either is lost, nothing is overwritten unseen."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from portal.admin.concepts.merging import changes, merge_concepts
from portal.labs.concepts.in_use import snapshot
from tests.admin.concepts import CARD, CARD_FORM, CONCEPTS, in_use, reasons, somebody_saves, store_concepts
from tests.admin.test_merging import fields_of

if TYPE_CHECKING:
    from tests.admin.desk import Desk

URL = f"{CONCEPTS}1"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """An administrator and three concepts."""
    store_concepts(desk.app)
    return desk


def test_what_only_one_side_changed_is_taken() -> None:
    mine, theirs = replace(CARD, strength=0.1), replace(CARD, why="Theirs.")
    merge = merge_concepts(CARD, mine, theirs)
    assert (merge.concept, merge.disputed) == (replace(CARD, strength=0.1, why="Theirs."), ())


def test_of_lists_the_phrases_of_both_come_in_and_go_out() -> None:
    mine = replace(CARD, plain=("gaming PC", "mine"), terms=("GPU", "accelerator"))
    theirs = replace(CARD, plain=("theirs", "video card", "gaming PC"), terms=())
    merge = merge_concepts(CARD, mine, theirs)
    assert merge.concept.plain == ("theirs", "gaming PC", "mine")
    assert merge.concept.terms == ("accelerator",)
    assert merge.disputed == ()


def test_where_both_changed_the_same_it_is_mine_and_told() -> None:
    merge = merge_concepts(CARD, replace(CARD, why="Mine.", strength=0.2), replace(CARD, why="Theirs.", strength=0.2))
    assert (merge.concept.why, merge.disputed) == ("Mine.", ("why",))


def test_who_added_the_entry_stays_as_it_is_stored() -> None:
    assert merge_concepts(CARD, CARD, replace(CARD, added_by="Theirs")).concept.added_by == "Theirs"


def test_changes_are_told_by_field_as_texts() -> None:
    later = replace(CARD, plain=("video card",), strength=0.25)
    assert changes(snapshot(CARD, "active"), snapshot(later, "retired")) == [
        ("Plain words", "video card\ngaming PC", "video card"),
        ("Strength", "0.9", "0.25"),
        ("State", "In use", "Retired"),
    ]
    assert changes(None, snapshot(CARD, "active"))[0] == ("Plain words", "", "video card\ngaming PC")


def test_the_second_of_two_gets_both_edits_in_the_form_and_saves_again(desk: Desk) -> None:
    somebody_saves(desk.app, 1, replace(CARD, terms=("GPU", "accelerator"), strength=0.5), "They know")
    sent = {**CARD_FORM, "plain": "video card\ngaming PC\ngraphics board", "strength": "0.3", "query": "my query"}
    response = desk.post(URL, sent)
    page = html.unescape(response.text)
    assert response.status_code == 409
    assert "saved revision 2 while you edited: They know" in page
    assert "where both of you changed the same (Strength) it holds yours" in page
    assert in_use(desk.app)[0].strength == 0.5
    both = fields_of(response.text, URL)
    assert both["base"] == "2"
    assert both["plain"] == "video card\ngaming PC\ngraphics board"
    assert both["terms"] == "GPU\naccelerator"
    assert (both["strength"], both["reason"], both["query"]) == ("0.3", "My reason", "my query")
    del both["try"]
    assert desk.client.post(URL, data=both).status_code == 302
    merged = replace(
        CARD, plain=("video card", "gaming PC", "graphics board"), terms=("GPU", "accelerator"), strength=0.3
    )
    assert in_use(desk.app)[0] == merged
    assert reasons(desk.app, 1)[:2] == ["My reason", "They know"]


def test_the_same_edit_made_twice_is_no_dispute(desk: Desk) -> None:
    somebody_saves(desk.app, 1, replace(CARD, strength=0.5))
    assert desk.post(URL, {**CARD_FORM, "strength": "0.5"}).status_code == 302
    assert "Nothing changed: the entry says this already." in desk.client.get(CONCEPTS).text


@pytest.mark.parametrize("base", ["", "0", "99", "one", "9" * 30])
def test_a_form_that_does_not_say_where_it_began_is_shown_again(desk: Desk, base: str) -> None:
    response = desk.post(URL, {**CARD_FORM, "base": base, "strength": "0.5"})
    assert response.status_code == 422
    assert "This form did not say which revision it began with." in response.text
    assert 'value="0.5"' in response.text
    assert in_use(desk.app)[0] == CARD
