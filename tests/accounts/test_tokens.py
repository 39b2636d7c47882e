"""Tokens for programs: made with the password at hand, shown once, kept as a digest, ended by their owner alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine
from sqlalchemy import select

from portal.accounts.api_tokens import make_token
from portal.accounts.service import AccountError
from portal.db import db
from portal.models import ApiToken, User
from tests.accounts.mailbox import links, mails
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

NEW = "/accounts/tokens/new"
TEXT = re.compile(r"phd_[A-Za-z0-9_-]{43}")


def test_a_token_is_shown_once_and_kept_as_a_digest(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    made = submit(client, NEW, {"name": " Nightly  run ", "scopes": ["rank", "application:read"], "days": "30"})
    text = TEXT.findall(made.text)[0]
    assert made.headers["Cache-Control"] == "no-store"
    page = client.get("/accounts/tokens/").text
    assert TEXT.findall(page) == []
    assert "Nightly run" in page
    (mail,) = mails(app, to=applicant.email)
    assert links(mail) == ["/accounts/tokens/"]
    assert "Rank labs for a text, and explain matches; Read your applications and shortlist." in mail.body
    assert (text in mail.body, mail.subject) == (False, "A token for programs was made")
    with app.app_context():
        token = db.session.scalars(select(ApiToken)).one()
        assert (token.name, token.scopes) == ("Nightly run", ["application:read", "rank"])
        assert token.expires_at - token.created_at == timedelta(days=30)
        assert text not in str({column.name: getattr(token, column.name) for column in ApiToken.__table__.columns})


def test_the_password_is_asked_again_before_a_token_is_made(applicant: Person) -> None:
    start = datetime.now(UTC)
    with time_machine.travel(start):
        client = applicant.sign_in()
    with time_machine.travel(start + timedelta(hours=2)):
        assert client.get("/accounts/tokens/").status_code == 200
        asked = client.get(NEW)
        assert (asked.status_code, asked.headers["Location"].split("?")[0]) == (302, "/accounts/verify")
        answered = submit(client, asked.headers["Location"], {"password": PASSWORD})
        assert answered.headers["Location"] == NEW
        assert client.get(NEW).status_code == 200


@pytest.mark.parametrize(
    ("name", "scopes", "days", "said"),
    [
        ("", {"rank"}, 1, "Give the token a name, so that you can tell it from others."),
        ("x" * 81, {"rank"}, 1, "Use at most 80 characters for the name; this has 81."),
        ("a", set(), 1, "Choose what the token is for."),
        ("a", {"reviews:write"}, 1, "Your account does not allow one of the scopes."),
        ("a", {"rank"}, 0, "A token lasts between 1 and 365 days."),
        ("a", {"rank"}, 366, "A token lasts between 1 and 365 days."),
    ],
)
def test_no_token_goes_beyond_the_rules(
    app: Flask, applicant: Person, name: str, scopes: set[str], days: int, said: str
) -> None:
    with app.app_context():
        user = db.session.get_one(User, applicant.id)
        with pytest.raises(AccountError, match=re.escape(said)):
            make_token(db.session(), user, name=name, scopes=scopes, days=days, now=datetime.now(UTC))


def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(applicant: Person) -> None:
    client = applicant.sign_in()
    page = submit(client, NEW, {"name": "Mine", "scopes": ["rank"], "days": "999"}).text
    assert "A token lasts between 1 and 365 days." in page
    assert 'value="Mine"' in page
    assert "reviews:read" not in page


def test_only_the_owner_revokes_a_token(app: Flask, person: Callable[..., Person]) -> None:
    owner, other = person("applicant"), person("applicant")
    with app.app_context():
        user = db.session.get_one(User, owner.id)
        token, _text = make_token(db.session(), user, name="a", scopes={"rank"}, days=1, now=datetime.now(UTC))
        db.session.commit()
        number = token.id
    address = f"/accounts/tokens/{number}/revoke"
    assert submit(other.sign_in(), address, {}, page="/accounts/").status_code == 404
    client = owner.sign_in()
    submit(client, address, {}, page="/accounts/tokens/")
    page = client.get("/accounts/tokens/").text
    assert "is revoked" in page
    assert address not in page
