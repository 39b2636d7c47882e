"""An administrator's year in the browser: a file becomes works of a lab, an applicant's ranking changes, a cycle is
made and decided by an assignment round, two administrators release the offers, and mails go out.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from portal.models import Cycle, LabIntake
from tests.admission import Admission, add_admission
from tests.journeys.steps import as_person, mail_texts
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page

    from tests.people import Person

pytestmark = pytest.mark.browser

TITLE = "Sampling answers from graph databases"
REFUSED = "A poster that is no work"
BIBTEX = f"""
@inproceedings{{one, title={{{TITLE}}}, author={{Ada Lovelace and Bo Li}}, year={{2026}}, booktitle={{VLDB}},
  abstract={{Graph databases answer by sampling paths, with bounds on the error.}}}}
@misc{{poster, title={{{REFUSED}}}, author={{Bo Li}}, year={{2025}}}}
@article{{broken, title={{Unfinished,
"""
RANK = ("start_review", "shortlist", "rank")
SOON = 60_000  # ms; other processes read an edit within a second
WELCOME = ("offers you a place", "Accept")


@pytest.fixture
def settings(settings: dict[str, str]) -> dict[str, str]:
    """Mail goes to the file mailbox, as in the demo."""
    return {**settings, "PORTAL_MAIL_URL": ""}


@pytest.fixture
def admission(app: Flask) -> Admission:
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(app, now=now, deadline_in=timedelta(days=5), closed_at=now)
        one.add_lab("Systems", "Compilers for quantum annealers")
        one.add_lab("Vision", "Recognising pictures")
    return one


def test_from_a_file_to_mailed_offers(
    context: BrowserContext,
    site: str,
    app: Flask,
    admission: Admission,
    settings: dict[str, str],
    sign_in: Callable[[Page, Person], None],
    axe_without_contrast: Callable[[Page], list[str]],
) -> None:
    browser = context.browser
    assert browser is not None

    def look(at: Page) -> None:
        assert axe_without_contrast(at) == [], at.url

    with app.app_context():
        mei = admission.add_applicant("林美 Lin Mei", topics=("graph databases that answer by sampling",))
        omar = admission.add_applicant("Omar Haddad", topics=("compilers for annealers",))
        second = add_person(app, "admin")

    with as_person(browser, site, mei, sign_in) as seeker, as_person(browser, site, admission.admin, sign_in) as office:
        seeker.goto("/me/matches")
        expect(seeker.locator("main")).not_to_contain_text(TITLE)
        bring_a_file(office, look)
        seeker.goto("/me/matches")
        expect(seeker.locator("main")).to_contain_text(TITLE, timeout=SOON)
        expect(seeker.locator("main")).not_to_contain_text(REFUSED)
        slug = make_a_cycle(office, look)

    apply_and_rank(app, admission, slug, mei, omar)
    with as_person(browser, site, admission.admin, sign_in) as office:
        write_to_applicants(office, slug, look)
        assign(office, slug, look)
        address = prepare_the_release(office, look)
        office.goto(address)
        expect(office.get_by_role("button", name=re.compile("^Release [0-9]+ decision"))).to_have_count(0)
    mailbox = Path(settings["PORTAL_INSTANCE"]) / "mail"
    assert not mail_about_decisions(mailbox, mei, omar)
    with as_person(browser, site, second, sign_in) as office:
        office.goto(address)
        office.get_by_role("button", name=re.compile("^Release [0-9]+ decision")).click()
        expect(office.get_by_text("Done").first).to_be_visible()
        look(office)

    assert sorted(mail_about_decisions(mailbox, mei, omar)) == sorted([mei.email, omar.email])
    for person, lab in ((mei, "Vision"), (omar, "Systems")):
        with as_person(browser, site, person, sign_in) as page:
            page.goto(f"/me/application/{slug}/")
            expect(page.get_by_text(f"{lab} offers you a place")).to_be_visible()
            expect(page.get_by_text("Bring your questions.")).to_be_visible()


def bring_a_file(page: Page, look: Callable[[Page], None]) -> None:
    """Paste BibTeX, see what is broken, refuse one entry, accept the rest."""
    page.goto("/admin/labs/systems/imports")
    look(page)
    page.get_by_label("Or paste it").fill(BIBTEX)
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_text("Problem: ")).to_be_visible()
    look(page)
    page.get_by_label(re.compile(REFUSED)).check()
    page.get_by_role("button", name="Refuse selected").click()
    page.get_by_label(re.compile(TITLE)).check()
    page.get_by_role("button", name="Accept selected").click()
    page.goto("/labs/systems")
    expect(page.get_by_text(TITLE).first).to_be_visible()
    expect(page.get_by_text(REFUSED)).to_have_count(0)


def make_a_cycle(page: Page, look: Callable[[Page], None]) -> str:
    """A cycle made from the last one, open now; the name of its address."""
    page.goto("/admin/new-cycle")
    look(page)
    today = datetime.now(UTC)
    page.locator("[name=name]").fill("Spring call")
    page.locator("[name=zone]").fill("UTC")
    for name, days in (("opens_at", -1), ("deadline_at", 3), ("reply_by_at", 30)):
        page.locator(f"[name={name}]").fill((today + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Create the cycle").click()
    expect(page.get_by_text("Spring call is created.")).to_be_visible()
    look(page)
    return page.url.rstrip("/").rpartition("/")[2]


def apply_and_rank(app: Flask, admission: Admission, slug: str, mei: Person, omar: Person) -> None:
    """Both want Systems most; it has one seat and prefers Omar. Vision ranks Mei."""
    with app.app_context():
        session = admission.session
        admission.cycle_id = session.scalars(select(Cycle.id).where(Cycle.slug == slug)).one()
        for lab_id in admission.labs.values():
            session.add(LabIntake(lab_id=lab_id, cycle_id=admission.cycle_id, seats=1))
        wishes = {mei.email: ("Systems", "Vision"), omar.email: ("Systems",)}
        made = {person.email: admission.submitted(person, *wishes[person.email]) for person in (mei, omar)}
        admission.cycle.deadline_at = datetime.now(UTC) - timedelta(minutes=1)
        admission.session.commit()
        admission.now = datetime.now(UTC)
        for application in made.values():
            admission.one_move(application, "mark_eligible", "admin")
        for person, lab in ((omar, "Systems"), (mei, "Systems"), (mei, "Vision")):
            admission.move(admission.choice(made[person.email], lab), *RANK, as_="leader")


def write_to_applicants(page: Page, slug: str, look: Callable[[Page], None]) -> None:
    """Write to everybody, change one's mind in the preview, and send it."""
    page.goto(f"/admin/cycles/{slug}/announcements")
    look(page)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Choose to whom you write.").first).to_be_visible()
    look(page)
    page.get_by_label("Everybody with an application").check()
    page.get_by_label("Subject").fill("An hour for questions")
    page.get_by_label("Message").fill("On Thursday.")
    page.get_by_role("button", name="Preview").click()
    look(page)
    page.get_by_role("button", name="Change it").click()
    page.get_by_label("Message").fill("On Thursday at noon.\n\nBring your questions.")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Send it to 2 applicants").click()
    expect(page.get_by_text("2 applicants are told of “An hour for questions”")).to_be_visible()
    look(page)


def assign(page: Page, slug: str, look: Callable[[Page], None]) -> None:
    """Compute a round, read its proof, stage its offers."""
    page.goto(f"/admin/cycles/{slug}/assignment")
    look(page)
    page.get_by_label("Public phrase for tie-breaking").fill("drawn in public on a Monday")
    page.get_by_role("button", name="Compute a draft").click()
    expect(page.get_by_text("Proved by the independent checker")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Omar Haddad"))).to_contain_text("Systems")
    look(page)
    page.get_by_role("button", name="Stage 2 offers").click()
    expect(page.get_by_role("link", name="Releases")).to_have_attribute("aria-current", "page")


def prepare_the_release(page: Page, look: Callable[[Page], None]) -> str:
    """Tick both offers; the address of the release."""
    for name in ("林美 Lin Mei, Vision", "Omar Haddad, Systems"):
        page.get_by_label(name).check()
    look(page)
    page.get_by_role("button", name="Prepare selected").click()
    expect(page.get_by_role("row", name=re.compile("Omar Haddad"))).to_be_visible()
    look(page)
    return page.url


def mail_about_decisions(mailbox: Path, *people: Person) -> list[str]:
    """The address of each mail that says there is news on an application; none says what it is."""
    told = [
        (person.email, text)
        for person in people
        for text in mail_texts(mailbox, person.email)
        if "News about your application" in text
    ]
    assert not [text for _, text in told if any(word in text for word in WELCOME)]
    return [email for email, _ in told]
