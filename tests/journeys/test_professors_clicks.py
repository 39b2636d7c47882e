"""A professor's usual acts take few clicks, or none: reading, the first locked scorecard, many declines, assigning."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from portal.applications.cycles import last_submission
from portal.applications.files import file_store
from portal.db import db
from portal.models import AssignedReviewer, Choice, ChoiceTag, Scorecard
from tests.admission import add_admission
from tests.documents.pdfs import pdf_of_pages
from tests.journeys.conftest import PHONE
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


@pytest.fixture
def leader(page: Page, admission: Admission, sign_in: Callable[[Page, Person], None]) -> Page:
    """The tab of their leader."""
    sign_in(page, admission.leaders["Vision"])
    return page


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["desk", "phone"])
def seen(request: pytest.FixtureRequest, leader: Page) -> Page:
    """The same at a desk in light, and on a phone in dark."""
    width, theme = request.param
    leader.set_viewport_size({"width": width, "height": 800})
    leader.emulate_media(color_scheme=theme)
    return leader


@pytest.fixture
def look(axe: Callable[[Page], list[str]]) -> Callable[[Page], None]:
    """Checks that the page is accessible and no wider than the screen."""

    def check(page: Page) -> None:
        assert axe(page) == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    return check


def states(app: Flask) -> list[str]:
    with app.app_context():
        return sorted(db.session.scalars(select(Choice.state)))


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
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in_by_form(page, admission.leaders["Vision"])

    def click(control: Locator) -> None:
        nonlocal clicks
        control.click()
        clicks += 1

    click(page.get_by_role("link", name="Person 0", exact=True))
    page.wait_for_url("**/choices/*")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")  # where the panel is at its end, no point moves away
    for name, value in (("fit", 4), ("potential", 4), ("preparation", 3), ("writing", 5), ("confidence", 2)):
        click(page.locator(f"label:has(#card-{name}-{value})"))
    click(page.get_by_role("button", name="Lock", exact=True))
    expect(page.get_by_text("Your scorecard is locked.")).to_be_visible()
    assert clicks <= 8
    with admission.app.app_context():
        card = db.session.scalars(select(Scorecard)).one()
        assert (card.fit, card.writing, card.confidence, card.locked_at is not None) == (4, 5, 2, True)


def test_the_same_with_the_keyboard_alone(leader: Page, admission: Admission) -> None:
    leader.goto("/reviews/vision/")
    leader.keyboard.press("o")
    expect(leader.get_by_role("heading", name="Person 0")).to_be_visible()
    leader.locator("html[data-at-work]").wait_for(state="attached")
    for key in ("4", "4", "3", "5", "2", "l"):
        leader.keyboard.press(key)
    expect(leader.get_by_text("Your scorecard is locked.")).to_be_visible()
    with admission.app.app_context():
        assert db.session.scalars(select(Scorecard.fit).where(Scorecard.locked_at.is_not(None))).all() == [4]


def test_unread_applicants_are_declined_by_four_clicks_and_unread_again_after_undo(app: Flask, leader: Page) -> None:
    leader.goto("/reviews/vision/?state=pending&show=100")
    leader.get_by_label("Select all rows").check()
    leader.locator("#bulk-move").select_option("decline")
    leader.get_by_role("button", name="Review changes").click()
    expect(leader.get_by_text(f"{PEOPLE} applicants move")).to_be_visible()
    leader.get_by_role("button", name="Decline", exact=False).first.click()
    expect(leader.get_by_text(f"{PEOPLE} applicants: Declined.")).to_be_visible()
    assert states(app) == ["declined"] * PEOPLE
    leader.get_by_role("button", name="Undo").click()
    expect(leader.get_by_text(f"{PEOPLE} applicants: The decline is taken back")).to_be_visible()
    assert states(app) == ["pending"] * PEOPLE


def test_reading_an_applicant_begins_the_review_of_nobody_else(app: Flask, leader: Page) -> None:
    leader.goto("/reviews/vision/")
    assert states(app) == ["pending"] * PEOPLE
    leader.get_by_role("link", name="Person 3", exact=True).click()
    expect(leader.get_by_role("heading", name="Person 3")).to_be_visible()
    expect(leader.get_by_role("button", name="Start the review")).to_have_count(0)
    assert states(app) == ["in_review", *["pending"] * (PEOPLE - 1)]


def test_reviewers_are_assigned_and_applicants_tagged_and_printed(
    seen: Page, admission: Admission, look: Callable[[Page], None]
) -> None:
    seen.goto("/reviews/vision/assignment")
    seen.get_by_role("button", name="Assign", exact=True).click()
    expect(seen.get_by_text(f"{PEOPLE} reviews are assigned.")).to_be_visible()
    look(seen)
    seen.goto("/reviews/vision/")
    seen.get_by_role("link", name="Person 0", exact=True).click()
    seen.get_by_label("Tag", exact=True).fill("strong")
    seen.get_by_label("Note", exact=True).fill("Ask about the thesis.")
    seen.get_by_role("button", name="Add", exact=True).click()
    expect(seen.get_by_text("Ask about the thesis.")).to_be_visible()
    look(seen)
    if seen.evaluate("innerWidth") > 1000:
        assert seen.locator(".review-mark").evaluate("one => one.scrollHeight <= one.clientHeight + 1"), "no panel"
        bottom = seen.locator(".moves").evaluate("one => one.closest('.review-mark').getBoundingClientRect().height")
        assert bottom <= 800, "the scorecard and the next step fit on a laptop"
    for address in ("/reviews/vision/?tag=strong", "/reviews/vision/applicants/print", "/reviews/vision/settings"):
        seen.goto(address)
        look(seen)
    with admission.app.app_context():
        assert len(db.session.scalars(select(AssignedReviewer)).all()) == PEOPLE
        assert db.session.scalars(select(ChoiceTag.tag)).all() == ["strong"]


def test_the_list_and_an_applicant_with_a_locked_card_are_accessible(
    seen: Page, admission: Admission, look: Callable[[Page], None]
) -> None:
    with admission.app.app_context():
        first, second, *_others = db.session.scalars(select(Choice).order_by(Choice.id)).all()
        points = {"fit": 4, "potential": 3, "preparation": 4, "writing": 5, "confidence": 2}
        for choice, reviewer in ((first, "leaders"), (first, "reviewers"), (second, "reviewers")):
            person = getattr(admission, reviewer)["Vision"].id
            locked = {"changed_at": admission.now, "locked_at": admission.now}
            db.session.add(Scorecard(choice_id=choice.id, reviewer_id=person, **points, **locked))
        db.session.commit()
        number = first.id
    for address in ("/reviews/vision/", f"/reviews/vision/choices/{number}?part=card"):
        seen.goto(address)
        for details in seen.locator("main details:not([open]) > summary").all():
            if details.is_visible():
                details.click()
        look(seen)
    resume = seen.locator("#resume").bounding_box() if seen.evaluate("innerWidth") > 1000 else None
    assert resume is None or resume["y"] < 900, "the resume begins on the first screen"


def test_the_pages_of_a_resume_stand_beside_its_text_and_behind_a_fold_on_a_phone(
    seen: Page, admission: Admission, look: Callable[[Page], None]
) -> None:
    with admission.app.app_context():
        choice = db.session.scalars(select(Choice).order_by(Choice.id)).first()
        assert choice is not None
        sent = last_submission(db.session(), choice.application)
        assert sent is not None
        sent.storage_key, sent.resume_kind, sent.resume_pages = "resumes/of-two-pages", "pdf", 2
        file_store(admission.app).put(sent.storage_key, pdf_of_pages(2))
        db.session.commit()
        number = choice.id
    seen.goto(f"/reviews/vision/choices/{number}")
    is_phone = seen.evaluate("innerWidth") == PHONE["width"]
    first, text = seen.get_by_alt_text("Page 1 of 2 of Person 0’s resume"), seen.get_by_label("Resume text")
    if is_phone:
        expect(first).to_be_hidden()
        seen.get_by_text("Pages of the file (2)").click()
    expect(first).to_be_visible()
    expect(first).to_have_js_property("naturalWidth", 1000)
    picture, words = first.bounding_box(), text.bounding_box()
    assert picture is not None
    assert words is not None
    is_beside = picture["x"] >= words["x"] + words["width"]
    assert is_beside != is_phone
    assert is_beside or picture["y"] + picture["height"] <= words["y"]
    look(seen)


def test_times_in_plain_words_are_seen_on_a_week(seen: Page, look: Callable[[Page], None]) -> None:
    seen.goto("/reviews/vision/interviews/offer")
    seen.get_by_label("Times").fill("2099-12-01 10:00–11:00, 14:00; Thu 9:00")
    seen.get_by_role("button", name="Show the week").click()
    heading, offer = seen.get_by_role("heading", name="4 times"), seen.get_by_role("button", name="Offer these 4 times")
    expect(heading).to_be_in_viewport()
    expect(seen.get_by_role("cell", name="1 Dec 10:00 10:30 14:00")).to_be_visible()
    look(seen)
    offer.click()
    expect(seen.get_by_text("4 times are offered.")).to_be_visible()
    expect(seen.get_by_role("heading", name="Tuesday, 1 Dec 2099")).to_be_visible()


def test_a_card_that_is_dropped_where_it_may_not_go_says_so_and_where_it_may(trial: Page) -> None:
    trial.goto("/trial/board")
    trial.get_by_role("button", name="Move Ada").hover()
    trial.mouse.down()
    trial.get_by_role("heading", name="Ranked").hover()
    trial.mouse.up()
    refused = "Ada cannot go to Ranked from here, only to Interview."
    expect(trial.locator("[data-card] .board-refused")).to_have_text(refused)
    expect(trial.locator("[data-board-said]")).to_have_text(refused)
