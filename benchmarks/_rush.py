"""Applicants in the evening of a deadline, as a browser acts for them: over HTTP, with nothing of the portal's code.

Each signs in, reads matches and form, saves the draft several times, submits and opens the receipt. A request that gets
no answer or an error is sent again as a person would: the page is opened anew.
"""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass, field
from functools import partial
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from lxml.html import fromstring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml.html import FormElement

HOST = "load.example.edu"
UNANSWERED = 599
"""Stands for the status of a request without an answer."""
LEAST_FAULT = 400
"""No page of this evening may be refused either."""
TRIES = 20
WAIT = 0.3
"""Seconds before a failed step is taken again."""
SAVES = 5


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: what it was for, its milliseconds on the clock, its status."""

    step: str
    milliseconds: float
    status: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    text: str
    location: str


@dataclass
class Browser:
    """One person's connection to the server behind its proxy, with cookies; remembers all visits."""

    port: int
    address: str
    host: str = "127.0.0.1"
    cookies: dict[str, str] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    _connection: http.client.HTTPConnection | None = None

    def request(
        self,
        step: str,
        path: str,
        form: Iterable[tuple[str, str]] | None = None,
        accept: str = "text/html",
        file: tuple[str, str] | None = None,
    ) -> Answer:
        """GET a page, or POST a form to it, with a text file as (field, text); a connection that was closed counts as
        unanswered.
        """
        headers = {
            "Host": HOST,
            "X-Forwarded-For": self.address,
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": HOST,
            "Accept": accept,
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        body = None if form is None else urlencode(list(form))
        kind = "application/x-www-form-urlencoded"
        if form is not None and file is not None:
            body, kind = _multipart(form, file)
        if body is not None:
            headers |= {"Content-Type": kind, "Referer": f"https://{HOST}{path}"}
        start = time.perf_counter()
        try:
            answer = self._answer("GET" if body is None else "POST", path, body, headers)
        except (OSError, http.client.HTTPException):
            self.close()
            answer = Answer(UNANSWERED, "", "")
        self.visits.append(Visit(step, (time.perf_counter() - start) * 1000, answer.status))
        return answer

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _answer(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        text = response.read().decode()
        for header in response.headers.get_all("Set-Cookie") or ():
            for cookie in SimpleCookie(header).values():
                self.cookies[cookie.key] = cookie.value
        return Answer(response.status, text, urlsplit(response.headers.get("Location", "")).path)


def _multipart(form: Iterable[tuple[str, str]], file: tuple[str, str]) -> tuple[str, str]:
    """A form with a text file as its body, and the body's type."""
    edge = "edge-of-a-part"
    field_name, text = file
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in form]
    parts.append(f'name="{field_name}"; filename="resume.txt"\r\nContent-Type: text/plain\r\n\r\n{text}')
    body = "".join(f"--{edge}\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    return f"{body}--{edge}--\r\n", f"multipart/form-data; boundary={edge}"


def sign_in(browser: Browser, email: str, password: str) -> int:
    """Sign in, if this browser is not signed in already; the status of the last page."""
    page = browser.request("sign-in page", "/accounts/login")
    if page.status != http.client.OK:
        return page.status if page.status >= LEAST_FAULT else http.client.OK
    sent = filled(page.text, "password", email=email, password=password)
    return browser.request("sign in", "/accounts/login", sent).status


@dataclass
class Applicant:
    """Somebody who applies tonight. `reason` and `receipt` are what the portal has acknowledged so far."""

    browser: Browser
    email: str
    password: str
    cycle: str
    reason: str = ""
    receipt: bool = False

    def apply(self) -> None:
        """Go from signing in to the receipt; give up a step that fails too often."""
        self._insist(lambda: sign_in(self.browser, self.email, self.password))
        self._insist(lambda: self.browser.request("matches", "/me/matches").status)
        for number in range(SAVES):
            self._insist(partial(self._save, f"Draft {number} of {self.email}: your work on serving models."))
        self._insist(self._submit)
        self._insist(self._read_receipt)
        self.browser.close()

    @property
    def _form_page(self) -> str:
        return f"/me/application/{self.cycle}/"

    def _insist(self, step: Callable[[], int]) -> None:
        for _ in range(TRIES):
            if step() < LEAST_FAULT:
                return
            time.sleep(WAIT)

    def _save(self, reason: str) -> int:
        page = self.browser.request("form", self._form_page)
        if page.status != http.client.OK:
            return page.status
        name = next(name for name, _ in fields_of(form_with(page.text, "opened_with")) if name.endswith("-reason"))
        sent = filled(page.text, "opened_with", **{name: reason})
        answer = self.browser.request("save", self._form_page, sent, accept="application/json")
        if answer.status == http.client.OK:
            self.reason = reason
        return answer.status

    def _submit(self) -> int:
        path = f"{self._form_page}submit"
        page = self.browser.request("page before submitting", path)
        if page.status != http.client.OK:
            return page.status  # a redirect to the receipt: the answer to an earlier try was lost
        return self.browser.request("submit", path, filled(page.text, "after")).status

    def _read_receipt(self) -> int:
        answer = self.browser.request("receipt", f"{self._form_page}receipt")
        self.receipt = answer.status == http.client.OK
        return answer.status


def form_with(page: str, field_name: str) -> FormElement:
    """The form of a page that has a field of this name."""
    return next(form for form in fromstring(page).forms if field_name in form.fields)


def fields_of(form: FormElement) -> list[tuple[str, str]]:
    """What a browser would send of a form, without any button."""
    return [(name, str(value)) for name, value in form.form_values() if value is not None]


def filled(page: str, field_name: str, **values: str) -> list[tuple[str, str]]:
    """The form of a page with these values in it."""
    untouched = [(name, value) for name, value in fields_of(form_with(page, field_name)) if name not in values]
    return [*untouched, *values.items()]
