from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.config import RESOURCES
from portal.seeding.reader import seed_from
from portal.seeding.records import MemberRecord
from tests.admission import add_admission
from tests.journeys.conftest import DESK, PHONE
from tests.labs.records import GENOMES, WEAVER, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import Browser, BrowserContext, Page, Route

pytestmark = pytest.mark.browser

PAGES = (
    "/",
    "/?q=LLM+serving+on+NPUs",
    "/?q=medieval+poetry",
    "/labs/",
    "/labs/?hardware=GPU&q=zebra",
    "/labs/relaxed-system-lab",
    "/labs/relaxed-system-lab/works",
    "/labs/relaxed-system-lab/works?works=zebra",
    "/labs/relaxed-system-lab/match?q=decentralized+training",
    "/systems/",
    "/systems/?q=flexgne",
    "/about",
    "/cycles/a-cycle",
)
LONG_ADDRESS = f"https://www.example.edu/{'call/' * 40}"


@pytest.fixture
def seeded(app: Flask) -> Flask:
    """The labs of the seed pages, and a cycle."""
    pages = RESOURCES / "seeds"
    store(app, *seed_from(pages / "pages", pages / "corrections.toml").labs)
    with app.app_context():
        add_admission(app, slug="a-cycle", name="Fall 2027 " + "z" * 60, about=f"Read {LONG_ADDRESS}", referees=2)
    return app


@pytest.mark.parametrize(("screen", "theme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone", "desk"])
def test_the_public_pages_are_accessible_and_fit_the_screen(
    seeded: Flask, page: Page, axe: Callable[[Page], list[str]], screen: dict[str, int], theme: str, *, thorough: bool
) -> None:
    """Half of the pages are looked at with axe on a phone in dark, the others at a desk in light."""
    del seeded
    looked_at = PAGES if thorough else PAGES[screen is DESK :: 2]
    page.set_viewport_size({"width": screen["width"], "height": screen["height"]})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    found = {}
    for url in PAGES:
        page.goto(url)
        width = page.evaluate("document.documentElement.scrollWidth")
        findings = axe(page) if url in looked_at else []
        if findings or width > screen["width"]:
            found[url] = [*findings, f"{width} px wide"]
    assert found == {}


def test_a_name_in_one_long_word_widens_no_page(app: Flask, page: Page) -> None:
    word = "Forschungslaboratoriumfürverteiltesystemeundnetzwerktechnologie"
    store(
        app,
        replace(WEAVER, name=word, leader=word, place=word, topics=(word, "serving of language models")),
        replace(GENOMES, members=(MemberRecord("once-there", word, "member"),)),  # which relates the two
    )
    page.set_viewport_size({"width": 320, "height": 640})
    for url in (
        "/?q=serving+of+language+models",
        "/labs/",
        f"/labs/?q={word}",
        f"/labs/{WEAVER.key}",
        f"/labs/{GENOMES.key}",
        "/systems/",
    ):
        page.goto(url)
        expect(page.get_by_role("main").get_by_role("link", name=word).first).to_be_visible()
        assert (url, page.evaluate("document.documentElement.scrollWidth")) == (url, 320)


def test_what_is_written_from_right_to_left_stands_so_and_moves_nothing_beside_it(app: Flask, page: Page) -> None:
    name = "عبد الرحمن"
    store(app, replace(WEAVER, name=name, about="نعمل على النظم الموزعة."), GENOMES)
    page.goto(f"/labs/{WEAVER.key}")
    about = page.get_by_text("نعمل على النظم الموزعة.")
    assert about.evaluate("element => getComputedStyle(element).direction") == "rtl"
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill("نعمل على النظم الموزعة.")
    bidi = "element => getComputedStyle(element).unicodeBidi"
    assert page.get_by_label("What do you want to work on?").evaluate(bidi) == "plaintext"
    # A year after a name stays after it.
    places = (
        page.get_by_role("main")
        .get_by_role("link", name=name)
        .first.evaluate(
            """link => {
            const year = document.createTextNode(" 2026");
            link.parentElement.append(year);
            const range = document.createRange();
            range.selectNode(year);
            return [link.getBoundingClientRect().left, range.getBoundingClientRect().left];
        }"""
        )
    )
    assert places[0] < places[1]


def test_results_follow_the_text_and_no_address_holds_it(app: Flask, page: Page) -> None:
    store(app, WEAVER, GENOMES)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    box = page.get_by_label("What do you want to work on?")
    box.fill("serving of language models")
    results = page.get_by_role("region", name="Labs that fit")
    expect(results.get_by_role("link", name="Weaver Systems Lab")).to_be_visible()
    box.fill("genome assembly")
    expect(results.get_by_role("link", name="Genome Reading Group")).to_be_visible()
    expect(results.get_by_role("link", name="Weaver Systems Lab")).to_have_count(0)
    box.fill("medieval poetry")
    expect(results).to_contain_text("Nothing here fits this text")
    expect(box).to_be_focused()
    assert [url for url in asked if "genome" in url or "serving" in url] == []


def test_on_a_phone_the_button_leads_to_the_results_and_typing_does_not(seeded: Flask, page: Page) -> None:
    del seeded
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto("/")
    box = page.get_by_label("What do you want to work on?")
    box.fill("decentralized training")
    heading = page.get_by_role("heading", name=re.compile("labs? fits?"))
    expect(heading).to_be_visible()
    expect(heading).not_to_be_in_viewport()
    page.get_by_role("button", name="Rank the labs").click()
    expect(heading).to_be_in_viewport()


def test_a_ranking_outlasts_a_reload_and_only_its_link_holds_the_text(
    seeded: Flask, page: Page, context: BrowserContext, site: str
) -> None:
    del seeded
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill("decentralized training")
    heading = page.get_by_role("heading", name=re.compile("labs? fits?"))
    expect(heading).to_be_visible()
    expect(page).to_have_title("Labs that fit your text · Ph.D. Portal")
    page.reload()
    expect(heading).to_be_visible()
    assert page.get_by_label("What do you want to work on?").input_value() == "decentralized training"
    assert "decentralized" not in page.url
    page.get_by_role("button", name="Copy a link to this ranking").click()
    expect(page.get_by_text("Link copied: it holds your text")).to_be_visible()
    assert "decentralized" not in page.url
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(heading).to_be_visible()
    assert page.url.endswith("/?q=decentralized+training")


def test_without_scripts_the_link_to_a_ranking_is_opened(seeded: Flask, browser: Browser, site: str) -> None:
    del seeded
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill("decentralized training")
    page.get_by_role("button", name="Rank the labs").click()
    assert "decentralized" not in page.url
    page.get_by_role("button", name="Details of Relaxed System Lab").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How you fit Relaxed System Lab")
    assert "decentralized" not in page.url
    page.go_back()
    page.get_by_role("button", name="Copy a link to this ranking").click()
    assert page.url.endswith("/?q=decentralized+training")
    context.close()


def test_how_long_a_text_may_be_is_said_when_it_matters(seeded: Flask, page: Page) -> None:
    del seeded
    page.goto("/")
    box = page.get_by_label("What do you want to work on?")
    count = page.locator("#q-count")
    expect(count).to_be_hidden()
    box.fill("y" * 9_000)
    expect(count).to_have_text("9,000 of 10,000 characters")
    expect(count).to_be_visible()


def test_without_scripts_the_button_ranks_and_the_way_back_leads_to_the_results(
    app: Flask, browser: Browser, site: str
) -> None:
    store(app, WEAVER, GENOMES)
    with browser.new_context(java_script_enabled=False, base_url=site) as context:
        tab = context.new_page()
        tab.goto("/")
        tab.get_by_label("What do you want to work on?").fill("serving of language models")
        tab.get_by_role("button", name="Rank the labs").click()
        results = tab.get_by_role("region", name="Labs that fit")
        expect(results.get_by_role("link", name="Weaver Systems Lab")).to_be_visible()
        results.get_by_role("link", name="Weaver Systems Lab").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text("Weaver Systems Lab")
        tab.go_back()
        expect(results.get_by_role("link", name="Weaver Systems Lab")).to_be_visible()


def test_the_works_are_filtered_as_one_types(app: Flask, page: Page) -> None:
    store(app, WEAVER)
    page.goto("/labs/weaver-lab/works")
    page.get_by_label("Find a work").fill("grace spinner")
    works = page.locator("#works-list .work:visible")
    expect(works).to_have_count(2)
    expect(page.locator("[data-filter-count]")).to_contain_text("2 of 4 works")
    expect(page.get_by_role("heading", name="Year not stated")).to_be_hidden()


def test_where_a_fact_is_from_shows_on_demand(app: Flask, page: Page) -> None:
    store(app, WEAVER)
    page.goto("/labs/weaver-lab")
    line = page.get_by_text("seed page pages/weaver.txt, line 8", exact=True)
    expect(line).to_be_hidden()
    page.locator("#sources summary").click()
    expect(line).to_be_visible()


def test_facets_are_a_drawer_on_phones_and_stand_open_on_wide_screens(app: Flask, page: Page) -> None:
    store(app, WEAVER, replace(GENOMES, hardware=("GPU",)))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/labs/")
    expect(page.get_by_label("NPU")).to_be_hidden()
    page.get_by_text("Narrow the list").click()
    page.get_by_label("NPU").check()
    page.get_by_role("button", name="Show labs").click()
    page.wait_for_url("**hardware=NPU**")
    expect(page.get_by_role("heading", level=2)).to_have_text(["Weaver Systems Lab"])
    page.go_back()
    expect(page.get_by_role("heading", level=2)).to_have_count(2)
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.get_by_label("NPU")).to_be_visible()


def test_a_box_that_the_keys_lead_to_stands_above_the_button_that_stays(app: Flask, page: Page) -> None:
    places = ("Bonn", "Graz", "Lund", "Oslo", "Pisa", "Riga", "Turin", "Ulm")
    store(app, *(replace(WEAVER, key=f"lab-{place.lower()}", place=place) for place in places))
    page.set_viewport_size({"width": 1280, "height": 560})
    page.goto("/labs/")
    boxes = page.locator(".facet input")
    boxes.first.focus()
    for box in boxes.all():
        expect(box).to_be_focused()
        assert box.evaluate("""(box) => {
            const {left, bottom, width} = box.getBoundingClientRect();
            return document.elementFromPoint(left + width / 2, bottom - 1) === box;
        }""")
        page.keyboard.press("Tab")


def test_nothing_is_seen_in_other_colours_while_style_sheets_arrive_one_by_one(seeded: Flask, page: Page) -> None:
    del seeded
    page.add_init_script("window.faded = []; addEventListener('transitionrun', () => faded.push(1), true)")

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route(re.compile(r"css/tokens\.css"), late)
    page.goto("/labs/?hardware=GPU")
    page.wait_for_timeout(200)
    expect(page.get_by_role("button", name="Show labs")).to_be_visible()
    assert page.evaluate("faded.length") == 0
