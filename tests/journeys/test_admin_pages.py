"""The administrators' pages in a real browser: two people at one profile, undo, accessibility, small screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.admin.cycles.releases import past_deadline
from tests.admin.desk import PROFILE, store
from tests.admin.labs.test_questions import ask
from tests.admin.test_pages import PAGES
from tests.journeys.conftest import DESK, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Dialog, Page

    from tests.journeys.conftest import Complaints
    from tests.people import Person

pytestmark = pytest.mark.browser

LAB = "/admin/labs/relaxed-lab"


@pytest.fixture
def tab(app: Flask, page: Page, admin: Person, sign_in: Callable[[Page, Person], None]) -> Page:
    """An administrator's tab, with the lab."""
    store(app, PROFILE)
    sign_in(page, admin)
    return page


def test_no_page_has_a_finding_of_axe_or_scrolls_sideways_on_a_phone(
    app: Flask, tab: Page, axe_in_themes: Callable[[Page], list[str]]
) -> None:
    ask(app, "about", PROFILE.about, "The page says this.")
    pages = [*PAGES, f"{LAB}/changes"]
    for url in pages:
        tab.goto(url)
        assert (url, axe_in_themes(tab)) == (url, [])
        tab.set_viewport_size(PHONE)  # type: ignore[arg-type]
        assert (url, tab.evaluate("document.documentElement.scrollWidth")) == (url, PHONE["width"])
        tab.set_viewport_size(DESK)  # type: ignore[arg-type]


def test_on_a_phone_what_sorts_a_list_is_in_view_where_the_keys_lead_to_it(tab: Page) -> None:
    tab.set_viewport_size({"width": 320, "height": 700})
    tab.goto("/admin/labs/")
    link = tab.get_by_role("link", name="Works", exact=True)
    link.focus()
    seen = """link => {
        const box = link.getBoundingClientRect();
        return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === link;
    }"""
    assert link.evaluate(seen)
    link.press("Enter")
    tab.wait_for_url("**sort=works**")
    assert tab.evaluate("document.documentElement.scrollWidth") == 320


def test_two_people_edit_one_profile_and_nothing_is_lost(
    tab: Page, context: BrowserContext, complaints: Complaints, axe: Callable[[Page], list[str]]
) -> None:
    other = context.new_page()
    for editor in (tab, other):
        editor.goto(f"{LAB}/edit")
    tab.get_by_label("About").fill("We relax a little.")
    tab.get_by_label("Reason").fill("The first")
    tab.get_by_role("button", name="Save").click()
    expect(tab.get_by_text("This is revision 2.")).to_be_visible()
    other.get_by_label("About").fill("We relax all day.")
    other.get_by_label("Contact").fill("Call us.")
    other.get_by_label("Reason").fill("The second")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Somebody saved this profile while you edited it")
    assert axe(other) == []
    other.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert other.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    other.get_by_label("Keep both").check()
    assert other.get_by_label("Reason").input_value() == "The second"
    other.get_by_role("button", name="Save the merged profile").click()
    expect(other.get_by_text("This is revision 3.")).to_be_visible()
    other.get_by_role("link", name="See what changed").click()
    expect(other.locator("ins").first).to_be_visible()
    tab.goto(f"{LAB}/edit")
    assert tab.get_by_label("About").input_value() == "We relax a little.\n\nWe relax all day."
    assert tab.get_by_label("Contact").input_value() == "Call us."
    del complaints  # the second tab is not watched: its merge page is a 409, which the browser reports


def test_a_removed_person_comes_back_by_the_undo_button(tab: Page) -> None:
    tab.goto(f"{LAB}/members/ran-yan")
    tab.get_by_text("Remove this person from the profile").click()
    tab.get_by_label("Reason for the removal").fill("Left")
    tab.get_by_role("button", name="Remove this person").click()
    expect(tab.get_by_text("Ran Yan is removed. This is revision 2.")).to_be_visible()
    tab.get_by_role("button", name="Undo").click()
    expect(tab.get_by_text("Revision 2 is undone. This is revision 3.")).to_be_visible()
    tab.goto(f"{LAB}/members")
    expect(tab.get_by_role("link", name="Ran Yan")).to_be_visible()


def test_unsaved_changes_are_asked_about_before_leaving(tab: Page) -> None:
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    tab.on("dialog", leave)
    tab.goto(f"{LAB}/edit")
    tab.goto(LAB)
    assert asked == []
    tab.goto(f"{LAB}/edit", wait_until="networkidle")
    tab.get_by_label("Place").fill("Shenzhen")
    tab.goto(LAB)
    assert asked == ["beforeunload"]


def test_applications_are_marked_after_a_review_and_taken_back_by_one_button(
    app: Flask, page: Page, sign_in: Callable[[Page, Person], None], axe_in_themes: Callable[[Page], list[str]]
) -> None:
    with app.app_context():
        admission = past_deadline(app)
        for name in ("Ada Zz", "Bo Zz", "Cy Zz"):
            admission.submitted(admission.add_applicant(name), "Systems")
        admission.after_deadline()
        slug = admission.cycle.slug
    sign_in(page, admission.admin)
    page.goto("/admin/")
    page.get_by_role("link", name="Check", exact=True).click()
    for name in ("Ada Zz", "Bo Zz"):
        page.get_by_label(name).check()
    page.get_by_label("Selected applicants").select_option("Not eligible")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("main")).to_contain_text("2 applications → Not eligible. Nothing is changed yet.")
    expect(page.locator("main")).not_to_contain_text("Cy Zz")
    assert axe_in_themes(page) == []
    page.get_by_label("What the applicants read").fill("The degree does not lead to a Ph.D. here.")
    page.get_by_role("button", name="Mark 2 applications").click()
    expect(page.get_by_text("2 applications marked: not eligible. 1 left to check.")).to_be_visible()
    assert page.url.endswith(f"/admin/cycles/{slug}/applications?state=submitted")
    expect(page.locator("tbody tr")).to_have_count(1)
    assert axe_in_themes(page) == []
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("2 applications marked: submitted. 3 left to check.")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(3)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert axe_in_themes(page) == []


def test_no_tab_of_a_cycle_has_a_finding_of_axe_or_scrolls_sideways_on_a_phone(
    app: Flask, page: Page, sign_in: Callable[[Page, Person], None], axe_in_themes: Callable[[Page], list[str]]
) -> None:
    with app.app_context():
        admission = past_deadline(app)
        for person in ("Ada Zz", "Bo Zz"):
            admission.eligible(admission.add_applicant(person, topics=("graph databases",)), "Systems", "Vision")
        base, name = f"/admin/cycles/{admission.cycle.slug}", admission.cycle.name
    sign_in(page, admission.admin)
    page.goto(base)
    tabs = page.get_by_role("navigation", name=name).get_by_role("link")
    addresses = [str(link.get_attribute("href")) for link in tabs.all()]
    assert addresses[0] == base
    for address in [*addresses, "/admin/operations", "/admin/people/invitations"]:
        page.goto(address)
        for details in page.locator("main details").all():
            details.evaluate("each => { each.open = true; }")
        for size in (DESK, PHONE):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert (address, axe_in_themes(page)) == (address, [])
            assert (address, page.evaluate("document.documentElement.scrollWidth")) == (address, size["width"])
