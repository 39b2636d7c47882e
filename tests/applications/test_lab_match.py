"""/me/matches/<slug>: from a lab's profile to one's own match with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.applications.interests_form import PAGE, filled
from tests.labs.pages import Document
from tests.people import submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient

pytestmark = pytest.mark.usefixtures("labs")

MATCH = "/me/matches/serving-lab"


def test_a_match_has_its_place_and_its_evidence(me: FlaskClient) -> None:
    submit(me, PAGE, filled(("language model serving", "1"), **{"hardware-values": ["GPU"]}))
    page = Document(me.get(MATCH).text)
    assert page.title.startswith("How you match Serving Lab")
    for said in (
        "1st of 1 lab Open: Ph.D.",
        "Works behind the match",
        "Paged caches for language model serving",
        "What you asked for Hardware: GPU",
    ):
        assert said in page.text
    assert page.links["The profile of Serving Lab"] == "/labs/serving-lab"


def test_a_lab_that_does_not_fit_says_so_and_shows_no_empty_parts(me: FlaskClient) -> None:
    submit(me, PAGE, filled(("federated learning", "1")))
    page = Document(me.get(MATCH).text)
    assert "Too little in common to rank" in page.text
    assert "Works behind the match" not in page.text


def test_before_anything_is_stated_the_page_says_what_to_do(me: FlaskClient) -> None:
    page = Document(me.get(MATCH).text)
    assert "Nothing to match yet" in page.text
    assert page.links["State your interests"] == "/me/interests"


def test_one_shares_with_a_lab_and_stops_there(me: FlaskClient) -> None:
    assert "Let this lab read my interests and resume: Serving Lab" in Document(me.get(MATCH).text).text
    answer = submit(me, "/me/labs/serving-lab", {"act": "share", "next": MATCH}, page=MATCH)
    assert answer.headers["Location"] == MATCH
    shared = me.get(MATCH).text
    assert "Its professors can read your interests and your confirmed resume. This is not an application" in shared
    assert "Stop sharing with Serving Lab" in Document(shared).text
    submit(me, "/me/labs/serving-lab", {"act": "stop", "next": MATCH}, page=MATCH)
    assert "Let this lab read my interests and resume" in me.get(MATCH).text


def test_a_lab_that_is_not_there_is_not_found(me: FlaskClient) -> None:
    assert me.get("/me/matches/no-such-lab").status_code == 404
