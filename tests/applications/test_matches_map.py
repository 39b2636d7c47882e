"""The topic map on the page of matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.topic_map import topic_maps
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
        topic_maps(app).draw(live_index(app).current(db.session()))


@pytest.fixture
def stated(me: FlaskClient, mapped: None) -> FlaskClient:  # noqa: ARG001  (the labs are there)
    submit(me, "/me/interests", {"topics-0-text": "federated learning", "topics-1-text": "LLM serving"})
    return me


def test_the_map_shows_me_among_the_labs_and_says_what_it_is(stated: FlaskClient) -> None:
    page = Document(stated.get(PAGE).text)
    results = page.within("results")
    assert "Topic map: you among 8 labs" in results
    assert "approximate" in results
    assert "The ranking itself is exact." in results
    (drawing,) = [image for image in page.root.iter() if image.get("class") == "map-drawing"]
    assert drawing.get("aria-hidden") == "true"
    assert "Federated Lab: 1st in the ranking" in text_of(drawing)


def test_the_labs_come_first_and_lead_to_the_map_below_them(stated: FlaskClient) -> None:
    page = stated.get(PAGE).text
    parts = ['href="#topic-map"', 'id="lab-federated-lab"', 'id="lab-serving-lab"', 'id="topic-map"']
    places = [page.index(part) for part in parts]
    assert places == sorted(places)


def test_the_map_is_a_table_too(stated: FlaskClient) -> None:
    page = Document(stated.get(PAGE).text)
    rows = [text_of(row) for row in page.one("table", class_="map-table").iter() if row.tag.endswith("}tr")]
    assert (rows[0], len(rows)) == ("Lab In the exact ranking", 9)
    assert {"Federated Lab 1st", "Serving Lab 2nd", "蛋白质实验室 does not fit"} <= set(rows[1:])


def test_where_nothing_fits_the_map_says_why_i_am_not_on_it(me: FlaskClient, mapped: None) -> None:  # noqa: ARG001
    submit(me, "/me/interests", {"topics-0-text": "medieval poetry of Provence"})
    results = Document(me.get(PAGE).text).within("results")
    assert "Topic map: 8 labs" in results
    assert "You are not on it, because no lab fits what you state." in results


def test_without_interests_or_many_labs_there_is_no_map(me: FlaskClient, app: Flask) -> None:
    assert "Topic map" not in me.get(PAGE).text
    submit(me, "/me/interests", {"topics-0-text": "queues"})
    add_labs(app)
    with app.app_context():
        topic_maps(app).draw(live_index(app).current(db.session()))
    assert "opic map" not in me.get(PAGE).text


def test_further_pages_have_the_map_folded(stated: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'data-keep-open="topic-map" open' in stated.get(PAGE).text
    monkeypatch.setattr("portal.applications.matches.PER_PAGE", 1)
    page = stated.get(f"{PAGE}?page=2").text
    assert 'data-keep-open="topic-map">' in page
