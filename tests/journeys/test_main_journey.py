"""The main job, end to end on the seed pages: an applicant comes, a professor sees them, an admin corrects a lab.

Every page on the way but the public ones and the administrators' is checked with axe in light and dark; a console error
or a request to another host fails the test (conftest.py).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.config import RESOURCES
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.labs.seeding import seed_labs
from portal.labs.service import attach_professor
from portal.models import User
from tests.journeys.conftest import DESK, PHONE
from tests.journeys.steps import hand_in_a_resume, register, state_interests

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page

    from tests.people import Person

pytestmark = pytest.mark.browser

LAB = "/admin/labs/danyang-zhuo-lab"
FIRST_TEXT = "federated learning with non-IID data"


@pytest.fixture
def settings(settings: dict[str, str]) -> dict[str, str]:
    """Mail goes to the file mailbox, as in the demo."""
    return {**settings, "PORTAL_MAIL_URL": ""}


@pytest.fixture
def mailbox(settings: dict[str, str]) -> Path:
    return Path(settings["PORTAL_INSTANCE"]) / "mail"


@pytest.fixture
def seeded(app: Flask, professor: Person, admin: Person) -> None:
    """The seed labs; the professor reads for the lab of Danyang Zhuo."""
    now = datetime.now(UTC)
    with app.app_context():
        seed_labs(db.session(), RESOURCES / "seeds", now=now)
        lab = lab_by_slug(db.session(), "danyang-zhuo-lab")
        assert lab is not None
        user = db.session.get_one(User, professor.id)
        attach_professor(db.session(), lab, user, "leader", author=db.session.get(User, admin.id), now=now)
        db.session.commit()


@pytest.fixture
def look(axe_in_themes: Callable[[Page], list[str]]) -> Callable[[Page], None]:
    """Checks the page that is open, in light and dark, at a desk and on a phone."""

    def check(page: Page) -> None:
        assert axe_in_themes(page) == [], page.url
        assert is_within_a_phone(page), page.url

    return check


def is_within_a_phone(page: Page) -> bool:
    """Whether nothing of the page sticks out sideways on a phone."""
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    return bool(width == PHONE["width"])


@pytest.mark.usefixtures("seeded")
def test_from_register_to_a_ranking_that_follows_a_corrected_profile(
    page: Page,
    context: BrowserContext,
    mailbox: Path,
    professor: Person,
    admin: Person,
    tmp_path: Path,
    sign_in: Callable[[Page, Person], None],
    look: Callable[[Page], None],
) -> None:
    visit_as_a_stranger(page)
    register(page, mailbox, look)
    page.goto("/me/interests")
    look(page)
    expect(page.get_by_label("Topic 1", exact=True)).to_have_value(FIRST_TEXT)
    state_interests(page, look)
    hand_in_a_resume(page, tmp_path, look)

    page.goto("/me/matches")
    expect(page.get_by_role("heading", level=1)).to_have_text("Labs that match")
    assert page.get_by_text("Danyang Zhuo’s lab").count() > 0
    before = page.locator("#results").inner_text()
    look(page)
    page.goto("/labs/danyang-zhuo-lab")
    page.get_by_role("link", name="See how you fit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How you match Danyang Zhuo’s lab")
    look(page)
    page.goto("/labs/danyang-zhuo-lab")

    other = context.browser
    assert other is not None
    desk = {"base_url": page.url.split("/labs", maxsplit=1)[0]}
    with other.new_context(**desk) as reviewing:  # type: ignore[arg-type]
        review(reviewing.new_page(), professor, sign_in, look)
    with other.new_context(**desk) as administering:  # type: ignore[arg-type]
        correct_the_profile(administering.new_page(), admin, sign_in)

    page.goto("/me/matches")
    first = page.locator("ol.cards > li").first
    expect(first).to_contain_text("Danyang Zhuo’s lab")
    expect(first).to_contain_text("annealers")
    assert page.locator("#results").inner_text() != before


def visit_as_a_stranger(page: Page) -> None:
    """Rank without an account, open a lab, the systems and the page on matching; take the text along.

    These pages are looked at in `test_public_pages`.
    """
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill(FIRST_TEXT)
    page.get_by_role("button", name="Rank the labs").click()
    expect(page.get_by_role("heading", name=re.compile("labs? fits?"))).to_be_visible()
    for address in ("/labs/", "/labs/relaxed-system-lab", "/systems/", "/about"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill(FIRST_TEXT)
    page.get_by_role("button", name="Register with this text").click()
    expect(page.get_by_text("Your text comes along")).to_be_visible()


def review(
    page: Page, professor: Person, sign_in: Callable[[Page, Person], None], look: Callable[[Page], None]
) -> None:
    """The professor finds the applicant, reads the evidence and may invite them."""
    sign_in(page, professor)
    page.goto("/reviews/")
    look(page)
    page.get_by_role("link", name="Discover", exact=True).click()
    look(page)
    page.get_by_role("link", name="林美 Lin Mei").click()
    look(page)
    assert page.locator(".resume-text mark").count() > 0
    expect(page.get_by_role("heading", name="Invite", exact=True)).to_be_visible()


def correct_the_profile(page: Page, admin: Person, sign_in: Callable[[Page, Person], None]) -> None:
    """The administrator adds what the lab looks for now, and sees it in the history.

    axe looks at these pages in `test_admin_pages`.
    """
    sign_in(page, admin)
    for address in ("/admin/", "/admin/labs/", LAB, f"{LAB}/edit"):
        page.goto(address)
        assert is_within_a_phone(page), address
    page.get_by_label("Recruiting focus").fill("We look for students who build compilers for quantum annealers.")
    page.get_by_label("Reason").fill("The professor told us by mail.")
    page.get_by_role("button", name="Save").click()
    page.goto(f"{LAB}/history")
    expect(page.get_by_text("The professor told us by mail.").first).to_be_visible()
