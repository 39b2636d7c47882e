"""An admission in the browser: from an application to an accepted offer, with two labs, two professors, two
administrators, one interview, one released and one unreleased decision; and the ways that end otherwise.

What comes before, from register to a confirmed resume, is in the main journey.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from portal.models import Application, Cycle, InterviewSlot, User
from tests.admission import Admission, add_admission
from tests.journeys.steps import as_person, mail_texts
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page, Response

    from tests.people import Person

pytestmark = pytest.mark.browser

QUIET = "zz-quiet-words-of-vision"
WELCOME = "We would be glad to have you."


@pytest.fixture
def settings(settings: dict[str, str]) -> dict[str, str]:
    """Mail goes to the file mailbox, as in the demo."""
    return {**settings, "PORTAL_MAIL_URL": ""}


@pytest.fixture
def mailbox(settings: dict[str, str]) -> Path:
    return Path(settings["PORTAL_INSTANCE"]) / "mail"


@pytest.fixture
def admission(app: Flask) -> Admission:
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(app, now=now, deadline_in=timedelta(days=5))
        one.add_lab("Systems", "Compilers for quantum annealers")
        one.add_lab("Vision", "Recognising pictures")
    return one


def move(page: Page, name: str, message: str = "") -> None:
    """Press one of the lab's moves on the page of an applicant."""
    with page.expect_response(is_sent) as answer:
        page.locator("section.moves").get_by_role("button", name=name).click()
    if answer.value.status == 200:  # a page that asks once more
        expect(page.get_by_role("link", name="Back to the applicant")).to_be_visible()
        if message:
            page.get_by_label("Message").fill(message)
        with page.expect_response(is_sent):
            page.get_by_role("button", name=name).click()
    page.wait_for_load_state()


def is_sent(answer: Response) -> bool:
    return str(answer.request.method) == "POST"


def test_from_an_application_to_an_accepted_offer(
    page: Page,
    context: BrowserContext,
    site: str,
    app: Flask,
    admission: Admission,
    mailbox: Path,
    sign_in: Callable[[Page, Person], None],
    axe_without_contrast: Callable[[Page], list[str]],
) -> None:
    browser = context.browser
    assert browser is not None

    def look(at: Page) -> None:
        assert axe_without_contrast(at) == [], at.url

    with app.app_context():
        person = admission.add_applicant("林美 Lin Mei")
    sign_in(page, person)
    apply_to_both(page, look)

    with app.app_context():
        cycle = admission.session.get_one(Cycle, admission.cycle_id)
        cycle.deadline_at = datetime.now(UTC) - timedelta(minutes=1)
        admission.session.commit()
    with as_person(browser, site, admission.admin, sign_in) as office:
        find_eligible(office, look)
    systems = admission.leaders["Systems"]
    with as_person(browser, site, systems, sign_in) as lab:
        invite(lab, look)
    pick_a_time(page, look)
    with app.app_context():
        slot = admission.session.scalars(select(InterviewSlot).where(InterviewSlot.choice_id.is_not(None))).one()
        slot.starts_at = datetime.now(UTC) - timedelta(hours=1)
        admission.session.commit()
    with as_person(browser, site, systems, sign_in) as lab:
        offer(lab, "systems", "Mark as interviewed", WELCOME)
    with as_person(browser, site, admission.leaders["Vision"], sign_in) as lab:
        offer(lab, "vision", "Shortlist", QUIET)

    page.goto("/me/")
    page.get_by_role("link", name=re.compile("Fall")).first.click()
    expect(page.get_by_text("offers you a place")).to_have_count(0)
    second = add_person(app, "admin")
    with as_person(browser, site, admission.admin, sign_in) as office:
        address = prepare_release(office, look)
    with as_person(browser, site, second, sign_in) as office:
        office.goto(address)
        office.get_by_role("button", name=re.compile("^Release [0-9]+ decision")).click()
        expect(office.get_by_text("Done").first).to_be_visible()
    accept(page, look)

    with app.app_context():
        application = admission.session.scalars(select(Application)).one()
        states = {choice.lab.name: (choice.state, choice.shown_state) for choice in application.choices}
        assert application.state == "closed"
        assert states == {"Systems": ("accepted", "accepted"), "Vision": ("closed", "closed")}
    with as_person(browser, site, admission.leaders["Vision"], sign_in) as lab:
        lab.goto("/reviews/vision/")
        expect(lab.locator("main").get_by_text("Systems")).to_have_count(0)
    letters = "\n".join(mail_texts(mailbox, person.email))
    assert "News about your application" in letters
    for word in (QUIET, WELCOME, "offers you", "declined"):
        assert word not in letters
    assert QUIET not in page.content()


def apply_to_both(page: Page, look: Callable[[Page], None]) -> None:
    """Add both labs from their pages, say why, submit and see the receipt."""
    for lab in ("Systems", "Vision"):
        page.goto(f"/labs/{lab.lower()}")
        page.get_by_role("button", name=f"Add to my application: {lab}").first.click()
    page.get_by_role("link", name=f"On your application: {lab}").first.click()
    for lab in ("Systems", "Vision"):
        page.get_by_label(f"Why {lab}").fill(f"The work of {lab} is what I want to do.")
    look(page)
    page.get_by_role("button", name="Submit to 2 labs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submit to 2 labs?")
    look(page)
    page.get_by_role("button", name="Submit to 2 labs").click()
    expect(page.get_by_text(re.compile(r"[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}")).first).to_be_visible()
    look(page)


def find_eligible(page: Page, look: Callable[[Page], None]) -> None:
    page.goto("/admin/cycles/")
    look(page)
    page.get_by_role("link", name=re.compile("to check")).first.click()
    page.get_by_label("林美 Lin Mei").check()
    look(page)
    page.get_by_label("Selected applicants").select_option("Eligible")
    page.get_by_role("button", name="Review changes").click()
    look(page)
    page.get_by_role("button", name="Mark 1 application").click()
    expect(page.get_by_text("1 application marked: eligible. 0 left to check.")).to_be_visible()


def invite(page: Page, look: Callable[[Page], None]) -> None:
    """The lab reads, invites to an interview and offers two times."""
    page.goto("/reviews/systems/")
    look(page)
    page.get_by_role("link", name="林美 Lin Mei").first.click()
    expect(page.get_by_role("heading", name="Match", exact=True)).to_be_visible()
    for name in ("Shortlist", "Invite to an interview"):
        move(page, name)
    look(page)
    page.goto("/reviews/systems/board")
    look(page)
    page.emulate_media(media="print")  # on paper, without the columns that nobody is in
    printed = page.locator(".board-column:visible")
    assert printed.evaluate_all("columns => columns.map((column) => column.dataset.total)") == ["1"]
    page.emulate_media(media="screen")
    seen = page.viewport_size
    assert seen is not None
    page.set_viewport_size({"width": 1024, "height": 768})
    ends = page.locator(".board-column").evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    assert (len(ends), max(ends) <= 1024) == (7, True)
    page.set_viewport_size(seen)
    page.goto("/reviews/systems/interviews")
    page.get_by_role("link", name=re.compile("Offer times|Offer interview times")).first.click()
    tomorrow = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%d")
    page.locator("[name=times]").fill(f"{tomorrow} 10:00, 14:00")
    page.get_by_role("button", name="Show the week").click()
    look(page)
    page.get_by_role("button", name="Offer these 2 times").click()
    expect(page.get_by_text("free").first).to_be_visible()
    look(page)


def pick_a_time(page: Page, look: Callable[[Page], None]) -> None:
    page.goto("/me/")
    page.get_by_role("link", name=re.compile("Fall")).first.click()
    page.get_by_role("link", name=re.compile("time", re.IGNORECASE)).first.click()
    page.locator("input[name=slot]").first.check()
    look(page)
    page.get_by_role("button", name="Take this time").click()
    expect(page.get_by_role("heading", name="Your interview")).to_be_visible()


def offer(page: Page, lab: str, first: str, message: str) -> None:
    """From where the choice is to an offer that waits for its release."""
    page.goto(f"/reviews/{lab}/")
    page.get_by_role("link", name="林美 Lin Mei").first.click()
    for name in (first, "Rank"):
        move(page, name)
    move(page, "Make an offer", message)
    expect(page.get_by_text("waits for release")).to_be_visible()


def prepare_release(page: Page, look: Callable[[Page], None]) -> str:
    """One administrator ticks the decision of Systems only; the address of the release."""
    page.goto("/admin/cycles/")
    page.get_by_role("link", name=re.compile("to release")).click()
    page.get_by_label("林美 Lin Mei, Systems").check()
    page.get_by_role("button", name="Prepare selected").click()
    expect(page.get_by_text(WELCOME)).to_be_visible()
    expect(page.get_by_text(QUIET)).to_have_count(0)
    look(page)
    return page.url


def accept(page: Page, look: Callable[[Page], None]) -> None:
    page.reload()
    expect(page.get_by_text("Systems offers you a place")).to_be_visible()
    expect(page.get_by_text(WELCOME).first).to_be_visible()
    expect(page.get_by_text(QUIET)).to_have_count(0)
    look(page)
    page.get_by_role("link", name=re.compile("Accept")).click()
    look(page)
    page.get_by_role("button", name="Accept the offer").click()
    expect(page.get_by_text("Accepted").first).to_be_visible()


@pytest.mark.thorough
def test_the_ways_that_end_otherwise(
    context: BrowserContext,
    site: str,
    app: Flask,
    admission: Admission,
    sign_in: Callable[[Page, Person], None],
) -> None:
    browser = context.browser
    assert browser is not None
    with app.app_context():
        late = admission.add_applicant("Late")
        admission.draft(late, "Systems")
        withdrawn = admission.add_applicant("Withdrawn")
        admission.one_move(admission.submitted(withdrawn, "Systems"), "withdraw", "applicant")
        people = {name: admission.add_applicant(name) for name in ("Declined", "Expired", "Ineligible")}
        way = ("start_review", "shortlist", "rank")
        declined = admission.choice(admission.eligible(people["Declined"], "Systems"), "Systems")
        admission.move(declined, *way, "decline", as_="leader", message="Not this time.")
        expired = admission.choice(admission.eligible(people["Expired"], "Systems"), "Systems")
        admission.move(expired, *way, "offer", as_="leader")
        for choice in (declined, expired):
            admission.one_move(choice, "release", "admin")
        admission.later(days=30)
        admission.one_move(expired, "expire", "clock")
        ineligible = admission.submitted(people["Ineligible"], "Systems")
        admission.one_move(ineligible, "mark_ineligible", "admin", message="The degree is missing.")
        slug = admission.cycle.slug
        names = {user.id: user.name for user in admission.session.scalars(select(User))}
        assert names[late.id] == "Late"

    def status_of(person: Person) -> str:
        with as_person(browser, site, person, sign_in) as page:
            page.goto(f"/me/application/{slug}/")
            return page.locator("main").inner_text()

    assert "Withdrawn" in status_of(withdrawn)
    told = status_of(people["Declined"])
    assert "declined" in told.lower()
    assert "Not this time." in told
    assert "expired" in status_of(people["Expired"]).lower()
    told = status_of(people["Ineligible"])
    assert "Not eligible" in told
    assert "The degree is missing." in told

    with as_person(browser, site, late, sign_in) as page:
        page.goto(f"/me/application/{slug}/")
        page.get_by_label("Why Systems").fill("zz-typed-while-the-clock-ran")
        with app.app_context():
            cycle = admission.session.get_one(Cycle, admission.cycle_id)
            cycle.deadline_at = datetime.now(UTC) - timedelta(minutes=1)
            admission.session.commit()
        page.get_by_role("button", name=re.compile("Submit to 1 lab")).first.click()
        expect(page.get_by_text(re.compile("deadline of .* passed", re.IGNORECASE)).first).to_be_visible()
        expect(page.get_by_label("Why Systems")).to_have_value("zz-typed-while-the-clock-ran")
        with app.app_context():
            cycle = admission.session.get_one(Cycle, admission.cycle_id)
            cycle.closed_at = datetime.now(UTC)
            admission.session.commit()
        page.goto(f"/me/application/{slug}/")
        expect(page.get_by_text("is closed").first).to_be_visible()
