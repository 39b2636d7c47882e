from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from portal.accounts import extension
from portal.db import db
from portal.models import AuditEntry, User
from tests.accounts.mailbox import (
    BASE_URL,
    NEW_PASSWORD,
    account,
    follow,
    is_signed_in,
    link_to,
    links,
    mails,
    register,
    sign_in,
    without_tokens,
)
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

NEW = "mei@example.edu"


def test_a_new_person_registers_confirms_and_is_signed_in(app: Flask, client: FlaskClient) -> None:
    answer = register(client, NEW, name="  李  梅 ")
    assert (answer.status_code, answer.location) == (302, "/accounts/check-mail")
    (mail,) = mails(app)
    assert mail.to == [NEW]
    confirmation = follow(client, link_to(app, NEW, "/confirm/"))
    assert (confirmation.status_code, confirmation.location) == (302, "/accounts/landing")
    assert client.get("/accounts/landing").location == "/me/interests"
    assert f"Your address {NEW} is confirmed, and you are signed in." in client.get("/me/interests").text
    assert "李 梅" in client.get("/accounts/").text


def test_whoever_registers_is_an_applicant_whatever_else_the_form_holds(app: Flask, client: FlaskClient) -> None:
    register(client, NEW, roles="admin", active="y", confirmed_at="2026-01-01", fs_uniquifier="mine", id="1")
    user = account(app, NEW)
    assert user is not None
    assert [role.name for role in user.roles] == ["applicant"]
    assert user.confirmed_at is None
    assert user.fs_uniquifier != "mine"
    assert user.created_at is not None
    with app.app_context():
        acts = db.session.scalars(select(AuditEntry.act).where(AuditEntry.object_key == NEW)).all()
    assert acts == ["account.register"]


def test_the_password_is_kept_as_an_argon2_hash_only(app: Flask, client: FlaskClient) -> None:
    register(client, NEW)
    user = account(app, NEW)
    assert user is not None
    assert user.password is not None
    assert user.password.startswith("$argon2id$")
    assert not any(PASSWORD in f"{mail.subject} {mail.body} {mail.alternatives}" for mail in mails(app))


def test_an_address_is_kept_in_one_spelling(app: Flask, client: FlaskClient) -> None:
    register(client, " Mei@EXAMPLE.edu ")
    assert account(app, "mei@example.edu") is not None
    register(app.test_client(), "MEI@example.EDU")
    with app.app_context():
        assert db.session.scalars(select(User.email)).all() == ["mei@example.edu"]


@pytest.mark.parametrize(
    "email", ["", "mei", "mei@example", "a b@example.edu", "a@b@example.edu", "x" * 250 + "@example.edu"]
)
def test_what_is_no_address_is_refused_beside_its_field_and_stays(app: Flask, client: FlaskClient, email: str) -> None:
    page = register(client, email, name="Mei Li")
    assert page.status_code == 200
    assert 'id="email-error"' in page.text
    assert 'aria-invalid="true"' in page.text
    assert "Mei Li" in page.text
    assert email in page.text
    assert mails(app) == []


@pytest.mark.parametrize(
    ("password", "repeated", "reason"),
    [
        ("", "", "Choose a password."),
        ("short", "short", "Use at least 10 characters; this has 5."),
        ("a" * 129, "a" * 129, "Use at most 128 characters"),
        ("Password2026!", "Password2026!", "among the first passwords"),
        ("mei.li-2026", "mei.li-2026", "made of your name or address"),
        (PASSWORD, NEW_PASSWORD, "The two passwords differ."),
    ],
)
def test_a_password_that_cannot_be_taken_is_refused_with_the_reason(
    app: Flask, client: FlaskClient, password: str, repeated: str, reason: str
) -> None:
    page = register(client, "mei.li@example.edu", password, name="Mei Li", password_confirm=repeated)
    assert page.status_code == 200
    assert reason in page.text
    assert account(app, "mei.li@example.edu") is None


@pytest.mark.parametrize("name", ["x" * 201, "Mei\x00Li", "Mei\u202eiL"])
def test_a_name_that_cannot_be_shown_is_refused(app: Flask, client: FlaskClient, name: str) -> None:
    assert register(client, NEW, name=name).status_code == 200
    assert account(app, NEW) is None


def test_markup_in_a_name_stays_text(app: Flask, client: FlaskClient) -> None:
    register(client, NEW, name="<b>Mei</b>")
    follow(client, link_to(app, NEW, "/confirm/"))
    page = client.get("/accounts/").text
    assert "&lt;b&gt;Mei&lt;/b&gt;" in page
    assert "<b>Mei" not in page


def test_what_a_stranger_types_as_a_name_is_in_no_mail(app: Flask, client: FlaskClient) -> None:
    register(client, NEW, name="You won! Go to http://evil.example")
    (mail,) = mails(app)
    assert "evil.example" not in f"{mail.subject} {mail.body} {mail.alternatives}"


def test_registering_a_known_address_looks_like_registering_a_new_one(
    app: Flask, client: FlaskClient, applicant: Person
) -> None:
    def answers(browser: FlaskClient, email: str) -> tuple[int, str | None, str]:
        answer = register(browser, email, NEW_PASSWORD)
        page = browser.get("/accounts/check-mail").text
        return answer.status_code, answer.location, without_tokens(page).replace(email, "…")

    known = answers(client, applicant.email)
    assert known == answers(app.test_client(), "nobody@example.edu")
    assert len(mails(app, applicant.email)) == len(mails(app, "nobody@example.edu")) == 1
    assert mails(app, applicant.email)[0].subject == mails(app, "nobody@example.edu")[0].subject


def test_a_wrong_password_is_refused_alike_for_known_and_new_addresses(app: Flask, applicant: Person) -> None:
    known = register(app.test_client(), applicant.email, "short")
    new = register(app.test_client(), "nobody@example.edu", "short")
    assert known.status_code == new.status_code == 200
    assert without_tokens(known.text).replace(applicant.email, "…") == without_tokens(new.text).replace(
        "nobody@example.edu", "…"
    )


def test_registering_again_changes_neither_password_nor_name(
    app: Flask, client: FlaskClient, applicant: Person
) -> None:
    register(client, applicant.email, NEW_PASSWORD, name="Mallory")
    (mail,) = mails(app, applicant.email)
    assert "already has an account" in mail.body
    assert links(mail, "/accounts/login") == ["/accounts/login"]
    user = account(app, applicant.email)
    assert user is not None
    assert user.name == ""
    assert is_signed_in(applicant.sign_in())


def test_who_registered_an_address_of_somebody_else_gets_nothing_when_its_owner_comes(app: Flask) -> None:
    register(app.test_client(), NEW, "password of mallory 1")
    owner = app.test_client()
    register(owner, NEW, NEW_PASSWORD)
    mail = mails(app, NEW)[-1]
    assert links(mail, "/confirm/") == []
    (link,) = links(mail, "/reset/")
    answer = submit(owner, link, {"password": NEW_PASSWORD, "password_confirm": NEW_PASSWORD})
    assert answer.status_code == 302
    assert sign_in(app.test_client(), NEW, "password of mallory 1").status_code == 200
    assert sign_in(owner, NEW, NEW_PASSWORD).status_code == 302
    # The link of the first mail ends with it.
    link = links(mails(app, NEW)[0], "/confirm/")[0]
    assert app.test_client().get(link).status_code == 302
    assert sign_in(app.test_client(), NEW, "password of mallory 1").status_code == 200


def test_of_two_equal_forms_sent_at_once_the_second_is_answered_like_a_later_one(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look-up and the writing of the second, the first was stored."""
    create_user = extension.Accounts.create_user
    first: list[int] = []

    def create_after_the_other(self: extension.Accounts, **values: str) -> object:
        if not first:
            first.append(0)
            # In a thread, since a request inside another one would share its context.
            other = Thread(target=lambda: first.append(register(app.test_client(), NEW).status_code))
            other.start()
            other.join()
            assert first == [0, 302]
        return create_user(self, **values)

    monkeypatch.setattr(extension.Accounts, "create_user", create_after_the_other)
    answer = register(client, NEW)
    assert (answer.status_code, answer.location) == (302, "/accounts/check-mail")
    assert [mail.body.count("already has an account") for mail in mails(app, NEW)] == [0, 1]
    with app.app_context():
        assert db.session.scalars(select(User.email)).all() == [NEW]


def test_the_database_refuses_a_second_account_inside_the_view(app: Flask, applicant: Person) -> None:
    with app.app_context(), pytest.raises(IntegrityError):
        extension.user_datastore.create_user(email=applicant.email.upper(), password="x")


def test_links_in_mails_do_not_follow_the_host_of_the_request(app: Flask) -> None:
    client = app.test_client()
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    token = client.get("/accounts/register", headers=forged).text.split('name="csrf_token"')[1].split('value="')[1]
    data = {
        "csrf_token": token.split('"')[0],
        "email": NEW,
        "password": PASSWORD,
        "password_confirm": PASSWORD,
    }
    answer = client.post("/accounts/register", data=data, headers=forged)
    assert answer.status_code == 302
    (mail,) = mails(app, NEW)
    assert "evil.example" not in f"{mail.subject} {mail.body} {mail.alternatives} {mail.extra_headers}"
    assert f"{BASE_URL}/accounts/confirm/" in mail.body


def test_the_secret_of_a_link_is_in_no_subject_and_both_bodies_hold_it(app: Flask, client: FlaskClient) -> None:
    register(client, NEW)
    (mail,) = mails(app, NEW)
    link = link_to(app, NEW, "/confirm/")
    token = link.rsplit("/", 1)[1]
    assert token not in mail.subject
    ((html, kind),) = mail.alternatives
    assert kind == "text/html"
    assert f'href="{BASE_URL}{link}"' in html


def test_who_is_signed_in_has_no_need_to_register(applicant: Person) -> None:
    client = applicant.sign_in()
    assert client.get("/accounts/register").location == "/accounts/landing"
