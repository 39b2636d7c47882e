from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.db import db
from portal.models import AuditEntry, User
from tests.accounts.mailbox import (
    NEW_PASSWORD,
    account,
    is_signed_in,
    link_to,
    links,
    mails,
    register,
    sign_in,
    without_tokens,
)
from tests.people import PASSWORD, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person


def ask(app: Flask, email: str) -> str:
    """Ask for a link to choose a new password; its path."""
    submit(app.test_client(), "/accounts/reset", {"email": email})
    return link_to(app, email, "/reset/")


def choose(
    client: FlaskClient, link: str, password: str = NEW_PASSWORD, repeated: str | None = None
) -> tuple[int, str]:
    data = {"password": password, "password_confirm": password if repeated is None else repeated}
    answer = submit(client, link, data)
    return answer.status_code, answer.location or answer.text


def test_a_forgotten_password_is_replaced_by_a_mailed_link(app: Flask, applicant: Person) -> None:
    before = applicant.sign_in()
    client = app.test_client()
    assert choose(client, ask(app, applicant.email)) == (302, "/accounts/login")
    assert not is_signed_in(before)
    assert not is_signed_in(client)
    assert sign_in(app.test_client(), applicant.email, PASSWORD).status_code == 200
    assert sign_in(client, applicant.email, NEW_PASSWORD).status_code == 302
    notice = mails(app, applicant.email)[-1]
    assert notice.subject == "Your password was changed"
    assert links(notice) == ["/accounts/", "/accounts/reset"]
    assert "Tokens for programs still work." in notice.body


def test_asking_is_answered_alike_for_every_address(app: Flask, applicant: Person) -> None:
    register(app.test_client(), "waiting@example.edu")

    def answer(email: str) -> tuple[int, str | None, str, int]:
        client = app.test_client()
        before = len(mails(app, email))
        first = submit(client, "/accounts/reset", {"email": email})
        page = without_tokens(client.get("/accounts/check-mail").text).replace(email, "…")
        return first.status_code, first.location, page, len(mails(app, email)) - before

    known = answer(applicant.email)
    assert known == answer("waiting@example.edu") == answer("nobody@example.edu")
    with app.app_context():
        db.session.query(User).filter_by(email=applicant.email).one().active = False
        db.session.commit()
    assert answer(applicant.email) == known
    assert "suspended" in mails(app, applicant.email)[-1].body
    assert links(mails(app, applicant.email)[-1]) == []


def test_nobody_who_is_suspended_is_told_that_they_can_sign_in(
    app: Flask, applicant: Person, person: Callable[..., Person]
) -> None:
    with app.app_context():
        db.session.get_one(User, applicant.id).active = False
        db.session.commit()
    submit(app.test_client(), "/accounts/confirm", {"email": applicant.email})
    submit(person("applicant").sign_in(), "/accounts/change-email", {"email": applicant.email})
    register(app.test_client(), applicant.email)
    sent = mails(app, applicant.email)
    assert [("suspended" in mail.body, "You can sign in" in mail.body, links(mail)) for mail in sent] == [
        (True, False, [])
    ] * 3


def test_a_link_of_an_account_that_was_suspended_meanwhile_says_so_and_changes_nothing(
    app: Flask, applicant: Person
) -> None:
    register(app.test_client(), "waiting@example.edu")
    opened = [ask(app, applicant.email), link_to(app, "waiting@example.edu", "/confirm/")]
    client = app.test_client()
    token = csrf_token(client, opened[0])
    with app.app_context():
        before = [(user.password, user.confirmed_at) for user in db.session.query(User).order_by(User.id)]
        db.session.query(User).update({User.active: False})
        db.session.commit()
    form = {"csrf_token": token, "password": NEW_PASSWORD, "password_confirm": NEW_PASSWORD}
    for link, method in product(opened, ("POST", "GET")):
        answer = client.open(link, method=method, data=form if method == "POST" else None)
        assert answer.location == "/accounts/login"
        page = client.get(answer.location).text
        assert ("suspended or was merged" in page, "is saved" in page, "is confirmed" in page) == (True, False, False)
    with app.app_context():
        assert [(user.password, user.confirmed_at) for user in db.session.query(User).order_by(User.id)] == before


def test_a_link_works_once(app: Flask, applicant: Person) -> None:
    link, other = ask(app, applicant.email), ask(app, applicant.email)
    choose(app.test_client(), link)
    for used in (link, other):
        client = app.test_client()
        assert client.get(used).location == "/accounts/reset"
        assert "incomplete or used already" in client.get("/accounts/reset").text
        token = csrf_token(client, "/accounts/reset")
        data = {
            "csrf_token": token,
            "password": "another one, of mallory",
            "password_confirm": "another one, of mallory",
        }
        assert client.post(used, data=data).location == "/accounts/reset"
    assert sign_in(app.test_client(), applicant.email, NEW_PASSWORD).status_code == 302


def test_a_link_is_good_for_a_day(app: Flask, applicant: Person) -> None:
    link = ask(app, applicant.email)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1, seconds=5), tick=True):
        client = app.test_client()
        assert client.get(link).location == "/accounts/reset"
        assert "it was valid for 1 day" in client.get("/accounts/reset").text
        data = {
            "csrf_token": csrf_token(client, "/accounts/reset"),
            "password": NEW_PASSWORD,
            "password_confirm": NEW_PASSWORD,
        }
        assert client.post(link, data=data).location == "/accounts/reset"
    assert is_signed_in(applicant.sign_in())


@pytest.mark.parametrize("spoil", [0, 5, -1])
def test_a_forged_link_opens_nothing(app: Flask, applicant: Person, spoil: int) -> None:
    path, token = ask(app, applicant.email).rsplit("/", 1)
    letters = list(token)
    letters[spoil] = "A" if letters[spoil] != "A" else "B"
    # The last letter of base 64 may hold bits that count for nothing; cutting it off does count.
    forged = "".join(letters) if spoil != -1 else token[:-1]
    assert app.test_client().get(f"{path}/{forged}").location == "/accounts/reset"
    assert is_signed_in(applicant.sign_in())


@pytest.mark.parametrize(
    ("password", "repeated", "reason"),
    [
        ("short", "short", "Use at least 10 characters"),
        (NEW_PASSWORD, "something else", "The two passwords differ."),
        ("person person 1", "person person 1", "made of your name or address"),
    ],
)
def test_a_new_password_is_judged_like_the_first(
    app: Flask, applicant: Person, password: str, repeated: str, reason: str
) -> None:
    status, page = choose(app.test_client(), ask(app, applicant.email), password, repeated)
    assert status == 200
    assert reason in page
    assert is_signed_in(applicant.sign_in())


def test_a_short_password_and_two_that_differ_are_told_at_once(app: Flask) -> None:
    registered = register(app.test_client(), "new@example.edu", "short", password_confirm="other").text
    for reason in ("Use at least 10 characters; this has 5.", "The two passwords differ."):
        # In the summary and beside the field.
        assert registered.count(reason) == 2


def test_the_link_confirms_the_address_as_well_since_it_was_opened_there(app: Flask) -> None:
    register(app.test_client(), "waiting@example.edu")
    choose(app.test_client(), ask(app, "waiting@example.edu"))
    user = account(app, "waiting@example.edu")
    assert user is not None
    assert user.confirmed_at is not None
    assert sign_in(app.test_client(), "waiting@example.edu", NEW_PASSWORD).status_code == 302


def test_a_link_does_not_follow_the_host_of_the_request(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    page = client.get("/accounts/reset", headers={"Host": "evil.example"}).text
    token = page.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    data = {"csrf_token": token, "email": applicant.email}
    answer = client.post("/accounts/reset", data=data, headers={"Host": "evil.example"})
    assert answer.status_code == 302
    (mail,) = mails(app, applicant.email)
    assert "evil.example" not in f"{mail.body} {mail.alternatives}"
    assert len(links(mail, "/reset/")) == 1


def test_what_is_no_address_is_refused_beside_the_field(client: FlaskClient) -> None:
    for path in ("/accounts/reset", "/accounts/confirm"):
        page = submit(client, path, {"email": "mei@"})
        assert page.status_code == 200
        assert 'id="email-error"' in page.text
        assert 'value="mei@"' in page.text


def test_who_is_signed_in_finds_the_address_filled_in(applicant: Person) -> None:
    assert f'value="{applicant.email}"' in applicant.sign_in().get("/accounts/reset").text


def test_a_known_password_is_changed_and_other_sessions_end(app: Flask, applicant: Person) -> None:
    here, there = applicant.sign_in(), applicant.sign_in()
    data = {"password": PASSWORD, "new_password": NEW_PASSWORD, "new_password_confirm": NEW_PASSWORD}
    answer = submit(here, "/accounts/change", data)
    assert (answer.status_code, answer.location) == (302, "/accounts/")
    assert [is_signed_in(here), is_signed_in(there)] == [True, False]
    assert sign_in(app.test_client(), applicant.email, NEW_PASSWORD).status_code == 302
    notice = mails(app, applicant.email)[-1]
    assert (notice.subject, links(notice)) == ("Your password was changed", ["/accounts/", "/accounts/reset"])
    with app.app_context():
        assert [entry.act for entry in db.session.query(AuditEntry)] == ["account.change_password"]


@pytest.mark.parametrize(
    ("data", "field", "reason"),
    [
        (("not this one at all", NEW_PASSWORD, NEW_PASSWORD), "password", "This is not your password."),
        (("", NEW_PASSWORD, NEW_PASSWORD), "password", "Enter your password."),
        ((PASSWORD, PASSWORD, PASSWORD), "password", "The new password is the same as this one."),
        ((PASSWORD, "short", "short"), "new_password", "Use at least 10 characters"),
        ((PASSWORD, NEW_PASSWORD, "something else"), "new_password_confirm", "The two passwords differ."),
        ((PASSWORD, "", ""), "new_password", "Choose a password."),
    ],
)
def test_a_change_that_cannot_be_made_says_why_beside_the_field(
    applicant: Person, data: tuple[str, str, str], field: str, reason: str
) -> None:
    present, new, repeated = data
    page = submit(
        applicant.sign_in(),
        "/accounts/change",
        {"password": present, "new_password": new, "new_password_confirm": repeated},
    )
    assert page.status_code == 200
    assert f'id="{field}-error"><p class="field-error">{reason}' in page.text
    assert is_signed_in(applicant.sign_in())
