from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from portal.seeding.records import LabRecord
from tests.labs.records import GENOMES, WEAVER, small_lab, store

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
BASE = "https://portal.example.edu"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return {**settings, "PORTAL_BASE_URL": BASE}


def addresses(client: FlaskClient, url: str = "/sitemap.xml") -> list[str]:
    root = ET.fromstring(client.get(url).data)  # noqa: S314  (our own answer)
    return [str(element.text) for element in root.iter(f"{SITEMAP}loc")]


def test_the_sitemap_lists_every_public_page_and_all_of_them_answer(app: Flask, client: FlaskClient) -> None:
    records = [WEAVER, GENOMES, LabRecord("chinese", "织造 & <实验室>"), *(small_lab(number) for number in range(40))]
    store(app, *records)
    listed = addresses(client)
    assert listed[:4] == [f"{BASE}/", f"{BASE}/labs/", f"{BASE}/systems/", f"{BASE}/about"]
    assert sorted(listed[4:]) == sorted(f"{BASE}/labs/{record.key}" for record in records)
    answers = [client.get(url.removeprefix(BASE)) for url in listed]
    assert {(answer.status_code, answer.headers.get("X-Robots-Tag")) for answer in answers} == {(200, None)}
    assert all('rel="canonical"' in answer.text for answer in answers)


def test_robots_are_led_from_private_pages_to_where_they_may_not_go_and_shown_the_map(client: FlaskClient) -> None:
    response = client.get("/robots.txt")
    assert response.mimetype == "text/plain"
    lines = response.text.splitlines()
    assert lines[:2] == ["User-agent: *", "Disallow: /accounts"]
    assert lines[-1] == f"Sitemap: {BASE}/sitemap.xml"
    for private in ("/me/", "/me/matches", "/reviews/", "/admin/", "/jobs/1"):
        assert client.get(private).headers["Location"].startswith("/accounts/login")


def test_a_portal_under_a_path_names_it_once(app: Flask, client: FlaskClient) -> None:
    """`BASE` stands for the public address, which holds the path."""
    store(app, WEAVER)
    for address in ("/sitemap.xml", "/robots.txt"):
        at_root = client.get(address).text
        assert f"{BASE}/" in at_root
        below = client.get(address, environ_overrides={"SCRIPT_NAME": "/phd"}).text
        assert f"{BASE}/phd" not in below
        assert below == at_root
