from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from flask_migrate import upgrade

from tests.labs.pages import Document
from tests.labs.records import GENOMES, WEAVER, edit, store
from tests.labs.test_public_pages import PAGES
from tests.servers import postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def settings(settings: Settings, database: str) -> Settings:
    return {**settings, "PORTAL_DATABASE_URL": database}


def test_the_public_pages_are_the_same_on_postgresql(app: Flask, client: FlaskClient) -> None:
    with app.app_context():
        upgrade()
    store(app, WEAVER, GENOMES)
    edit(app, replace(GENOMES, recruiting="Read with us."))
    for url in PAGES:
        assert client.get(url).status_code == 200, url
    page = Document(client.get("/labs/", query_string={"q": "李华 100%"}).text)
    assert "No lab is like this" in page.text
    assert "Weaver Systems Lab" in Document(client.get("/labs/?q=李华%00+SYSTEMS").text).text
    news = client.get("/news.atom").text
    assert "Read with us." in news
    assert "New position: Ph.D. Two seats" in news
    assert "lastmod" in client.get("/sitemap.xml").text
