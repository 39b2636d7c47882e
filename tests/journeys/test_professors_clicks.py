"""A professor's usual acts take few clicks, or none: the first locked scorecard, many declines, tags, assigning."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from portal.db import db
from portal.models import AssignedReviewer, Choice, ChoiceTag, Scorecard
from tests.admission import add_admission
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import Locator, Page

    from tests.admission import Admission
    from tests.people import Person

pytestmark = pytest.mark.browser
PEOPLE = 30


@pytest.fixture
def admission(app: Flask) -> Admission:
    """Thirty applicants whom nobody has read."""
    with app.app_context():
        made = add_admission(app, deadline_in=timedelta(days=30))
        add_crowd(made.session, made.cycle, [made.add_lab("Vision")], PEOPLE, now=made.now, name="Person {}")
        return made


def test_on_a_phone_the_card_opens_over_the_applicant(
    page: Page, admission: Admission, sign_in_by_form: Callable[[Page, Person], None]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    sign_in_by_form(page, admission.leaders["Vision"])
    page.get_by_role("link", name="Person 0", exact=True).click()
    card, name = page.get_by_role("heading", name="Your scorecard"), page.get_by_role("heading", name="Person 0")
    expect(card).to_be_hidden()
    page.get_by_role("link", name="My review").click()
    expect(card).to_be_in_viewport()
    expect(name).to_be_in_viewport()
    page.get_by_role("heading", name="Match", exact=True).scroll_into_view_if_needed()
    expect(card).to_be_in_viewport()
    page.get_by_role("link", name="Close").click()
    expect(card).to_be_hidden()
    expect(name).to_be_in_viewport()


def test_the_first_locked_scorecard_takes_eight_clicks(
    page: Page, admission: Admission, sign_in_by_form: Callable[[Page, Person], None]
) -> None:
    clicks = 1  # to sign in
    sign_in_by_form(page, admission.leaders["Vision"])

    def click(control: Locator) -> None:
        nonlocal clicks
        control.click()
        clicks += 1

    click(page.get_by_role("link", name="Person 0", exact=True))
    for name, value in (("fit", 4), ("potential", 4), ("preparation", 3), ("writing", 5), ("confidence", 2)):
        click(page.locator(f"label:has(#card-{name}-{value})"))
    click(page.get_by_role("button", name="Lock", exact=True))
    expect(page.get_by_text("Your scorecard is locked.")).to_be_visible()
    assert clicks <= 8
    with admission.app.app_context():
        card = db.session.scalars(select(Scorecard)).one()
        assert (card.fit, card.writing, card.confidence, card.locked_at is not None) == (4, 5, 2, True)


def test_the_same_with_the_keyboard_alone(
    page: Page, admission: Admission, sign_in: Callable[[Page, Person], None]
) -> None:
    sign_in(page, admission.leaders["Vision"])
    page.goto("/reviews/vision/")
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Person 0")).to_be_visible()
    page.locator("html[data-at-work]").wait_for(state="attached")
    for key in ("4", "4", "3", "5", "2", "l"):
        page.keyboard.press(key)
    expect(page.get_by_text("Your scorecard is locked.")).to_be_visible()
    with admission.app.app_context():
        assert db.session.scalars(select(Scorecard.fit).where(Scorecard.locked_at.is_not(None))).all() == [4]


def test_thirty_unread_applicants_are_declined_by_four_clicks_after_filtering(
    page: Page, admission: Admission, sign_in: Callable[[Page, Person], None]
) -> None:
    sign_in(page, admission.leaders["Vision"])
    page.goto("/reviews/vision/?state=pending&show=100")
    page.get_by_label("Select all rows").check()
    page.locator("#bulk-move").select_option("decline")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Decline", exact=False).first.click()
    expect(page.get_by_text(f"{PEOPLE} applicants: Declined.")).to_be_visible()
    with admission.app.app_context():
        assert set(db.session.scalars(select(Choice.state))) == {"declined"}


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_reviewers_are_assigned_and_applicants_tagged_and_printed(
    page: Page,
    admission: Admission,
    sign_in: Callable[[Page, Person], None],
    axe: Callable[[Page], list[str]],
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)
    sign_in(page, admission.leaders["Vision"])

    def look() -> None:
        assert axe(page) == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto("/reviews/vision/assignment")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_text(f"{PEOPLE} reviews are assigned.")).to_be_visible()
    look()
    page.goto("/reviews/vision/")
    page.get_by_role("link", name="Person 0", exact=True).click()
    page.get_by_label("Tag", exact=True).fill("strong")
    page.get_by_label("Note", exact=True).fill("Ask about the thesis.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Ask about the thesis.")).to_be_visible()
    look()
    if width > 1000:
        assert page.locator(".review-mark").evaluate("one => one.scrollHeight <= one.clientHeight + 1"), "no panel"
        bottom = page.locator(".moves").evaluate("one => one.closest('.review-mark').getBoundingClientRect().height")
        assert bottom <= 800, "the scorecard and the next step fit on a laptop"
    for address in ("/reviews/vision/?tag=strong", "/reviews/vision/applicants/print", "/reviews/vision/settings"):
        page.goto(address)
        look()
    with admission.app.app_context():
        assert len(db.session.scalars(select(AssignedReviewer)).all()) == PEOPLE
        assert db.session.scalars(select(ChoiceTag.tag)).all() == ["strong"]
