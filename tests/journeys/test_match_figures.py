"""What people see of the matcher, in a real browser: how words were read, gaps, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.db import db
from portal.labs.live_index.live import live_index
from tests.applications.labs import LABS, add_labs
from tests.journeys.conftest import DESK, PHONE
from tests.labs.following import small_labs

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import Browser, Page

    from tests.people import Person

pytestmark = pytest.mark.browser

MISSPELT = "fedrated learning"
READ_AS = "Read as “federated”, not “fedrated”."
AS_TYPED = "Search for “fedrated” as typed instead"
INSTEAD = "Search for “federated” instead"


@pytest.fixture
def labs(app: Flask) -> None:
    add_labs(app, *LABS, *small_labs(5))
    with app.app_context():
        live_index(app).warm_up(db.session())


@pytest.fixture
def me(
    page: Page,
    applicant: Person,
    sign_in: Callable[[Page, Person], None],
    have_topics: Callable[..., None],
    labs: None,  # noqa: ARG001
) -> Page:
    """An applicant's tab, with a misspelt topic stated."""
    have_topics(applicant, MISSPELT)
    sign_in(page, applicant)
    page.goto("/me/matches")
    return page


@pytest.mark.usefixtures("labs")
def test_as_one_types_a_misspelt_word_is_read_as_meant_and_that_is_announced(page: Page) -> None:
    page.goto("/")
    page.locator("#q").fill(MISSPELT)
    expect(page.locator(".spelling")).to_contain_text(READ_AS)
    expect(page.locator("p.visually-hidden[role=status]")).to_contain_text(READ_AS)
    assert page.locator("#q").input_value() == MISSPELT
    page.get_by_role("button", name=AS_TYPED).click()
    expect(page.locator(".spelling")).to_contain_text("Read “fedrated” as typed.")
    # What is typed on is taken as typed, too, until one asks for the other reading.
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("#q").fill(f"{MISSPELT} now")
    expect(page.locator(".spelling")).to_contain_text("as typed.")
    page.get_by_role("button", name=INSTEAD).click()
    expect(page.locator(".spelling")).to_contain_text("Read as “federated”, not “fedrated”.")
    assert "fedrated" not in page.url


@pytest.mark.usefixtures("labs")
def test_without_scripts_the_words_as_typed_are_one_click_away(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.locator("#q").fill(MISSPELT)
    page.get_by_role("button", name="Rank the labs").click()
    expect(page.locator(".spelling")).to_contain_text(READ_AS)
    page.get_by_role("button", name=AS_TYPED).click()
    expect(page.locator(".spelling")).to_contain_text("as typed.")
    page.get_by_role("button", name="Rank the labs").click()
    expect(page.locator(".spelling")).to_contain_text("as typed.")
    page.get_by_role("button", name=INSTEAD).click()
    expect(page.locator(".spelling")).to_contain_text(READ_AS)
    context.close()


def test_an_applicants_choice_lasts_while_weights_are_tried(me: Page) -> None:
    me.get_by_role("link", name=AS_TYPED).click()
    expect(me.locator(".spelling")).to_contain_text("Read “fedrated” as typed.")
    me.locator("input[type=range]").fill("3")
    expect(me.get_by_text("You are trying out other weights.")).to_be_visible()
    expect(me.locator(".spelling")).to_contain_text("as typed.")
    assert "as_typed=1" in me.url
    me.goto("/me/interests")
    assert me.get_by_label("Topic 1", exact=True).input_value() == MISSPELT


@pytest.mark.usefixtures("labs")
def test_the_letter_of_where_a_term_is_from_is_whole_at_every_width(page: Page) -> None:
    text = "LLM+serving+with+federated+learning+on+graphics+cards,+training+of+LLMs+on+heterogeneous+data"
    page.goto(f"/labs/serving-lab/match?q={text}")
    letters = page.locator(".terms .source")
    expect(letters.first).to_be_visible()
    halved = {}
    for width in range(320, 1281, 12):
        page.set_viewport_size({"width": width, "height": 800})
        halved[width] = letters.evaluate_all("all => all.filter((one) => one.getClientRects().length > 1).length")
    assert sum(halved.values()) == 0, [width for width, count in halved.items() if count]


def test_the_details_of_a_match_are_a_page_away_with_the_weights_that_are_tried(me: Page) -> None:
    me.locator("input[type=range]").fill("3")
    expect(me.get_by_text("You are trying out other weights.")).to_be_visible()
    me.get_by_role("link", name="Details of Federated Lab").click()
    assert "weight-" in me.url
    expect(me.locator(".evidence mark").first).to_be_visible()
    expect(me.get_by_text("Terms, with their share of the score")).to_be_visible()


def test_without_scripts_the_sentences_are_there(browser: Browser, site: str, me: Page) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False, storage_state=me.context.storage_state())
    page = context.new_page()
    page.goto("/me/matches")
    expect(page.locator("#lab-federated-lab .quote mark").first).to_be_visible()
    page.get_by_role("link", name="Details of Federated Lab").click()
    expect(page.locator(".evidence mark").first).to_be_visible()
    page.go_back()
    page.get_by_role("link", name=AS_TYPED).click()
    expect(page.locator(".spelling")).to_contain_text("as typed.")
    context.close()


def test_the_map_is_folded_leads_to_labs_and_stays_open_while_weights_are_tried(
    me: Page, axe: Callable[[Page], list[str]]
) -> None:
    drawing = me.locator(".map-drawing:visible")
    expect(drawing).to_have_count(0)
    me.locator(".topic-map > summary").focus()
    me.keyboard.press("Enter")
    expect(drawing.locator(".map-you")).to_have_css("fill", "none")  # a lab below it is seen
    assert axe(me) == []
    me.locator("input[type=range]").fill("3")
    expect(me.get_by_text("You are trying out other weights.")).to_be_visible()
    drawing.get_by_text("1", exact=True).click()
    expect(me.get_by_role("heading", level=1)).to_contain_text("Federated Lab")


def test_on_paper_every_account_is_open(me: Page) -> None:
    me.goto("/me/matches/federated-lab")
    me.emulate_media(media="print")
    expect(me.locator(".evidence").last).to_be_visible()
    expect(me.locator(".terms").first).to_be_visible()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [pytest.param(DESK, "light", id="desk"), pytest.param(PHONE, "dark", id="phone", marks=pytest.mark.thorough)],
)
def test_the_figures_keep_to_the_rules_of_access(
    me: Page, axe: Callable[[Page], list[str]], size: dict[str, int], scheme: str
) -> None:
    me.set_viewport_size({"width": size["width"], "height": size["height"]})
    me.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    me.goto("/me/matches/federated-lab")
    me.evaluate("document.querySelectorAll('main details').forEach((details) => { details.open = true; })")
    assert axe(me) == []
    assert me.evaluate("document.documentElement.scrollWidth <= innerWidth")
    me.goto("/?q=fedrated+learning")
    assert axe(me) == []
