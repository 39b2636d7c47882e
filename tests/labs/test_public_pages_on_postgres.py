from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.labs.pages import Document
from tests.labs.records import GENOMES, WEAVER, edit, store
from tests.labs.test_public_pages import PAGES

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings

pytestmark = pytest.mark.postgres


@pytest.fixture
def settings(settings: Settings, postgres_url: str) -> Settings:
    return {**settings, "PORTAL_DATABASE_URL": postgres_url}


def test_the_public_pages_are_the_same_on_postgresql(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    edit(app, replace(GENOMES, recruiting="Read with us."))
    for url in PAGES:
        assert client.get(url).status_code == 200, url
    page = Document(client.get("/labs/", query_string={"q": "李华 100%"}).text)
    assert "No lab matches" in page.text
    assert "Weaver Systems Lab" in Document(client.get("/labs/?q=李华%00+SYSTEMS").text).text
    assert "lastmod" in client.get("/sitemap.xml").text
