"""The address to write to: named by pages and mails that say so if it is set, and by none otherwise."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from flask import get_template_attribute
from sqlalchemy.exc import OperationalError

from portal.accounts.forms import NameForm
from portal.accounts.mailing import NOT_SENT
from portal.applications.files import FAILED_HERE, PASTE_INSTEAD
from portal.applications.submissions import IF_IT_SHOULD, IF_KEPT_FROM_IT
from portal.config import RESOURCES
from portal.db import db
from portal.mail import tell
from portal.mail.kinds import KINDS
from portal.mail.rendering import ADVICE, Letterhead, rendered, with_contact
from portal.models import User
from portal.web import errors
from tests.accounts.mailbox import follow, link_to, mails
from tests.mail_samples import sample
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

ADDRESS = "help+phd@example.edu"
LINK = f'<a href="mailto:help%2Bphd@example.edu">{ADDRESS}</a>'
ADVISING = ("account_access", "account_closed", "accounts_merged", "application_ineligible")


@pytest.fixture
def reachable(app: Flask) -> Flask:
    """The portal with an address to write to."""
    app.config["PORTAL"] = replace(app.config["PORTAL"], contact=ADDRESS)
    return app


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Please tell the administrators what you did.", "Please tell the administrators (x@y.z) what you did."),
        ("Write to the administrators of the portal.", "Write to the administrators of the portal (x@y.z)."),
        ("Use a code, or ask an administrator.", "Use a code, or ask an administrator (x@y.z)."),
        ("Only an administrator can do this.", "Only an administrator can do this."),
        ("Ask another administrator.", "Ask another administrator."),
    ],
)
def test_a_text_names_the_address_where_it_says_to_write_and_only_there(text: str, named: str) -> None:
    assert (with_contact(text, "x@y.z"), with_contact(text, "")) == (named, text)


def test_no_template_advises_to_write_without_the_address() -> None:
    named = re.compile(r'"[^"]*"\|with_contact|states\.(?:empty|notice)\(.*')
    without = [
        str(path)
        for path in (RESOURCES / "templates").rglob("*.*")
        if ADVICE.search(named.sub("", path.read_text(encoding="utf-8")))
    ]
    assert without == []


def test_every_mail_says_whom_to_write_to_where_that_is_set() -> None:
    for kind in KINDS.values():
        context = {**sample(kind), "name": "Li", "path": "/there"}
        silent, named = (
            rendered(kind, context, Letterhead("https://p.example", contact=contact)) for contact in ("", ADDRESS)
        )
        times = 2 if kind.name in ADVISING else 1
        assert (kind.name, named.text.count(ADDRESS), named.html.count(LINK)) == (kind.name, times, times)
        assert f"If you have a question, write to {ADDRESS}.\n" in named.text
        assert ("question" in silent.text, "()" in silent.text, "mailto" in silent.html) == (False, False, False)
        plain = named.text.replace(f" ({ADDRESS})", "").replace(f"If you have a question, write to {ADDRESS}.\n", "")
        assert plain.rstrip() == silent.text.rstrip()


def test_pages_have_one_link_to_it_and_error_pages_need_no_database_for_it(
    reachable: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = reachable.test_client()
    link = f'<a href="mailto:help%2Bphd@example.edu" data-address="{ADDRESS}">Contact</a>'
    assert client.get("/help/").text.count(link) == 1
    assert f"ask an administrator ({LINK})" in client.get("/accounts/register").text

    def fail(*_: object, **__: object) -> str:
        raise OperationalError("SELECT 1", {}, Exception("no database"))

    reachable.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setitem(reachable.view_functions, "help.applying", fail)
    monkeypatch.setattr(errors, "render_template", fail)
    answer = client.get("/help/")
    assert (answer.status_code, answer.text.count(link)) == (503, 1)
    monkeypatch.setattr(errors, "is_out_of_reach", lambda _error: False)
    answer = client.get("/help/")
    assert (answer.status_code, answer.text.count(link)) == (500, 1)
    assert f"please tell the administrators ({LINK}) which page it was." in answer.text
    told = client.get("/help/", headers={"Accept": "application/json"}).get_json()["error"]["advice"]
    assert f"tell the administrators ({ADDRESS}) which page" in told


def test_without_it_no_page_has_a_link_or_a_gap(app: Flask) -> None:
    client = app.test_client()
    assert "mailto:" not in client.get("/help/").text
    assert "or register and ask an administrator." in client.get("/accounts/register").text


@pytest.mark.parametrize(
    "error",
    [
        *(NOT_SENT, PASTE_INSTEAD, FAILED_HERE),
        *(IF_IT_SHOULD, IF_KEPT_FROM_IT),
    ],
)
def test_what_leaves_somebody_stuck_names_it_beside_a_field(reachable: Flask, error: str) -> None:
    with reachable.test_request_context():
        form = NameForm(formdata=None)
        form.name.errors = [error]
        field = get_template_attribute("macros/forms.html", "field")(form.name)
        plain = get_template_attribute("macros/forms.html", "plain")("name", "Name", error=error)
    assert [shown.count(f"administrators ({LINK})") for shown in (field, plain)] == [1, 1]


@pytest.mark.usefixtures("reachable")
def test_a_file_that_is_not_taken_leads_there_once(applicant: Person) -> None:
    client, file = applicant.sign_in(), (BytesIO(b"%PDF-1.7 and nothing else"), "resume.pdf")
    assert "If neither the file" not in client.get("/me/resume").text
    page = submit(client, "/me/resume", {"resume": file, "use": "file"})
    advice = f"If neither the file nor its text is taken, write to the administrators ({LINK})."
    assert (page.status_code, page.text.count(advice)) == (422, 1)


def test_answers_to_mails_go_there(reachable: Flask, applicant: Person) -> None:
    def answered_at(contact: str) -> list[list[str] | None]:
        """Where answers go to a mail about the account, and to one of the outbox."""
        reachable.config["PORTAL"] = replace(reachable.config["PORTAL"], contact=contact)
        submit(reachable.test_client(), "/accounts/reset", {"email": applicant.email})
        with reachable.app_context():
            person, said = db.session.get_one(User, applicant.id), sample(KINDS["application_lacks"])
            tell(db.session(), person, "application_lacks", said, now=datetime.now(UTC))
            db.session.commit()
            return [mail.message().get_all("Reply-To") for mail in mails(reachable, applicant.email)[-2:]]

    assert [answered_at(ADDRESS), answered_at("")] == [[[ADDRESS], [ADDRESS]], [None, None]]


def test_the_mail_about_a_changed_address_names_it_and_not_every_administrator(
    reachable: Flask, applicant: Person, admin: Person
) -> None:
    client = applicant.sign_in()
    submit(client, "/accounts/change-email", {"email": "new@example.edu"})
    follow(client, link_to(reachable, "new@example.edu", "/change-email/"))
    (notice,) = mails(reachable, applicant.email)
    assert f"write to the administrators of the portal ({ADDRESS}) at once.\n" in notice.body
    assert admin.email not in notice.body
