"""A real browser in front of a real server: the portal served by a thread, Chromium, axe.

Every test here gets `page`, and fails at its end if the browser complained: a console error (a breach of the
content security policy is one), an uncaught exception, or a request to another host.
"""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from werkzeug.serving import make_server

from portal.applications.interests.service import Stated, save_interests
from portal.db import db
from portal.matching import Topic
from portal.models import User
from tests.applications.labs import add_labs
from tests.journeys.trial_pages import TrialServer, open_trial_pages
from tests.servers import free_port, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page, Response

    from tests.people import Person

    _Theme = Literal["light", "dark"]
    _Look = tuple[Callable[[Page], list[str]], _Theme]

CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
expect.set_options(timeout=60_000)  # ms; Playwright's own 5 seconds are few for a machine that is busy


@dataclass
class Complaints:
    """What a browser complained about while a test drove it."""

    host: str
    console: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Note what `page` complains about from now on."""
        page.on("console", lambda message: self.console.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", lambda request: self._note_host(request.url))

    def _note_host(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != self.host:
            self.foreign.append(url)

    def forgive(self, words: str) -> None:
        """Drop the console errors that hold `words`: those that the test provoked, as a page answered with 404."""
        kept = [text for text in self.console if words not in text]
        assert len(kept) < len(self.console), f"nothing to forgive: no console error holds {words!r}"
        self.console = kept


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Debian's Chromium, the one without windows first.

    Its sandbox is left out only where the tests run as root, which it refuses otherwise.
    """
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        missing("browser")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {"executable_path": program, "args": sandbox}


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def settings(settings: dict[str, str], port: int) -> dict[str, str]:
    """The settings of every test, with the address that the server will have."""
    return {**settings, "PORTAL_BASE_URL": f"http://127.0.0.1:{port}"}


@pytest.fixture
def site(app: Flask, port: int) -> Iterator[str]:
    """The address of the portal, served for as long as the test runs."""
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def browser_context_args(site: str) -> dict[str, Any]:
    """A reader at a desk, in light; `page.set_viewport_size` and `page.emulate_media` change that."""
    return {"base_url": site, "viewport": DESK, "color_scheme": "light", "locale": "en-GB", "timezone_id": "UTC"}


@pytest.fixture
def complaints(site: str) -> Iterator[Complaints]:
    noted = Complaints(urlsplit(site).netloc)
    yield noted
    assert noted.console == []
    assert noted.foreign == []


@pytest.fixture
def page(context: BrowserContext, complaints: Complaints) -> Page:
    """A tab whose complaints fail the test; after `goto` the scripts of a page are at work."""
    tab = context.new_page()
    complaints.watch(tab)
    go = tab.goto

    def go_and_wait(url: str, **options: Any) -> Response | None:  # noqa: ANN401  (playwright's own)
        answer = go(url, **options)
        if tab.locator("script[type=module]").count():
            tab.locator("html[data-at-work]").wait_for(state="attached")
        return answer

    tab.goto = go_and_wait  # type: ignore[method-assign]
    return tab


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """Finds what a page does wrong by WCAG 2.2 A and AA and axe's best practices: one line for each place."""
    return _looks_at({"resultTypes": ["violations"]})


@pytest.fixture
def axe_without_contrast(*, thorough: bool) -> Callable[[Page], list[str]]:
    """The same but for contrast, which takes most of its time: for the many pages of a way, which are put together from
    what other tests look at in full. With --thorough everything.
    """
    left_out = {} if thorough else {"rules": {"color-contrast": {"enabled": False}}}
    return _looks_at({"resultTypes": ["violations"], **left_out})


def _looks_at(options: dict[str, Any]) -> Callable[[Page], list[str]]:
    runner = Axe()

    def findings(page: Page) -> list[str]:
        # A click returns once the next page has begun to arrive; before its first element is there, axe fails.
        page.wait_for_load_state()
        return _lines(runner.run(page, options=options).response)

    return findings


@pytest.fixture
def axe_in_themes(
    axe: Callable[[Page], list[str]], axe_without_contrast: Callable[[Page], list[str]], *, thorough: bool
) -> Callable[[Page], list[str]]:
    """The same, for many pages: contrast on every fourth page, half of these in dark; with --thorough on each
    page in both themes.
    """
    every: list[list[_Look]] = [[(axe, theme) for theme in _THEMES]]
    some: list[list[_Look]] = [[(look, theme)] for theme in _THEMES for look in (axe, *(axe_without_contrast,) * 3)]
    turns = cycle(every if thorough else some)

    def findings(page: Page) -> list[str]:
        found: list[str] = []
        for look, theme in next(turns):
            page.emulate_media(color_scheme=theme)
            # A colour on its way from one theme to the other is no colour of either.
            page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
            found += look(page)
        page.emulate_media(color_scheme="light")
        return found

    return findings


_THEMES: tuple[_Theme, ...] = ("light", "dark")


def _lines(response: dict[str, Any]) -> list[str]:
    return [
        f"{violation['impact']} {violation['id']}: {violation['help']} – {node['html'][:200]}"
        for violation in response["violations"]
        for node in violation["nodes"]
    ]


@pytest.fixture
def sign_in(site: str) -> Callable[[Page, Person], None]:
    """Signs a person in without the form, which costs two pages; the page stays as it is."""

    def enter(page: Page, person: Person) -> None:
        cookie = person.sign_in().get_cookie("session")
        assert cookie is not None
        page.context.add_cookies([{"name": "session", "value": cookie.value, "url": site}])

    return enter


@pytest.fixture
def sign_in_by_form() -> Callable[[Page, Person], None]:
    """Signs a person in through the form; the page is then the one they begin with."""

    def fill(page: Page, person: Person) -> None:
        page.goto("/accounts/login")
        page.locator("input[name=email]").fill(person.email)
        page.locator("input[name=password]").fill(person.password)
        page.locator("form:has(input[name=password]) [type=submit]").click()
        page.wait_for_url(lambda url: "/accounts/login" not in url)

    return fill


@pytest.fixture
def have_topics(app: Flask) -> Callable[..., None]:
    """States a person's topics without the page, in whose fields it takes a second: `have_topics(person, "a", "b")`."""

    def save(person: Person, *topics: str) -> None:
        with app.app_context():
            user = db.session.get_one(User, person.id)
            stated = Stated(topics=tuple(Topic(topic) for topic in topics))
            save_interests(db.session(), user, stated, base=0, now=datetime.now(UTC))
            db.session.commit()

    return save


@pytest.fixture
def me(app: Flask, page: Page, applicant: Person, sign_in: Callable[[Page, Person], None]) -> Page:
    """An applicant's tab, with labs to match."""
    add_labs(app)
    sign_in(page, applicant)
    return page


@pytest.fixture
def my_topics(applicant: Person, have_topics: Callable[..., None]) -> Callable[..., None]:
    """States the applicant's topics before the first page."""
    return partial(have_topics, applicant)


@pytest.fixture
def server(app: Flask) -> TrialServer:
    """The made-up pages under /trial/."""
    return open_trial_pages(app)


@pytest.fixture
def trial(server: TrialServer, page: Page) -> Page:  # noqa: ARG001  (the pages must be there before the first request)
    """A tab for the pages under /trial/."""
    return page
