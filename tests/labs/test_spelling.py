"""Pages say how misspelt words were read, and the other reading is one click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.labs.matches import spelling_note
from portal.matching import Correction, LabDoc, LabIndex, Query, Topic
from tests.labs.pages import Document, text_of
from tests.labs.records import GENOMES, WEAVER, store
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

MISSPELT = "servng of langauge models"
MEND = Correction("fedrated", "federated")


@pytest.fixture
def index() -> LabIndex:
    return LabIndex.fit([LabDoc("one", "Federated learning on mobile devices, with privacy.", ())])


@pytest.fixture
def labs(app: Flask) -> Flask:
    store(app, WEAVER, GENOMES)
    return app


def results(html: str) -> str:
    return Document(html).within("results")


def first_terms(html: str) -> str:
    """What the first match has in common with the text; nothing where nothing fits."""
    return " ".join(map(text_of, list(Document(html).all("p", class_="match-why"))[:1]))


def test_misspelt_words_are_told_with_what_was_read(index: LabIndex) -> None:
    note = spelling_note(index, Query([Topic("Fast fedrated learning!")]))
    assert note is not None
    assert note.corrections == (MEND,)
    assert note.typed == "“fedrated”"
    assert not note.as_typed


def test_words_that_are_right_need_no_note(index: LabIndex) -> None:
    assert spelling_note(index, Query([Topic("federated learning")])) is None
    assert spelling_note(index, Query()) is None


def test_what_was_taken_as_typed_can_still_be_corrected(index: LabIndex) -> None:
    note = spelling_note(index, Query([Topic("fedrated")], correct_spelling=False))
    assert note is not None
    assert note.as_typed
    assert note.corrections == (MEND,)


def test_of_several_texts_all_misspelt_words_are_told(index: LabIndex) -> None:
    note = spelling_note(index, Query([Topic("fedrated"), Topic("privcy")]))
    assert note is not None
    assert note.typed == "“fedrated”, “privcy”"


def test_topics_that_weigh_nothing_and_resumes_are_not_spoken_of(index: LabIndex) -> None:
    assert spelling_note(index, Query([Topic("fedrated", 0)], resume="privcy")) is None


def test_a_misspelt_text_is_read_as_meant_and_says_so(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = submit(client, "/", {"q": MISSPELT}).text
    assert results(page).startswith(
        "Read as “serving”, “language”, not “servng”, “langauge”. Search for “servng”, “langauge” as typed instead"
    )
    button = Document(page).one("button", name="as_typed")
    assert (button.get("value"), button.get("form")) == ("1", "ask")
    assert Document(page).within("q") == MISSPELT


def test_as_typed_the_words_count_as_they_stand_and_the_way_back_is_there(labs: Flask, client: FlaskClient) -> None:
    del labs
    corrected = submit(client, "/", {"q": MISSPELT}).text
    page = submit(client, "/", {"q": MISSPELT, "as_typed": "1"}).text
    typed = results(page)
    assert typed.startswith("Read “servng”, “langauge” as typed. Search for “serving”, “language” instead")
    assert "language" in first_terms(corrected)
    assert "language" not in first_terms(page)
    assert Document(page).one("input", name="as_typed").get("value") == "1"


def test_of_the_kept_answer_and_the_pressed_button_the_button_counts(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = submit(client, "/", {"q": MISSPELT, "as_typed": ["1", "0"]}).text
    assert results(page).startswith("Read as “serving”, “language”, not")


def test_a_link_keeps_its_text_and_gets_the_choice_into_its_address(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(client.get("/", query_string={"q": MISSPELT}).text)
    way = page.links["Search for “servng”, “langauge” as typed instead"]
    assert way == "/?q=servng+of+langauge+models&as_typed=1"
    back = Document(client.get(way).text).links["Search for “serving”, “language” instead"]
    assert back == "/?q=servng+of+langauge+models"


def test_the_text_that_is_posted_stands_in_no_link(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(submit(client, "/", {"q": MISSPELT}).text)
    assert [href for href in page.links.values() if "servng" in href] == []


def test_the_match_with_one_lab_says_it_too(labs: Flask, client: FlaskClient) -> None:
    del labs
    address = f"/labs/{WEAVER.key}/match"
    assert results(submit(client, address, {"q": MISSPELT}).text).startswith(
        "Read as “serving”, “language”, not “servng”, “langauge”. Search for"
    )
    page = Document(submit(client, address, {"q": MISSPELT, "as_typed": "1"}).text)
    assert page.within("results").startswith("Read “servng”, “langauge” as typed.")
    assert [field.get("value") for field in page.all("input", name="as_typed")] == ["1", "1"]


def test_html_beside_a_misspelt_word_is_shown_as_text(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = submit(client, "/", {"q": "<b>servng</b> <i>langauge</i> <script>alert(1)</script>"}).text
    assert "<b>" not in page
    assert "<script>alert" not in page
    assert results(page).startswith("Read as “serving”, “language”, not")
