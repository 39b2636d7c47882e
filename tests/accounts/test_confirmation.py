from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.db import db
from portal.models import User
from tests.accounts.mailbox import account, follow, link_to, links, mails, register, sign_in, without_tokens
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

NEW = "mei@example.edu"


@pytest.fixture
def unconfirmed(client: FlaskClient) -> str:
    register(client, NEW)
    return NEW


def is_confirmed(app: Flask, email: str) -> bool:
    user = account(app, email)
    assert user is not None
    return user.confirmed_at is not None


def test_nobody_signs_in_before_confirming_and_is_told_why(app: Flask, unconfirmed: str) -> None:
    client = app.test_client()
    page = sign_in(client, unconfirmed)
    assert page.status_code == 200
    assert "your address is not confirmed yet" in page.text
    assert f"/accounts/confirm?email={unconfirmed}" in page.text
    assert client.get("/accounts/").status_code == 302


def test_only_who_knows_the_password_learns_that_an_address_waits(app: Flask, unconfirmed: str) -> None:
    waiting = sign_in(app.test_client(), unconfirmed, "not this one at all")
    unknown = sign_in(app.test_client(), "nobody@example.edu", "not this one at all")
    assert without_tokens(waiting.text).replace(unconfirmed, "…") == without_tokens(unknown.text).replace(
        "nobody@example.edu", "…"
    )


def test_a_link_is_good_for_two_days_and_not_longer(app: Flask, unconfirmed: str) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=2, seconds=5), tick=True):
        client = app.test_client()
        answer = client.get(link)
        assert (answer.status_code, answer.location) == (302, "/accounts/confirm")
        assert "This link has expired: it was valid for 2 days." in client.get("/accounts/confirm").text
    assert not is_confirmed(app, unconfirmed)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1, hours=23), tick=True):
        follow(app.test_client(), link)
    assert is_confirmed(app, unconfirmed)


@pytest.mark.parametrize(
    "forge", [lambda token: token[:-3] + "AAA", lambda token: token[: len(token) // 2], lambda _: "x"]
)
def test_a_forged_or_cut_link_confirms_nothing(app: Flask, unconfirmed: str, forge: object) -> None:
    assert callable(forge)
    path, token = link_to(app, unconfirmed, "/confirm/").rsplit("/", 1)
    client = app.test_client()
    answer = client.get(f"{path}/{forge(token)}")
    assert (answer.status_code, answer.location) == (302, "/accounts/confirm")
    assert "This link does not work" in client.get("/accounts/confirm").text
    assert not is_confirmed(app, unconfirmed)


def test_a_link_for_one_purpose_is_good_for_no_other(app: Flask, client: FlaskClient, applicant: Person) -> None:
    submit(client, "/accounts/reset", {"email": applicant.email})
    token = link_to(app, applicant.email, "/reset/").rsplit("/", 1)[1]
    register(client, NEW)
    confirmation = link_to(app, NEW, "/confirm/").rsplit("/", 1)[1]
    for path in (f"/accounts/confirm/{token}", f"/accounts/change-email/{token}", f"/accounts/reset/{confirmation}"):
        browser = app.test_client()
        assert browser.get(path).status_code == 302
        assert "This link does not work" in browser.get("/accounts/reset").text
    assert not is_confirmed(app, NEW)


def test_a_used_link_says_that_one_can_sign_in(app: Flask, unconfirmed: str) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    follow(app.test_client(), link)
    client = app.test_client()
    assert client.get(link).location == "/accounts/login"
    assert "already confirmed. You can sign in." in client.get("/accounts/login").text
    assert client.get("/accounts/").status_code == 302


def test_who_is_signed_in_and_opens_a_used_link_is_not_told_to_sign_in(
    app: Flask, client: FlaskClient, unconfirmed: str
) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    follow(client, link)
    page = client.get(link, follow_redirects=True).text
    assert "already confirmed, and you are signed in." in page
    assert "You can sign in" not in page


def test_an_expired_link_of_a_confirmed_address_says_so_and_offers_no_other(app: Flask, unconfirmed: str) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    follow(app.test_client(), link)
    path, token = link.rsplit("/", 1)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=30), tick=True):
        client = app.test_client()
        assert client.get(link).location == "/accounts/login"
        page = client.get("/accounts/login").text
        assert "already confirmed. You can sign in." in page
        assert "has expired" not in page
        # A forged one learns nothing of it, nor one to an address that the account has no more.
        assert client.get(f"{path}/{token[: len(token) // 2]}").location == "/accounts/confirm"
        with app.app_context():
            db.session.query(User).filter_by(email=unconfirmed).one().email = "other@example.edu"
            db.session.commit()
        assert client.get(link).location == "/accounts/confirm"


def test_a_program_that_opens_the_links_in_mails_confirms_nothing(app: Flask, unconfirmed: str) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    page = app.test_client().get(link)
    assert page.status_code == 200
    assert f"<strong>{unconfirmed}</strong>" in page.text
    assert (page.headers["Cache-Control"], page.headers["Referrer-Policy"]) == ("private, no-store", "same-origin")
    app.test_client().head(link)
    assert app.test_client().post(link).status_code == 400
    assert not is_confirmed(app, unconfirmed)
    answer = follow(app.test_client(), link)
    assert (answer.status_code, answer.location) == (302, "/accounts/login")
    assert is_confirmed(app, unconfirmed)


def test_the_link_is_mailed_again(app: Flask, unconfirmed: str) -> None:
    answer = submit(app.test_client(), "/accounts/confirm", {"email": "MEI@example.edu"})
    assert (answer.status_code, answer.location) == (302, "/accounts/check-mail")
    follow(app.test_client(), link_to(app, unconfirmed, "/confirm/"))
    assert is_confirmed(app, unconfirmed)


def test_asking_again_is_answered_alike_for_every_address(app: Flask, unconfirmed: str, applicant: Person) -> None:
    def answer(email: str) -> tuple[int, str | None, str, int]:
        client = app.test_client()
        before = len(mails(app, email))
        first = submit(client, "/accounts/confirm", {"email": email})
        page = without_tokens(client.get("/accounts/check-mail").text).replace(email, "…")
        return first.status_code, first.location, page, len(mails(app, email)) - before

    assert answer(unconfirmed) == answer(applicant.email) == answer("nobody@example.edu")
    assert "is already confirmed" in mails(app, applicant.email)[-1].body
    assert "There is no account with this address" in mails(app, "nobody@example.edu")[-1].body
    assert links(mails(app, "nobody@example.edu")[-1]) == ["/accounts/register"]


def test_a_link_ends_when_the_account_has_another_address(app: Flask, unconfirmed: str) -> None:
    link = link_to(app, unconfirmed, "/confirm/")
    with app.app_context():
        db.session.query(User).filter_by(email=unconfirmed).one().email = "other@example.edu"
        db.session.commit()
    assert app.test_client().get(link).status_code == 302
    assert not is_confirmed(app, "other@example.edu")
