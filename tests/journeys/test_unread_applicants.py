"""A professor sorts many applicants before reading them, reads one, and is told where a card cannot go."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from portal.applications.cycles import last_submission
from portal.applications.files import file_store
from portal.db import db
from portal.models import Choice, Scorecard
from tests.admission import add_admission
from tests.documents.pdfs import pdf_of_pages
from tests.journeys.conftest import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import Page

    from tests.admission import Admission
    from tests.people import Person

pytestmark = pytest.mark.browser

PEOPLE = 5


@pytest.fixture
def admission(app: Flask) -> Admission:
    """Applicants whom nobody has read."""
    with app.app_context():
        made = add_admission(app, deadline_in=timedelta(days=30))
        made.add_lab("Vision")
        for number in range(PEOPLE):
            made.eligible(made.add_applicant(f"Person {number}"), "Vision")
        return made


def states(app: Flask) -> list[str]:
    with app.app_context():
        return sorted(db.session.scalars(select(Choice.state)))


def test_unread_applicants_are_declined_at_once_and_unread_again_after_undo(
    app: Flask, page: Page, admission: Admission, sign_in: Callable[[Page, Person], None]
) -> None:
    sign_in(page, admission.leaders["Vision"])
    page.goto("/reviews/vision/?state=pending")
    page.get_by_label("Select all rows").check()
    page.locator("#bulk-move").select_option("decline")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text(f"{PEOPLE} applicants move")).to_be_visible()
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_text(f"{PEOPLE} applicants: Declined.")).to_be_visible()
    assert states(app) == ["declined"] * PEOPLE
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"{PEOPLE} applicants: The decline is taken back")).to_be_visible()
    assert states(app) == ["pending"] * PEOPLE


def test_reading_an_applicant_begins_the_review_of_nobody_else(
    app: Flask, page: Page, admission: Admission, sign_in: Callable[[Page, Person], None]
) -> None:
    sign_in(page, admission.leaders["Vision"])
    page.goto("/reviews/vision/")
    assert states(app) == ["pending"] * PEOPLE
    page.get_by_role("link", name="Person 3").click()
    expect(page.get_by_role("heading", name="Person 3")).to_be_visible()
    expect(page.get_by_role("button", name="Start the review")).to_have_count(0)
    assert states(app) == ["in_review", *["pending"] * (PEOPLE - 1)]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_list_and_an_applicant_with_a_locked_card_are_accessible(
    page: Page,
    admission: Admission,
    sign_in: Callable[[Page, Person], None],
    axe: Callable[[Page], list[str]],
    width: int,
    theme: Literal["light", "dark"],
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
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    sign_in(page, admission.leaders["Vision"])
    for address in ("/reviews/vision/", f"/reviews/vision/choices/{number}?part=card"):
        page.goto(address)
        for details in page.locator("main details:not([open]) > summary").all():
            if details.is_visible():
                details.click()
        assert axe(page) == [], address
        resume = page.locator("#resume").bounding_box() if "choices" in address and width > 1000 else None
        assert resume is None or resume["y"] < 900, "the resume begins on the first screen"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


@pytest.mark.parametrize(("width", "theme"), [(1280, "dark"), (390, "light")])
def test_the_pages_of_a_resume_stand_beside_its_text_and_behind_a_fold_on_a_phone(
    page: Page,
    admission: Admission,
    sign_in: Callable[[Page, Person], None],
    axe: Callable[[Page], list[str]],
    width: int,
    theme: Literal["light", "dark"],
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
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    sign_in(page, admission.leaders["Vision"])
    page.goto(f"/reviews/vision/choices/{number}")
    first, text = page.get_by_alt_text("Page 1 of 2 of Person 0’s resume"), page.get_by_label("Resume text")
    if width == PHONE["width"]:
        expect(first).to_be_hidden()
        page.get_by_text("Pages of the file (2)").click()
    expect(first).to_be_visible()
    expect(first).to_have_js_property("naturalWidth", 1000)
    picture, words = first.bounding_box(), text.bounding_box()
    assert picture is not None
    assert words is not None
    is_beside = picture["x"] >= words["x"] + words["width"]
    assert is_beside == (width > PHONE["width"])
    assert is_beside or picture["y"] + picture["height"] <= words["y"]
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_times_in_plain_words_are_seen_on_a_week(
    page: Page,
    admission: Admission,
    sign_in: Callable[[Page, Person], None],
    axe: Callable[[Page], list[str]],
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    sign_in(page, admission.leaders["Vision"])
    page.goto("/reviews/vision/interviews/offer")
    page.get_by_label("Times").fill("2099-12-01 10:00–11:00, 14:00; Thu 9:00")
    page.get_by_role("button", name="Show the week").click()
    heading, offer = page.get_by_role("heading", name="4 times"), page.get_by_role("button", name="Offer these 4 times")
    expect(heading).to_be_in_viewport()
    expect(page.get_by_role("cell", name="1 Dec 10:00 10:30 14:00")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    offer.click()
    expect(page.get_by_text("4 times are offered.")).to_be_visible()
    expect(page.get_by_role("heading", name="Tuesday, 1 Dec 2099")).to_be_visible()


def test_a_card_that_is_dropped_where_it_may_not_go_says_so_and_where_it_may(trial: Page) -> None:
    trial.goto("/trial/board")
    trial.get_by_role("button", name="Move Ada").hover()
    trial.mouse.down()
    trial.get_by_role("heading", name="Ranked").hover()
    trial.mouse.up()
    refused = "Ada cannot go to Ranked from here, only to Interview."
    expect(trial.locator("[data-card] .board-refused")).to_have_text(refused)
    expect(trial.locator("[data-board-said]")).to_have_text(refused)
