"""From the home page through the shortlist to a submitted application: few clicks, also without scripts or a mouse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import expect

from portal.db import db
from portal.models import Application, Referee
from tests.admission import add_admission
from tests.journeys.steps import RESUME, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from playwright.sync_api import Browser, FilePayload, Locator, Page

    from tests.people import Person

pytestmark = pytest.mark.browser

MOST_CLICKS = 14  # after the registration
MOST_TABS = 200
TOPIC = "Serving language models on GPUs"


class Way(Protocol):
    """How somebody uses the pages, and how many buttons and links they have pressed."""

    pressed: int

    def press(self, control: Locator) -> None: ...

    def write(self, field: Locator, text: str) -> None: ...


class Mouse:
    """Clicks, and types into fields."""

    def __init__(self) -> None:
        self.pressed = 0

    def press(self, control: Locator) -> None:
        control.click()
        self.pressed += 1

    def write(self, field: Locator, text: str) -> None:
        field.fill(text)


class Keys(Mouse):
    """Goes on with Tab to what it presses with Enter and to where it types."""

    def press(self, control: Locator) -> None:
        self._reach(control)
        control.page.keyboard.press("Enter")
        control.page.wait_for_load_state()
        self.pressed += 1

    def write(self, field: Locator, text: str) -> None:
        self._reach(field)
        field.page.keyboard.type(text)

    def _reach(self, control: Locator) -> None:
        control.wait_for()
        for _ in range(MOST_TABS):
            if control.evaluate("element => element === document.activeElement"):
                return
            control.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {control}")


@pytest.fixture
def settings(settings: dict[str, str]) -> dict[str, str]:
    """Mail goes to the file mailbox, as in the demo."""
    return {**settings, "PORTAL_MAIL_URL": ""}


@pytest.fixture
def cycle(app: Flask) -> str:
    """A cycle that asks one question and for one letter, and two labs."""
    question = {"key": "why", "text": "Why a Ph.D.?", "required": True}
    with app.app_context():
        admission = add_admission(app, referees=1, questions=[question])
        admission.add_lab("Systems Lab", TOPIC)
        admission.add_lab("Vision Lab", "Models that see, on GPUs")
        slug = admission.cycle.slug
        db.session.remove()
    return slug


@pytest.fixture
def plain_page(browser: Browser, site: str) -> Iterator[Page]:
    """A tab without scripts."""
    with browser.new_context(base_url=site, java_script_enabled=False) as context:
        yield context.new_page()


def apply(page: Page, way: Way, mailbox: Path) -> None:
    """All of it, as somebody does who has never been here."""
    page.goto("/")
    page.get_by_label("What do you want to work on?").fill(TOPIC)
    page.get_by_role("button", name="Rank the labs").click()
    page.get_by_role("button", name="Register with this text").click()
    register(page, mailbox, lambda _page: None)
    way.pressed = 0
    expect(page.get_by_label("Topic 1", exact=True)).to_have_value(TOPIC)
    way.press(page.get_by_role("button", name="Save and see matches"))
    way.press(page.get_by_role("button", name="Save for later: Vision Lab"))
    way.press(page.get_by_role("button", name="Add to my application: Systems Lab"))
    way.press(page.get_by_role("link", name="On your application: Systems Lab"))
    expect(page.get_by_text("2 of 6 steps done")).to_be_visible()
    expect(page.get_by_text("4 fields left")).to_be_visible()
    way.press(page.get_by_role("button", name="Add Vision Lab"))
    way.press(page.get_by_role("link", name="Add your resume"))
    way.write(page.get_by_label("Text of your resume"), RESUME.replace("\n\n", " ").replace("\n", " "))
    way.press(page.get_by_role("button", name="Use this text"))
    way.press(page.get_by_role("button", name="This is my resume, use it"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Application for")
    for name in ("Systems", "Vision"):
        way.write(page.get_by_label(f"Why {name} Lab"), f"The work of {name} is what I want to do.")
    way.write(page.get_by_label("Why a Ph.D.?"), "To find out.")
    way.write(page.get_by_label("Name", exact=True), "Ada Byron")
    way.write(page.get_by_label("E-mail address"), "ada@uni.example.edu")
    way.press(page.get_by_role("button", name="Submit to 2 labs"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Submit to 2 labs?")
    way.press(page.get_by_role("button", name="Submit to 2 labs"))
    expect(page.get_by_text(re.compile(r"[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}")).first).to_be_visible()
    assert way.pressed <= MOST_CLICKS, way.pressed


def is_submitted(app: Flask) -> bool:
    with app.app_context():
        application = db.session.scalars(db.select(Application)).one()
        labs = [(choice.lab.name, bool(choice.reason)) for choice in application.choices]
        asked = [referee.email for referee in db.session.scalars(db.select(Referee))]
        db.session.remove()
    return (application.state, labs, asked) == (
        "submitted",
        [("Systems Lab", True), ("Vision Lab", True)],
        ["ada@uni.example.edu"],
    )


@pytest.mark.usefixtures("cycle")
@pytest.mark.parametrize("way", [Mouse(), Keys()], ids=["mouse", "keys"])
def test_a_first_application_takes_few_clicks(app: Flask, page: Page, settings: dict[str, str], way: Way) -> None:
    apply(page, way, Path(settings["PORTAL_INSTANCE"]) / "mail")
    assert is_submitted(app)


@pytest.mark.usefixtures("cycle")
def test_a_first_application_needs_no_scripts(app: Flask, plain_page: Page, settings: dict[str, str]) -> None:
    apply(plain_page, Mouse(), Path(settings["PORTAL_INSTANCE"]) / "mail")
    assert is_submitted(app)


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_document_goes_with_all_that_was_typed(
    app: Flask, browser: Browser, site: str, sign_in: Callable[[Page, Person], None], *, has_scripts: bool
) -> None:
    with app.app_context():
        admission = add_admission(app, documents=[{"key": "marks", "text": "Transcript", "required": True}])
        admission.add_lab("Systems Lab", TOPIC)
        person = admission.add_applicant()
        admission.draft(person, "Systems Lab", reason="")
        address = f"/me/application/{admission.cycle.slug}/"
        db.session.remove()
    with browser.new_context(base_url=site, java_script_enabled=has_scripts) as context:
        page = context.new_page()
        sign_in(page, person)
        page.goto(address)
        page.get_by_label("Why Systems Lab").fill("Typed just before.")
        marks: FilePayload = {
            "name": "marks.txt",
            "mimeType": "text/plain",
            "buffer": b"Compilers: A. Databases: A. " * 9,
        }
        page.get_by_label("Transcript").first.set_input_files(marks)
        page.get_by_role("button", name="Upload Transcript").click()
        expect(page.get_by_role("link", name="marks.txt")).to_be_visible()
        expect(page.get_by_label("Why Systems Lab")).to_have_value("Typed just before.")
        page.get_by_role("button", name="Check and submit").click()
        expect(page.get_by_role("link", name="marks.txt")).to_be_visible()
