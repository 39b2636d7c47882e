from __future__ import annotations

import logging
import smtplib
from typing import TYPE_CHECKING, Any

import pytest
from flask import abort
from flask_mailman.backends.locmem import EmailBackend
from flask_sqlalchemy.session import Session
from sqlalchemy.exc import OperationalError

from portal.accounts import mailing
from portal.app import create_app
from portal.config import RESOURCES
from portal.db import db
from portal.models import User
from tests.accounts.mailbox import account, follow, mails, register, without_tokens
from tests.people import PASSWORD, add_person, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings
    from tests.people import Person

NEW = "mei@example.edu"


@pytest.fixture
def broken_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: EmailBackend, _messages: list[Any]) -> int:
        raise smtplib.SMTPServerDisconnected("Connection unexpectedly closed")

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)


@pytest.mark.usefixtures("broken_server")
def test_a_mail_server_that_is_down_loses_no_registration(
    app: Flask, client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = register(client, NEW)
    assert (answer.status_code, answer.location) == (302, "/accounts/check-mail")
    page = client.get("/accounts/check-mail").text
    assert "We could not send the mail" in page
    assert 'href="/accounts/confirm"' in page
    assert account(app, NEW) is not None
    assert "A mail could not be sent" in caplog.text


@pytest.mark.parametrize(
    ("code", "said"), [(550, "does not take mail for this address"), (451, "the mail server does not answer")]
)
def test_an_address_that_the_server_refuses_is_said_to_be_and_is_not_in_the_log(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int, said: str
) -> None:
    def refuse(_self: EmailBackend, _messages: list[Any]) -> int:
        raise smtplib.SMTPRecipientsRefused({NEW: (code, f"{code} {NEW} is unknown".encode())})

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    register(client, NEW)
    assert said in client.get("/accounts/check-mail").text
    assert f"refuses its address ({code})" in caplog.text
    assert NEW not in caplog.text


def test_after_the_server_is_back_the_link_is_asked_for_again(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", _refuse)
        register(client, NEW)
    submit(client, "/accounts/confirm", {"email": NEW})
    assert len(mails(app, NEW)) == 1


def _refuse(_self: EmailBackend, _messages: list[Any]) -> int:
    raise ConnectionRefusedError("nobody there")


@pytest.mark.usefixtures("broken_server")
def test_a_failing_server_tells_nothing_of_who_has_an_account(app: Flask, applicant: Person) -> None:
    def page(email: str, path: str) -> str:
        client = app.test_client()
        submit(client, path, {"email": email})
        return without_tokens(client.get("/accounts/check-mail").text).replace(email, "…")

    for path in ("/accounts/reset", "/accounts/confirm"):
        assert page(applicant.email, path) == page("nobody@example.edu", path)
        assert "We could not send the mail" in page("nobody@example.edu", path)


def test_no_mail_tells_of_what_was_not_stored(app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False

    token = csrf_token(client, "/accounts/register")
    data = {"csrf_token": token, "email": NEW, "password": PASSWORD, "password_confirm": PASSWORD}

    def fail(_session: object) -> None:
        raise OperationalError("COMMIT", {}, Exception("disk full"))

    with monkeypatch.context() as patch:
        patch.setattr(Session, "commit", fail)
        assert client.post("/accounts/register", data=data).status_code == 503
    assert mails(app) == []
    assert account(app, NEW) is None


def test_a_refused_request_sends_nothing(app: Flask) -> None:
    def refuse() -> str:
        mailing.send("sessions_notice", "You were signed out everywhere", NEW)
        abort(403)

    app.add_url_rule("/refuse", view_func=refuse)
    assert app.test_client().get("/refuse").status_code == 403
    assert mails(app) == []


def test_outside_a_request_a_mail_leaves_at_once(app: Flask) -> None:
    with app.app_context():
        mailing.send("sessions_notice", "You were signed out everywhere", NEW)
    assert [mail.to for mail in mails(app)] == [[NEW]]


@pytest.fixture
def below_a_path(settings: Settings) -> Iterator[Flask]:
    app = create_app({**settings, "PORTAL_BASE_URL": "https://uni.example.edu/phd/"})
    yield app
    with app.app_context():
        db.engine.dispose()


def test_links_stand_below_the_address_that_the_portal_is_set_to(below_a_path: Flask) -> None:
    somebody = add_person(below_a_path, "applicant")
    client = below_a_path.test_client()
    page = client.get("/accounts/reset", base_url="https://uni.example.edu/phd").text
    token = page.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    client.post(
        "/accounts/reset",
        data={"csrf_token": token, "email": somebody.email},
        base_url="https://uni.example.edu/phd",
        headers={"Referer": "https://uni.example.edu/phd/accounts/reset"},
    )
    (mail,) = mails(below_a_path, somebody.email)
    assert "    https://uni.example.edu/phd/accounts/reset/" in mail.body
    with below_a_path.app_context():
        sent = mail.message()
    assert sent["Message-ID"].endswith("@uni.example.edu>")
    # So that no absence note is sent in answer.
    assert sent["Auto-Submitted"] == "auto-generated"


def test_every_mail_has_a_plain_and_a_marked_up_body_and_an_ascii_line_for_its_link(
    settings: Settings, tmp_path: Path
) -> None:
    """So that a link can be copied out of a mail file as it lies there."""
    application = create_app({**settings, "PORTAL_MAIL_URL": f"file://{tmp_path / 'box'}"})
    register(application.test_client(), NEW, name="李梅")
    (file,) = (tmp_path / "box").iterdir()
    raw = file.read_text("ascii")
    (line,) = [line.strip() for line in raw.splitlines() if line.startswith("    http")]
    assert line.startswith("http://localhost:8000/accounts/confirm/")
    client = application.test_client()
    assert follow(client, line.removeprefix("http://localhost:8000")).location == "/accounts/login"
    with application.app_context():
        assert db.session.query(User).one().confirmed_at is not None
        db.engine.dispose()


def test_no_template_of_a_mail_uses_the_host_of_the_request() -> None:
    folder = RESOURCES / "templates" / "security" / "email"
    assert {path.suffix for path in folder.iterdir()} == {".txt"}
    for path in folder.iterdir():
        text = path.read_text("utf-8")
        assert not any(word in text for word in ("_external", "url_for", "_link }}", "request."))


@pytest.mark.parametrize("kind", sorted(mailing.ASKED_BY_ANYBODY))
def test_every_kind_of_mail_that_is_limited_exists(app: Flask, kind: str) -> None:
    assert app.jinja_env.get_template(f"{kind}.txt") is not None
