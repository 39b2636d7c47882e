"""The portal's name, who runs it, and their pages that it links to: shown where set, without a gap where not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.applications.referees.service import ask
from portal.config import RESOURCES
from portal.db import db
from portal.mail.kinds import KINDS
from portal.mail.rendering import Letterhead, rendered
from tests.accounts.mailbox import mails, register
from tests.admission import add_admission
from tests.mail_samples import sample
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings
    from tests.people import Person

NAME = "Ada & Babbage Doctoral Programme"
OPERATOR = "Department of Engines <Example University>"
PRIVACY = "https://www.example.edu/privacy?of=phd&in=en"
IMPRINT, ACCESSIBILITY = "https://www.example.edu/imprint", "https://www.example.edu/accessibility"
PRIVACY_LINK = '<a href="https://www.example.edu/privacy?of=phd&amp;in=en">privacy notice</a>'


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings | {
        "PORTAL_NAME": NAME,
        "PORTAL_OPERATOR": OPERATOR,
        "PORTAL_PRIVACY_URL": PRIVACY,
        "PORTAL_IMPRINT_URL": IMPRINT,
        "PORTAL_ACCESSIBILITY_URL": ACCESSIBILITY,
    }


@pytest.fixture
def letterhead(app: Flask) -> Letterhead:
    return Letterhead.of(app.config["PORTAL"])


def test_every_page_names_the_portal_and_who_runs_it_and_links_to_their_pages(client: FlaskClient) -> None:
    page = client.get("/about").text
    assert "<title>How matching works · Ada &amp; Babbage Doctoral Programme</title>" in page
    assert 'property="og:site_name" content="Ada &amp; Babbage Doctoral Programme"' in page
    footer = page[page.index("<footer") :]
    assert "<p>Run by Department of Engines &lt;Example University&gt;.</p>" in footer
    assert footer.count("https://www.example.edu/") == 3
    assert "Ph.D. Portal" not in page


def test_whoever_gives_something_about_themselves_finds_the_privacy_notice_there(
    client: FlaskClient, applicant: Person
) -> None:
    assert PRIVACY_LINK in client.get("/accounts/register").text
    assert PRIVACY_LINK in applicant.sign_in().get("/me/resume").text


def test_a_referee_finds_the_privacy_notice_beside_the_letter(app: Flask, client: FlaskClient) -> None:
    with app.app_context():
        admission = add_admission(app, now=datetime.now(UTC), referees=1)
        admission.add_lab("Ada Lab")
        person = admission.add_applicant()
        draft = admission.draft(person, "Ada Lab")
        actor = admission.user(person)
        ask(db.session(), draft, "Bo", "bo@example.edu", "My thesis", actor=actor, now=admission.now)
        db.session.commit()
    (mail,) = mails(app, "bo@example.edu")
    path = next(word for word in mail.body.split() if "/letters/" in word).partition("localhost:8000")[2]
    assert PRIVACY_LINK in client.get(path).text


def test_who_is_invited_reads_the_name_and_finds_the_privacy_notice(app: Flask, admin: Person) -> None:
    form = {"addresses": "bob@example.edu", "roles": ["professor"], "lab": ""}
    submit(admin.sign_in(), "/admin/people/invitations", form)
    (mail,) = mails(app, "bob@example.edu")
    assert mail.subject == f"Your invitation to {NAME}"
    path = next(word for word in mail.body.split() if "/join/" in word).partition("localhost:8000")[2]
    page = app.test_client().get(path).text
    assert "invites you to Ada &amp; Babbage Doctoral Programme." in page
    assert PRIVACY_LINK in page


@pytest.mark.parametrize("kind", KINDS)
def test_every_mail_ends_with_who_it_is_from(letterhead: Letterhead, kind: str) -> None:
    mail = rendered(KINDS[kind], {**sample(KINDS[kind]), "name": "Li", "path": "/there"}, letterhead)
    assert f"\n{NAME}\nhttp://localhost:8000\nRun by {OPERATOR}.\n" in mail.text
    assert f"\nHow your data is handled: {PRIVACY}\n" in mail.text
    assert "Run by Department of Engines &lt;Example University&gt;." in mail.html
    assert 'href="https://www.example.edu/privacy?of=phd&amp;in=en"' in mail.html


def test_mails_about_accounts_name_it_as_well(app: Flask) -> None:
    register(app.test_client(), "li@example.edu")
    (mail,) = mails(app, "li@example.edu")
    assert mail.subject == f"Your registration at {NAME}"
    assert f"has registered at {NAME} with this address." in mail.body
    assert f"Run by {OPERATOR}." in mail.body


def test_programs_and_authenticator_apps_read_the_name(app: Flask, client: FlaskClient) -> None:
    assert client.get("/api/v1/openapi.json").get_json()["info"]["title"] == NAME
    assert app.config["SECURITY_TOTP_ISSUER"] == NAME


def test_no_template_says_a_name_of_its_own() -> None:
    templates = (path for path in (RESOURCES / "templates").rglob("*.*") if path.is_file())
    assert [str(path) for path in templates if "Ph.D. Portal" in path.read_text(encoding="utf-8")] == []


class TestNothingSet:
    """A portal whose operator has set nothing of this."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return {name: value for name, value in settings.items() if "example.edu" not in value and value != OPERATOR}

    def test_there_is_no_link_and_no_gap(self, client: FlaskClient, letterhead: Letterhead) -> None:
        for path in ("/about", "/accounts/register"):
            page = client.get(path).text
            assert [words in page for words in ("Run by", 'href=""', "rivacy notice", "Imprint")] == [False] * 4
        mail = rendered(KINDS["new_choices"], {**sample(KINDS["new_choices"]), "name": "Li", "path": "/"}, letterhead)
        assert [words in mail.text + mail.html for words in ("Run by", "handled", 'href=""')] == [False] * 3
        assert "\n\n\n" not in mail.text
