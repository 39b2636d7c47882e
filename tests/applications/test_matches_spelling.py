"""Misspelt interests: read as meant in the list of matches, kept as they were typed, and taken as typed on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.service import topic_key
from tests.labs.pages import Document
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from portal.applications.interests.service import Stated

PAGE = "/me/matches"
AS_TYPED = f"{PAGE}?as_typed=1"
WEIGHT = f"weight-{topic_key('fedrated learning')}"


@pytest.fixture
def me_misspelling(me: FlaskClient, labs: None) -> FlaskClient:  # noqa: ARG001  (the labs are there)
    answer = submit(me, "/me/interests", {"topics-0-text": "fedrated learning", "statement": "Privcy of phones."})
    assert answer.status_code == 302
    return me


def test_misspelt_interests_are_read_as_meant_and_kept_as_typed(
    me_misspelling: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = Document(me_misspelling.get(PAGE).text)
    said = "Read as “federated”, “privacy”, not “fedrated”, “Privcy”."
    assert page.within("results").startswith(said)
    assert page.links["Search for “fedrated”, “Privcy” as typed instead"] == AS_TYPED
    me_misspelling.get(AS_TYPED)
    assert [topic.text for topic in stored().topics] == ["fedrated learning"]
    assert stored().statement == "Privcy of phones."


def test_the_choice_lasts_for_the_view(me_misspelling: FlaskClient, stored: Callable[[], Stated]) -> None:
    page = Document(me_misspelling.get(f"{AS_TYPED}&{WEIGHT}=2").text)
    assert page.within("results").startswith("Read “fedrated”, “Privcy” as typed.")
    assert page.links["Search for “federated”, “privacy” instead"] == f"{PAGE}?{WEIGHT}=2"
    assert page.links["Back to your saved weights"] == AS_TYPED
    # The sliders and the button that keeps the weights carry it on.
    assert [field.get("value") for field in page.all("input", name="as_typed")] == ["1", "1"]
    answer = submit(me_misspelling, f"{PAGE}/weights", {WEIGHT: "2", "version": "1", "as_typed": "1"}, page=PAGE)
    assert answer.headers["Location"] == AS_TYPED
    assert stored().topics[0].weight == 2.0


def test_weights_that_were_not_kept_come_back_with_the_choice(me_misspelling: FlaskClient) -> None:
    for wrong in ({WEIGHT: "7", "version": "1"}, {WEIGHT: "2", "version": "9"}):
        answer = submit(me_misspelling, f"{PAGE}/weights", wrong | {"as_typed": "1"}, page=PAGE)
        assert "as_typed=1" in answer.headers["Location"]


def test_where_nothing_fits_the_reading_is_said_too(me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    submit(me, "/me/interests", {"topics-0-text": "fedrated"})
    assert "1 of 3 labs fits" in me.get(PAGE).text
    page = Document(me.get(AS_TYPED).text).within("results")
    assert page.startswith("Read “fedrated” as typed. Search for “federated” instead No lab here fits")


def test_right_words_need_no_note(me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    submit(me, "/me/interests", {"topics-0-text": "federated learning"})
    for address in (PAGE, AS_TYPED):
        assert "as typed" not in me.get(address).text


def test_what_was_left_out_of_the_resume_is_one_click_away(me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    words = "Resume as we read it"
    assert words not in Document(me.get(PAGE).text).links
    submit(me, "/me/resume", {"text": "Jane Doe, born 1 May 1999. I trained federated models.", "use": "text"})
    assert words not in Document(me.get(PAGE).text).links
    digest = Document(me.get("/me/resume/text").text).one("input", name="sha256").get("value")
    submit(me, "/me/resume/text", {"sha256": digest})
    address = Document(me.get(PAGE).text).links[words]
    assert address == "/me/resume/text#what-was-read"
    shown = Document(me.get(address.partition("#")[0]).text)
    assert "what-was-read" in shown.ids
    assert "May 1999" in "".join("".join(left_out.itertext()) for left_out in shown.all("s"))
