"""Two tabs that were opened with names, in a lab that reviews blind again: what they send and open shows none."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import select, update

from portal.db import db
from portal.models import Choice, Resume, Scorecard
from portal.reviews.blind_review import pseudonym
from tests.admission import add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page

    from tests.admission import Admission
    from tests.journeys.conftest import Complaints
    from tests.people import Person

pytestmark = pytest.mark.browser

SAVED = re.compile(r"^Saved \d\d:\d\d$")
SETTINGS = "/reviews/vision/settings"


@pytest.fixture
def admission(app: Flask) -> Admission:
    """Two applicants whose review has begun, in a lab that shows their names."""
    with app.app_context():
        made = add_admission(app, deadline_in=timedelta(days=30))
        made.add_lab("Vision")
        for name in ("Zzada Muster", "Zzbob Muster"):
            person = made.add_applicant(name)
            resume = made.session.scalars(select(Resume).where(Resume.user_id == person.id)).one()
            resume.text = f"{name}\nUniversity of Zzedburg\nI built a serving system."
            made.move(made.choice(made.eligible(person, "Vision"), "Vision"), "start_review", as_="leader")
        return made


def switch(admission: Admission, *, blind: bool) -> None:
    sent = {"blind": "on" if blind else "off", "sure": "yes"}
    submit(admission.leaders["Vision"].sign_in(), f"{SETTINGS}/blind", sent, page=SETTINGS)


def no_names_in(tab: Page) -> bool:
    """Whether neither the page nor its title tells who somebody is."""
    content = tab.content() + tab.title()
    return not any(mark in content for mark in ("Zzada", "Zzbob", "Muster", "Zzedburg"))


def see_on_paper(page: Page, admission: Admission, card: str) -> None:
    """On paper is a card that is locked, whatever part of the page a phone shows, and nothing that moves somebody."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(media="print")
    page.goto(card)
    expect(page.locator("article > h1")).to_be_visible()
    expect(page.locator(".scorecard")).to_be_hidden()
    with admission.app.app_context():
        points = dict.fromkeys(("fit", "potential", "preparation", "writing", "confidence"), 3)
        db.session.execute(update(Scorecard).values(locked_at=admission.now, **points))
        db.session.commit()
    page.goto(card)
    expect(page.locator(".scorecard")).to_be_visible()
    expect(page.locator(".moves")).to_be_hidden()
    page.emulate_media(media="screen")


@pytest.mark.thorough
def test_tabs_that_were_opened_with_names_show_none_after_they_are_hidden_again(
    admission: Admission,
    context: BrowserContext,
    page: Page,
    complaints: Complaints,
    sign_in: Callable[[Page, Person], None],
) -> None:
    with admission.app.app_context():
        first, second = db.session.scalars(select(Choice).order_by(Choice.id)).all()
        numbers, labels = (first.id, second.id), (pseudonym("choice", first.id), pseudonym("choice", second.id))
    card = f"/reviews/vision/choices/{numbers[0]}"
    sign_in(page, admission.reviewers["Vision"])
    page.goto("/reviews/vision/")
    page.goto(card)
    expect(page.get_by_role("heading", level=1)).to_have_text("Zzada Muster")
    other = context.new_page()
    complaints.watch(other)
    other.goto("/reviews/vision/board")
    expect(other.get_by_role("link", name="Zzbob Muster")).to_be_visible()
    page.get_by_label("Comment").fill("Written with the name in sight.")
    expect(page.locator("[data-save-state]")).to_have_text(SAVED)

    switch(admission, blind=True)
    # What is typed on saves itself, and the answer tells nothing.
    with page.expect_response(lambda answer: answer.request.method == "POST") as saved:
        page.get_by_label("Comment").fill("Written on, and saved by itself.")
    assert saved.value.ok
    assert "Zz" not in saved.value.text()
    # The next applicant, and the one that was read with the name.
    page.get_by_label("Comment").blur()
    page.keyboard.press(page.locator(".queue-steps a[data-key]").get_attribute("data-key") or "")
    page.wait_for_url(lambda url: not url.endswith(card))
    assert no_names_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(labels[1])
    page.keyboard.press("k")
    expect(page.get_by_role("heading", level=1)).to_have_text(labels[0])
    assert no_names_in(page)
    expect(page.get_by_label("Comment")).to_have_value("Written on, and saved by itself.")
    # The other tab moves and goes on from what it was opened with.
    other.goto("/reviews/vision/board")
    assert no_names_in(other)
    other.locator(f"#card-{numbers[1]} summary").click()
    other.locator(f"#card-{numbers[1]}").get_by_role("button", name="Shortlist").click()
    expect(other.get_by_text(f"{labels[1]}:")).to_be_visible()
    assert no_names_in(other)
    # A lock that lacks points stays where one reviews.
    page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.get_by_text("Your draft is saved. Before it can be locked:")).to_be_visible()
    assert no_names_in(page)

    switch(admission, blind=False)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Zzada Muster")
    with admission.app.app_context():
        cards = db.session.scalars(select(Scorecard)).all()
        assert [one.comment for one in cards] == ["Written on, and saved by itself."]
    see_on_paper(page, admission, card)
