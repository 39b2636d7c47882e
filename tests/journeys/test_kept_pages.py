"""Chromium keeps the last pages in memory, for the button Back: of whoever signed out, nobody is shown them."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.people import PASSWORD
from tests.servers import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserType, Page

    from tests.people import Person

pytestmark = pytest.mark.browser

WAS_KEPT = (
    "window.cameFromMemory = false; addEventListener('pageshow', (e) => { window.cameFromMemory = e.persisted; })"
)


@pytest.fixture
def keeping_page(browser_type: BrowserType, browser_type_launch_args: dict[str, Any], site: str) -> Iterator[Page]:
    """A tab of a browser that keeps pages, which Playwright turns off elsewhere."""
    # Chromium without windows keeps no pages; the whole of it does, also without a screen.
    program = shutil.which("chromium")
    if program is None:
        missing("browser")
    options = {**browser_type_launch_args, "executable_path": program}
    options["args"] = [*options["args"], "--headless=new"]
    off = ["--disable-back-forward-cache", "--headless"]
    browser = browser_type.launch(**options, ignore_default_args=off)
    page = browser.new_context(base_url=site).new_page()
    yield page
    browser.close()


def sign_in(page: Page, person: Person) -> None:
    page.goto("/accounts/login")
    page.locator("input[name=email]").fill(person.email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("form:has(input[name=password]) [type=submit]").click()
    page.wait_for_url(lambda url: "/accounts/login" not in url)


def open_account(page: Page) -> None:
    page.goto("/accounts/")
    page.locator("html[data-at-work]").wait_for(state="attached")
    page.evaluate(WAS_KEPT)


def go_back(page: Page) -> None:
    """As the button does; Playwright's own would wait for a page to load, which a kept one does not."""
    page.evaluate("setTimeout(() => history.back())")


def test_back_after_signing_out_shows_nothing_of_the_person(keeping_page: Page, applicant: Person) -> None:
    page = keeping_page
    sign_in(page, applicant)
    open_account(page)
    page.locator(".account-nav summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url("**/")
    page.locator("html[data-at-work]").wait_for(state="attached")
    go_back(page)
    expect(page).to_have_url(re.compile("/accounts/login"))
    expect(page.get_by_text(applicant.email)).to_have_count(0)


def test_back_while_signed_in_finds_the_form_as_it_was_left(keeping_page: Page, applicant: Person) -> None:
    page = keeping_page
    sign_in(page, applicant)
    page.goto("/accounts/name")
    page.locator("html[data-at-work]").wait_for(state="attached")
    page.evaluate(WAS_KEPT)
    page.locator("input[name=name]").fill("Half a na")
    page.goto("/labs/")
    page.locator("html[data-at-work]").wait_for(state="attached")
    go_back(page)
    expect(page.locator("input[name=name]")).to_have_value("Half a na")
    assert page.evaluate("window.cameFromMemory"), "this browser kept no page: the test beside this one proves nothing"
