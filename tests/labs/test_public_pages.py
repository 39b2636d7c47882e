"""Requirements that every public page meets."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    Link,
    MemberRecord,
    OpeningRecord,
    SystemRecord,
    WorkRecord,
)
from tests.labs.pages import Document
from tests.labs.records import GENOMES, WEAVER, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

PAGES = (
    "/",
    "/?q=serving+language+models",
    "/?q=medieval+poetry",
    "/labs/",
    "/labs/?q=loom&hardware=GPU&sort=works",
    "/labs/?q=zebra",
    "/labs/weaver-lab",
    "/labs/weaver-lab/works",
    "/labs/weaver-lab/works?works=zebra",
    "/labs/weaver-lab/match",
    "/labs/weaver-lab/match?q=serving",
    "/labs/genome-lab",
    "/systems/",
    "/systems/?q=loom",
    "/systems/?letter=S",
    "/systems/?q=lomserve",
    "/about",
)
ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*10007}}"


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_valid_html_without_inline_code(app: Flask, client: FlaskClient, url: str) -> None:
    store(app, WEAVER, GENOMES)
    response = client.get(url)
    assert response.status_code == 200
    page = Document(response.text)
    for element in page.root.iter():
        assert [name for name in element.attrib if name == "style" or name.startswith("on")] == []
        assert not element.tag.endswith("}style")
        if element.tag.endswith("}script"):
            assert element.get("src")
            assert not (element.text or "").strip()
    assert len(page.ids) == len(set(page.ids))


@pytest.mark.parametrize("url", PAGES)
def test_a_page_has_one_heading_and_skips_no_level(app: Flask, client: FlaskClient, url: str) -> None:
    store(app, WEAVER, GENOMES)
    page = Document(client.get(url).text)
    levels = [int(element.tag[-1]) for element in page.root.iter() if element.tag[-2:] in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


def test_titles_and_descriptions_are_there_and_titles_are_unique(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    titles = []
    for url in ("/", "/labs/", "/labs/weaver-lab", "/labs/genome-lab", "/labs/weaver-lab/match", "/systems/", "/about"):
        page = Document(client.get(url).text)
        titles.append(page.title)
        assert len(page.one("meta", name="description").get("content") or "") > 20
    assert len(set(titles)) == len(titles)


def test_previews_and_search_engines_get_one_absolute_address(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER)
    page = Document(client.get("/labs/weaver-lab?from=mail").text)
    address = "http://localhost:8000/labs/weaver-lab"
    assert page.one("link", rel="canonical").get("href") == address
    og = {meta.get("property"): meta.get("content") for meta in page.all("meta") if meta.get("property")}
    assert og["og:url"] == address
    assert og["og:type"] == "website"
    assert og["og:title"] == "Weaver Systems Lab"
    assert og["og:description"] == "I look for students of serving systems."


def attacked() -> LabRecord:
    """A lab with markup in every text."""
    return LabRecord(
        "attacked",
        ATTACK,
        leader=ATTACK,
        leader_title=ATTACK,
        institution=ATTACK,
        department=ATTACK,
        place=ATTACK,
        homepage="https://example.org/" + ATTACK,
        about=ATTACK,
        interests=ATTACK,
        recruiting=ATTACK,
        recruiting_focus=f"serving {ATTACK}",
        contact=ATTACK,
        topics=(ATTACK,),
        hardware=(ATTACK,),
        figures=((ATTACK, 1),),
        members=(
            MemberRecord(
                ATTACK.replace("/", ""), ATTACK, "phd_student", term=ATTACK, degrees=(ATTACK,), interests=ATTACK
            ),
            MemberRecord("m2", ATTACK, "member", current=False, now=ATTACK, co_supervisor=ATTACK),
        ),
        works=(
            WorkRecord(
                ATTACK.replace("/", ""),
                f"Serving {ATTACK}",
                authors=(ATTACK,),
                venue=ATTACK,
                date=ATTACK,
                subject=ATTACK,
                abstract=f"Serving {ATTACK}",
                links=(Link(ATTACK, "https://example.org/"),),
                awards=(ATTACK,),
                question=ATTACK,
            ),
            WorkRecord("w2", f"Serving language models {ATTACK}", year=2024, abstract=ATTACK),
        ),
        systems=(SystemRecord("s", ATTACK, description=ATTACK, works=("w2",)),),
        activities=(ActivityRecord("a", "news", ATTACK, person=ATTACK, organisation=ATTACK, when=ATTACK, note=ATTACK),),
        openings=(OpeningRecord("o", ATTACK[:40], text=ATTACK, funding=ATTACK, start=ATTACK),),
    )


@pytest.mark.parametrize(
    "url",
    [
        "/",
        "/?q=serving+language+models",
        "/labs/",
        "/labs/attacked",
        "/labs/attacked/match?q=serving+language+models",
        "/systems/",
        "/sitemap.xml",
        "/labs/weaver-lab",
    ],
)
def test_markup_in_a_profile_is_text(app: Flask, client: FlaskClient, url: str) -> None:
    store(app, attacked(), replace(WEAVER, works=(*WEAVER.works, WorkRecord("x", "T", authors=(ATTACK,)))))
    text = client.get(url).text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "70049" not in text
    if not url.endswith((".xml", ".atom")):
        page = Document(text)
        assert [element.tag for element in page.root.iter() if element.get("onerror")] == []


@pytest.mark.parametrize(
    "url",
    ["/?q={}", "/labs/?q={}", "/labs/?topic={}", "/labs/?sort={}", "/systems/?q={}", "/labs/weaver-lab/works?works={}"],
)
def test_markup_in_an_address_is_text(app: Flask, client: FlaskClient, url: str) -> None:
    store(app, WEAVER)
    path, _, name = url.partition("?")
    response = client.get(path, query_string={name.partition("=")[0]: ATTACK})
    assert "<script>alert" not in response.text
    assert "<img src=x" not in response.text
    assert "70049" not in response.text
    assert "{{7*10007}}" in response.text


def test_long_and_chinese_names_have_their_place(app: Flask, client: FlaskClient) -> None:
    long = "Institute-for-" + "x" * 250
    store(app, replace(GENOMES, name="北京大学崔斌教授课题组", leader="崔斌", institution=long))
    assert Document(client.get("/labs/?q=崔斌").text).links["北京大学崔斌教授课题组"] == "/labs/genome-lab"
    assert long in Document(client.get("/labs/genome-lab").text).text


@pytest.mark.parametrize("role", ["applicant", "professor", "admin"])
def test_public_pages_are_open_to_everybody(
    app: Flask, client: FlaskClient, person: Callable[..., Person], role: str
) -> None:
    store(app, WEAVER, GENOMES)
    signed_in = person(role).sign_in()
    for url in (*PAGES, "/sitemap.xml", "/robots.txt"):
        assert (client.get(url).status_code, signed_in.get(url).status_code) == (200, 200)


def test_the_about_page_computes_its_example_right(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    text = Document(client.get("/about").text).text
    assert "½ × 0.30 + ½ × (0.60 + 0.40 + 0.20) / 3 = 0.15 + 0.20 = 0.35" in text
    assert round(0.5 * 0.30 + 0.5 * (0.60 + 0.40 + 0.20) / 3, 9) == 0.35
    assert "2 labs with 5 works and 3 systems" in text
