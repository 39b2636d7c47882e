"""The applicant's pages of an admission, as a browser without scripts sends their forms."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.admission import Admission, add_admission
from tests.people import Person, csrf_token

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

LABS = ("Systems", "Vision")
RANKED = ("start_review", "shortlist", "rank")
_CONTROL = re.compile(r'<input[^>]*type="(?:hidden|text|email)"[^>]*>')
_ATTRIBUTE = re.compile(r'(name|value)="([^"]*)"')
_AREA = re.compile(r'<textarea[^>]*name="([^"]+)"[^>]*>\s?(.*?)</textarea>', re.DOTALL)
_FORM = re.compile(r'<form[^>]*class="application-form".*?</form>', re.DOTALL)


@dataclass
class Applying:
    """Somebody's pages of one cycle."""

    client: FlaskClient
    cycle: str

    @property
    def page(self) -> str:
        """Address of the application."""
        return f"/me/application/{self.cycle}/"

    def read(self, below: str = "") -> str:
        """The text of a page below the application's."""
        answer = self.client.get(self.page + below)
        assert answer.status_code == 200, (below, answer.status_code)
        return answer.text

    def client_token(self) -> str:
        """A token for a form that stands on another page."""
        return csrf_token(self.client, "/accounts/")

    def form(self) -> dict[str, str]:
        """What the form holds when it is opened now."""
        return fields(self.read())

    def to_submit(self) -> dict[str, str]:
        """What the page on which one submits holds when it is opened now; nothing where something is missing."""
        form = self.read("submit").partition('<form method="post">')[2].partition("</form>")[0]
        found = (dict(_ATTRIBUTE.findall(control)) for control in _CONTROL.findall(form))
        return {each["name"]: each["value"] for each in found if each["name"] != "csrf_token"}

    def send(self, below: str = "", **sent: Any) -> TestResponse:  # noqa: ANN401  (form values)
        """Post to a page below the application's."""
        token = {"csrf_token": self.client_token()}
        return self.client.post(self.page + below, data={**token, **sent})

    def autosave(self, form: dict[str, str]) -> TestResponse:
        """Post the form as the script does."""
        token = {"csrf_token": self.client_token()}
        return self.client.post(self.page, data={**form, **token}, headers={"Accept": "application/json"})


def fields(page: str) -> dict[str, str]:
    """Name and value of every field of the form of an application."""
    found = _FORM.search(page)
    assert found is not None, "no form of an application"
    form = found.group()
    values = {}
    for control in _CONTROL.findall(form):
        attributes = dict(_ATTRIBUTE.findall(control))
        values[attributes["name"]] = html.unescape(attributes.get("value", ""))
    return values | {name: html.unescape(text).lstrip("\n") for name, text in _AREA.findall(form)}


def main_text(page: str) -> str:
    """The words of the main part of a page."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


def past_admission(app: Flask) -> Admission:
    """A cycle with two labs and a question, whose deadline was ten days ago."""
    now = datetime.now(UTC).replace(microsecond=0)
    questions = [{"key": "why", "text": "Why?", "required": True}]
    return with_labs(add_admission(app, now=now - timedelta(days=40), questions=questions))


def with_labs(one: Admission) -> Admission:
    """The admission with two labs."""
    for name in LABS:
        one.add_lab(name)
    return one


def pages_of(person: Person, admission: Admission) -> Applying:
    """Somebody's pages, signed in."""
    return Applying(person.sign_in(), admission.cycle.slug)
