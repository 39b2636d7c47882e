"""Steps that more than one journey takes. `look` checks the page that is open."""

from __future__ import annotations

import re
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.people import Person

PASSWORD = "an engine that weaves"
TOPIC = "compilers for quantum annealers"
READING = 120_000  # ms; a process of its own is started to read a file
SAVED = re.compile(r"^Saved \d\d:\d\d")
RESUME = "Lin Mei\nlin@example.edu\n\nI wrote a compiler for annealers and served language models on GPU clusters."


@contextmanager
def as_person(browser: Browser, site: str, person: Person, sign_in: Callable[[Page, Person], None]) -> Iterator[Page]:
    """A browser of its own in which somebody has signed in."""
    with browser.new_context(base_url=site, timezone_id="UTC", locale="en-GB") as context:
        page = context.new_page()
        sign_in(page, person)
        yield page


def newest_link(mailbox: Path) -> str:
    """The first link in the newest mail, as its reader would follow it."""
    newest = max(mailbox.glob("*.eml"))
    for part in message_from_bytes(newest.read_bytes()).walk():
        if part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            found = re.search(r"https?://\S+", payload.decode())
            assert found is not None, payload
            return found.group()
    raise AssertionError("the mail has no plain text")


def register(page: Page, mailbox: Path, look: Callable[[Page], None]) -> None:
    """Make an account, on from the page to register where one is there already, follow the mailed link."""
    if "/accounts/register" not in page.url:
        page.goto("/accounts/register")
    look(page)
    page.get_by_label("Your name (optional)").fill("林美 Lin Mei")
    page.locator("input[name=email]").fill("lin.mei@example.edu")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password_confirm]").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    page.goto(newest_link(mailbox))
    look(page)
    page.get_by_role("button", name="Confirm this address").click()
    page.wait_for_url(re.compile("/me/"))  # signed in, as in this browser they have registered


def state_interests(page: Page, look: Callable[[Page], None]) -> None:
    page.goto("/me/interests")
    look(page)
    page.get_by_label("Topic 1", exact=True).fill(TOPIC)
    page.get_by_role("button", name="Add a topic").click()
    page.get_by_label("Topic 2", exact=True).fill("LLM serving on GPUs")
    page.get_by_label("Other labs may find me, too").check()
    expect(page.locator("[data-save-state]")).to_have_text(SAVED)
    # It may say so of what was saved before.
    page.get_by_role("button", name="Save interests").click()
    expect(page.get_by_text("Your interests are saved.")).to_be_visible()


def hand_in_a_resume(page: Page, folder: Path, look: Callable[[Page], None]) -> None:
    page.goto("/me/resume")
    look(page)
    file = folder / "resume.txt"
    file.write_text(RESUME, encoding="utf-8")
    page.locator("input[name=resume]").set_input_files(file)
    page.get_by_role("button", name="Upload this file").click()
    expect(page.get_by_text("I wrote a compiler for annealers").first).to_be_visible(timeout=READING)
    look(page)
    page.get_by_role("button", name="This is my resume, use it").click()


def mail_texts(mailbox: Path, address: str) -> list[str]:
    """Everything that mails to an address say, subjects and both parts, oldest first."""
    texts = []
    for file in sorted(mailbox.glob("*.eml")):
        mail = message_from_bytes(file.read_bytes(), policy=default)
        if address in str(mail["To"]):
            parts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
            texts.append("\n".join([str(mail["Subject"]), *map(str, parts)]))
    return texts
