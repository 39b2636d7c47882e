"""The topic map on the page of matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index.live import live_index
from tests.applications.labs import LABS, add_labs
from tests.labs.following import small_labs
from tests.labs.pages import Document, text_of
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

PAGE = "/me/matches"


@pytest.fixture
def mapped(app: Flask) -> None:
    """Eight labs, placed after the fit."""
    add_labs(app, *LABS, *small_labs(5))
    with app.app_context():
        live_index(app).warm_up(db.session())


@pytest.fixture
def stated(me: FlaskClient, mapped: None) -> FlaskClient:  # noqa: ARG001  (the labs are there)
    submit(me, "/me/interests", {"topics-0-text": "federated learning", "topics-1-text": "LLM serving"})
    return me


def test_the_map_is_folded_below_the_labs_and_says_that_it_is_approximate(stated: FlaskClient) -> None:
    text = stated.get(PAGE).text
    parts = ['id="lab-federated-lab"', 'id="lab-serving-lab"', 'data-keep-open="topic-map">']
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    results = Document(text).within("results")
    assert "Topic map: you among 8 labs" in results
    assert "A flat map is approximate; the list above is exact." in results


def test_the_drawing_is_for_eyes_and_its_nearest_labs_are_said_too(stated: FlaskClient) -> None:
    page = Document(stated.get(PAGE).text)
    (drawing,) = [image for image in page.root.iter() if image.get("class") == "map-drawing"]
    assert drawing.get("aria-hidden") == "true"
    assert "Federated Lab: 1st in the ranking" in text_of(drawing)
    assert {link.get("tabindex") for link in drawing.iter() if link.tag.endswith("}a")} == {"-1"}
    said = page.within("results").partition("Nearest to you on the map:")[2]
    assert "Federated Lab (1st in the ranking)" in said
    assert "(does not fit)" in said


def test_further_pages_have_no_map(stated: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.applications.matches.PER_PAGE", 1)
    assert "Topic map" in stated.get(PAGE).text
    assert "opic map" not in stated.get(f"{PAGE}?page=2").text


def test_where_nothing_fits_there_is_no_map(me: FlaskClient, mapped: None) -> None:  # noqa: ARG001
    submit(me, "/me/interests", {"topics-0-text": "medieval poetry of Provence"})
    text = me.get(PAGE).text
    assert "No lab here fits" in text
    assert "opic map" not in text


def test_of_few_labs_there_is_no_map(me: FlaskClient, app: Flask) -> None:
    add_labs(app)
    with app.app_context():
        live_index(app).warm_up(db.session())
    submit(me, "/me/interests", {"topics-0-text": "federated learning"})
    assert 'id="lab-federated-lab"' in me.get(PAGE).text
    assert "opic map" not in me.get(PAGE).text
