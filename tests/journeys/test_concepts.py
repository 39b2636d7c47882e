"""A concept in a real browser: tried, added, and then the reason in an applicant's match; two tabs; a pasted file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.labs.concepts.file import write_concepts
from portal.matching import Concept
from tests.admin.concepts import CARD, CONCEPTS, store_concepts
from tests.admin.desk import PROFILE, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page

    from tests.journeys.conftest import Complaints
    from tests.people import Person

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
LONG = Concept(("显卡" * 20, "w" * 100), ("GPU",), "W" * 300, "Dr. Maria-Magdalena von und zu " + "Hohenlohe" * 4, 0.5)


@pytest.fixture
def tab(app: Flask, page: Page, admin: Person, sign_in: Callable[[Page, Person], None]) -> Page:
    """An administrator's tab, with a lab and three concepts."""
    store(app, PROFILE)
    store_concepts(app)
    sign_in(page, admin)
    return page


def test_a_concept_is_tried_added_and_then_the_reason_in_an_applicants_match(
    app: Flask,
    tab: Page,
    axe_without_contrast: Callable[[Page], list[str]],
    sign_in: Callable[[Page, Person], None],
    person: Callable[..., Person],
) -> None:
    tab.goto(CONCEPTS)
    tab.get_by_role("link", name="Add a concept").click()
    tab.get_by_label("Plain words").fill("rented computers\ncomputers of others")
    tab.get_by_label("Terms of the field").fill("decentralised training")
    tab.get_by_label("Strength").fill("0.9")
    tab.get_by_label("Why").fill("Whoever has no machines rents them.")
    tab.get_by_label("A text to try it with").fill("learning on rented computers")
    tab.get_by_label("A text to try it with").press("Enter")  # tries; it never saves
    expect(tab.get_by_role("heading", name="“learning on rented computers” with this entry")).to_be_visible()
    expect(tab.get_by_text("rented computers → decentralised training (this entry)")).to_be_visible()
    expect(tab.locator("#trial tbody tr")).to_contain_text("Relaxed Lab")
    assert axe_without_contrast(tab) == []
    tab.emulate_media(color_scheme="dark")
    tab.get_by_role("button", name="Try without saving").click()
    expect(tab.get_by_text("Nothing is saved. Compared: 1 lab.")).to_be_visible()
    assert axe_without_contrast(tab) == []
    tab.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert tab.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    tab.set_viewport_size(DESK)  # type: ignore[arg-type]
    tab.get_by_label("Reason").fill("Applicants ask so")
    tab.get_by_role("button", name="Add the concept").click()
    expect(tab.get_by_text("“rented computers” is added and in use.")).to_be_visible()
    tab.context.clear_cookies()
    sign_in(tab, person("applicant"))
    tab.goto("/?q=rented+computers")
    expect(tab.get_by_text("for “rented computers”").first).to_be_attached()
    assert "decentralised training" in (tab.locator("main").text_content() or "")
    assert app is not None


def test_the_second_of_two_tabs_gets_both_edits_and_loses_nothing(
    tab: Page, context: BrowserContext, axe_without_contrast: Callable[[Page], list[str]]
) -> None:
    other = context.new_page()  # not watched: its page is answered with a 409, which the browser reports
    for editor in (tab, other):
        editor.goto(f"{CONCEPTS}1")
    tab.get_by_label("Strength").fill("0.5")
    tab.get_by_label("Reason (required)").fill("The first")
    tab.get_by_role("button", name="Save").click()
    expect(tab.get_by_text("“video card” is saved as revision 2 and in use.")).to_be_visible()
    other.get_by_label("Plain words").fill("video card\ngaming PC\ngraphics board")
    other.get_by_label("Reason (required)").fill("The second")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("saved revision 2 while you edited: The first")).to_be_visible()
    assert axe_without_contrast(other) == []
    assert other.get_by_label("Strength").input_value() == "0.5"
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("“video card” is saved as revision 3 and in use.")).to_be_visible()
    other.get_by_role("link", name="See what changed").click()
    expect(other.locator("ins").first).to_have_text("graphics board")
    assert axe_without_contrast(other) == []


def test_a_pasted_file_lands_as_chosen_and_what_is_retired_comes_back_with_one_click(
    tab: Page, axe_without_contrast: Callable[[Page], list[str]], complaints: Complaints
) -> None:
    changed = Concept(CARD.plain, ("GPU", "accelerator"), CARD.why, CARD.added_by, CARD.strength)
    tab.goto(f"{CONCEPTS}import")
    tab.get_by_label("Concepts as TOML").fill(write_concepts([changed, LONG]))
    tab.get_by_role("button", name="Review it").click()
    tab.get_by_label("Change entry 1").check()
    assert axe_without_contrast(tab) == []
    tab.emulate_media(color_scheme="dark")
    tab.get_by_role("button", name="Review it again").click()
    expect(tab.get_by_label("Change entry 1")).to_be_checked()
    assert axe_without_contrast(tab) == []
    tab.get_by_label("Reason").fill("From a colleague")
    tab.get_by_role("button", name="Save what is chosen").click()
    expect(tab.get_by_text("1 concept added and 1 concept changed.")).to_be_visible()
    tab.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for url in ("", "4", "4/history", "4/history/1", "import"):
        tab.goto(CONCEPTS + url)
        assert (url, tab.evaluate("document.documentElement.scrollWidth")) == (url, PHONE["width"])
        assert (url, axe_without_contrast(tab)) == (url, [])
    tab.goto(f"{CONCEPTS}1")
    tab.get_by_text("Retire this concept").click()
    tab.get_by_label("Reason for retiring it").fill("Only a try")
    tab.get_by_role("button", name="Retire it").click()
    expect(tab.get_by_text("“video card” is retired and no longer in use.")).to_be_visible()
    tab.get_by_role("button", name="Undo").click()
    expect(tab.get_by_text("“video card” is in use again.")).to_be_visible()
    assert complaints.console == []
