from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from sqlalchemy import text

from portal.seeding.records import LabRecord, OpeningRecord, Origin
from tests.labs.pages import Document
from tests.labs.records import GENOMES, SAVED, WEAVER, edit, small_lab, store

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from tests.conftest import Settings

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
NEW_POSITION = (
    "New position: Ph.D. Two seats for students of serving systems. Seats: 2. Funding: full scholarship. "
    "Start: Fall 2027. Deadline: 15 Dec 2099, 23:59 (Anywhere on Earth)."
)
BASE = "https://portal.example.edu"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return {**settings, "PORTAL_BASE_URL": BASE}


def feed(client: FlaskClient) -> ET.Element:
    response = client.get("/news.atom")
    assert response.mimetype == "application/atom+xml"
    return ET.fromstring(response.data)  # noqa: S314  (our own answer)


def entries(client: FlaskClient) -> list[tuple[str, str, str]]:
    return [
        (entry.findtext(f"{ATOM}title", ""), entry.findtext(f"{ATOM}updated", ""), entry.findtext(f"{ATOM}content", ""))
        for entry in feed(client).findall(f"{ATOM}entry")
    ]


def test_a_new_lab_that_recruits_is_news(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    assert entries(client) == [
        (
            "Weaver Systems Lab: recruiting (Ph.D.)",
            "2026-11-20T12:00:00Z",
            f"I look for students of serving systems.\n\nWrite to me with your transcript.\n\n{NEW_POSITION}",
        )
    ]


def test_a_change_of_recruiting_is_news_and_other_edits_are_not(app: Flask, client: FlaskClient) -> None:
    store(app, GENOMES)
    quiet = replace(GENOMES, about="We read.", openings=())
    edit(app, quiet, saved=SAVED + timedelta(days=1))
    assert entries(client) == []
    hiring = replace(quiet, openings=(OpeningRecord("o", "postdoc", text="Read with us."),))
    edit(app, hiring, saved=SAVED + timedelta(days=2))
    changed = replace(hiring, openings=(replace(hiring.openings[0], seats=3),))
    edit(app, changed, saved=SAVED + timedelta(days=3))
    moved = replace(changed, openings=(replace(changed.openings[0], origins=(Origin("pages/x.txt", 9),)),))
    edit(app, moved, saved=SAVED + timedelta(days=4))
    edit(app, replace(moved, openings=(), recruiting="Not this year."), saved=SAVED + timedelta(days=5))
    edit(app, replace(moved, openings=(), recruiting=""), saved=SAVED + timedelta(days=6))
    name = GENOMES.name
    assert entries(client) == [
        (f"{name}: not recruiting at present", "2026-11-26T12:00:00Z", "The recruiting statement was taken out."),
        (f"{name}: recruiting", "2026-11-25T12:00:00Z", "Not this year.\n\nPosition taken out: Postdoc."),
        (
            f"{name}: recruiting (Postdoc)",
            "2026-11-23T12:00:00Z",
            "Position changed: Postdoc. Read with us. Seats: 3.",
        ),
        (f"{name}: recruiting (Postdoc)", "2026-11-22T12:00:00Z", "New position: Postdoc. Read with us."),
    ]


def test_the_feed_is_as_atom_demands(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, replace(WEAVER, key="second-lab", name="Second & <Lab>\x08"))
    root = feed(client)
    assert root.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(root.findall(f"{ATOM}{name}")) == 1
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "Ph.D. Portal"
    assert root.findtext(f"{ATOM}updated") == "2026-11-20T12:00:00Z"
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links == {"self": f"{BASE}/news.atom", "alternate": f"{BASE}/"}
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id", "") for entry in entries]
    assert len(set(ids)) == len(entries) == 2
    assert all(name.startswith("urn:uuid:") for name in ids)
    assert entries[0].findtext(f"{ATOM}title") == "Second & <Lab>: recruiting (Ph.D.)"
    for entry in entries:
        (link,) = entry.findall(f"{ATOM}link")
        assert link.attrib["href"].startswith(f"{BASE}/labs/")
        updated = datetime.fromisoformat(entry.findtext(f"{ATOM}updated", ""))
        assert updated == datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_ids_of_entries_stay_the_same(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER)
    before = [entry.findtext(f"{ATOM}id") for entry in feed(client).findall(f"{ATOM}entry")]
    edit(app, replace(WEAVER, recruiting_focus="New focus."))
    after = [entry.findtext(f"{ATOM}id") for entry in feed(client).findall(f"{ATOM}entry")]
    assert after[1:] == before
    assert len(after) == 2


def test_a_reader_that_has_seen_the_newest_gets_nothing_new(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER)
    etag = client.get("/news.atom").headers["ETag"]
    assert client.get("/news.atom", headers={"If-None-Match": etag}).status_code == 304
    edit(app, replace(WEAVER, recruiting_focus="New focus."))
    assert client.get("/news.atom", headers={"If-None-Match": etag}).status_code == 200


def test_an_empty_feed_is_a_feed(client: FlaskClient) -> None:
    assert feed(client).findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"


def test_pages_lead_to_the_feed(client: FlaskClient) -> None:
    (link,) = Document(client.get("/").text).all("link", rel="alternate")
    assert (link.get("type"), link.get("href")) == ("application/atom+xml", "/news.atom")


def addresses(client: FlaskClient, url: str = "/sitemap.xml") -> list[str]:
    root = ET.fromstring(client.get(url).data)  # noqa: S314  (our own answer)
    return [str(element.text) for element in root.iter(f"{SITEMAP}loc")]


def test_the_sitemap_lists_every_public_page_and_all_of_them_answer(app: Flask, client: FlaskClient) -> None:
    records = [WEAVER, GENOMES, LabRecord("chinese", "织造 & <实验室>"), *(small_lab(number) for number in range(40))]
    store(app, *records)
    listed = addresses(client)
    assert listed[:4] == [f"{BASE}/", f"{BASE}/labs/", f"{BASE}/systems/", f"{BASE}/about"]
    assert sorted(listed[4:]) == sorted(f"{BASE}/labs/{record.key}" for record in records)
    assert {client.get(url.removeprefix(BASE)).status_code for url in listed} == {200}


def test_robots_are_kept_from_private_pages_and_shown_the_map(client: FlaskClient) -> None:
    response = client.get("/robots.txt")
    assert response.mimetype == "text/plain"
    lines = response.text.splitlines()
    assert {"Disallow: /me", "Disallow: /reviews", "Disallow: /admin", "Disallow: /accounts"} < set(lines)
    assert lines[-1] == f"Sitemap: {BASE}/sitemap.xml"


@pytest.mark.sqlite
def test_the_feed_has_an_index_of_what_it_reads(session: Session) -> None:
    read = "SELECT snapshot FROM lab_revision WHERE changes_recruiting ORDER BY id DESC LIMIT 100"
    assert "ix_lab_revision_recruiting" in str(session.execute(text(f"EXPLAIN QUERY PLAN {read}")).all())


def test_a_portal_under_a_path_names_it_once(app: Flask, client: FlaskClient) -> None:
    """`BASE` stands for the public address, which holds the path."""
    store(app, WEAVER)
    for address in ("/sitemap.xml", "/news.atom", "/robots.txt"):
        at_root = client.get(address).text
        assert f"{BASE}/" in at_root
        below = client.get(address, environ_overrides={"SCRIPT_NAME": "/phd"}).text
        assert f"{BASE}/phd" not in below
        assert below == at_root
