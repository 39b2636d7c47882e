from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.seeding.records import SystemRecord, WorkRecord
from tests.labs.pages import XHTML, Document, text_of
from tests.labs.records import GENOMES, WEAVER, small_lab, store

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


def systems(page: Document) -> list[str]:
    """The names in the list, in their order."""
    return [text_of(heading) for heading in page.all("h2") if list(heading.iter(XHTML + "a"))]


@pytest.fixture
def labs(app: Flask) -> Flask:
    named_systems = (
        "Deja Vu",
        "FlexGen",
        "k-means++",
        "FlashSVD v1.5",
        "FlashSVD",
        "Hetu-Galvatron",
        "Galvatron",
        "Galvatron-BMW",
        "Big Galvatron",
        "织机",
        "3DGrid",
    )
    works = tuple(WorkRecord(f"w{n}", f"A Study, part {n}", year=2024) for n in range(len(named_systems)))
    built = tuple(SystemRecord(f"s{n}", name, works=(f"w{n}",)) for n, name in enumerate(named_systems))
    store(app, WEAVER, GENOMES, small_lab(7, works=works, systems=built))
    return app


def test_every_system_is_listed_with_its_works_and_its_lab(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(client.get("/systems/").text)
    assert len(systems(page)) == 14
    (entry,) = (item for item in page.all("li", class_="entry") if text_of(item).startswith("Loom Serve"))
    assert text_of(entry) == (
        "Loom Serve Weaver Systems Lab, Ada Weaver · Project page of Loom Serve A server for language models. "
        "LoomServe: Serving Language Models on Woven Accelerators, OSDI 2025 "
        "Shuttle: Scheduling of Mixed Training Jobs, EuroSys 2024"
    )
    assert page.links["Loom Serve"] == "/labs/weaver-lab#system-loom-serve"
    assert page.links["Shuttle: Scheduling of Mixed Training Jobs"] == "/labs/weaver-lab/works#work-shuttle"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deja vu", ["Deja Vu"]),
        ("DejaVu", ["Deja Vu"]),
        ("Déjà-Vu", ["Deja Vu"]),
        ("flex gen", ["FlexGen"]),
        ("kmeans", ["k-means++"]),
        ("flashsvd", ["FlashSVD", "FlashSVD v1.5"]),
        ("FlashSVD V1.5", ["FlashSVD v1.5"]),
        ("galvatron", ["Galvatron", "Galvatron-BMW", "Big Galvatron", "Hetu-Galvatron"]),
        ("hetu", ["Hetu-Galvatron"]),
        ("织", ["织机"]),
        ("loom", ["Loom Serve"]),
    ],
)
def test_a_system_is_found_however_its_name_is_spelt(
    labs: Flask, client: FlaskClient, text: str, expected: list[str]
) -> None:
    del labs
    assert systems(Document(client.get("/systems/", query_string={"q": text}).text)) == expected


@pytest.mark.parametrize("text", ["++", "zebra", "zeb\x00ra", "<zz>"])
def test_what_is_no_name_finds_nothing_and_shows_the_way_out(labs: Flask, client: FlaskClient, text: str) -> None:
    del labs
    page = Document(client.get("/systems/", query_string={"q": text}).text)
    assert systems(page) == []
    assert page.links["Show all systems"] == "/systems/"


def test_many_systems_come_in_pages(app: Flask, client: FlaskClient) -> None:
    store(app, small_lab(1, works=(), systems=tuple(SystemRecord(f"s{n}", f"System {n:03}") for n in range(120))))
    page = Document(client.get("/systems/?page=3").text)
    assert "101–120 of 120 systems" in page.text
    assert systems(page)[0] == "System 100"
    assert "No work of the lab mentions it." in page.text


def test_without_systems_the_list_says_what_will_be_here(client: FlaskClient) -> None:
    assert "There are no systems yet" in client.get("/systems/").text
