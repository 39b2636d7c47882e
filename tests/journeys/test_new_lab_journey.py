"""An administrator without scripts pastes a home page on a phone, checks one form, saves a draft, publishes it; a
visitor finds the lab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.db import db
from portal.models import Lab
from tests.admin.labs.test_new_lab import BIBTEX, PAGE, SLUG
from tests.journeys.conftest import DESK, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask
    from playwright.sync_api import Browser, Page

    from tests.people import Person

pytestmark = pytest.mark.browser


def test_from_a_pasted_page_to_a_lab_that_a_visitor_finds(
    app: Flask,
    page: Page,
    browser: Browser,
    site: str,
    admin: Person,
    sign_in: Callable[[Page, Person], None],
    axe_in_themes: Callable[[Page], list[str]],
    tmp_path: Path,
) -> None:
    works = tmp_path / "works.bib"
    works.write_text(BIBTEX, encoding="utf-8")
    sign_in(page, admin)
    state = page.context.storage_state()
    context = browser.new_context(base_url=site, java_script_enabled=False, storage_state=state, viewport=PHONE)  # type: ignore[arg-type]
    office, visitor = context.new_page(), page

    def look() -> None:
        """The page fits a phone; with scripts, at a desk, axe finds nothing in either theme."""
        assert (office.url, office.evaluate("document.documentElement.scrollWidth")) == (office.url, PHONE["width"])
        page.goto(office.url)
        assert (office.url, axe_in_themes(page)) == (office.url, [])

    office.goto("/admin/labs/")
    office.get_by_role("link", name="Create a lab").click()
    look()
    office.get_by_label("Or paste it").first.fill(PAGE)
    office.get_by_label("Its works, if there is a file of them").set_input_files(works)
    office.get_by_role("button", name="Read the page").click()
    expect(office.get_by_text("Please check").first).to_be_visible()
    look()
    office.get_by_label("Name of the lab").fill("Quiet Systems Lab")
    office.get_by_label("Leader", exact=True).fill("Ada Quill")
    office.get_by_label("Year of Slow networks made useful").fill("2026")
    office.get_by_label("Keep Topics without a year").uncheck()
    office.get_by_role("button", name="Save the draft").click()
    expect(office.get_by_text("only its leader and administrators see it", exact=False).first).to_be_visible()
    look()
    with app.app_context():
        assert [lab.is_draft for lab in db.session.query(Lab)] == [True]
    office.get_by_role("link", name="Publish …").click()
    expect(office.get_by_role("heading", name="What is missing")).to_be_visible()
    look()
    office.get_by_role("button", name="Publish it").click()
    expect(office.get_by_text("everybody can find it")).to_be_visible()
    context.close()

    visitor.context.clear_cookies()
    visitor.set_viewport_size(DESK)  # type: ignore[arg-type]
    visitor.goto("/labs/?q=quiet")
    visitor.get_by_role("link", name="Quiet Systems Lab").first.click()
    expect(visitor.get_by_text("Slow networks made useful").first).to_be_visible()
    expect(visitor.get_by_text("Topics without a year")).to_have_count(0)
    assert visitor.url.endswith(f"/labs/{SLUG}")
