"""Every page about accounts, for everybody: who is let in, and what a form without its token does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import User
from tests.accounts.mailbox import is_signed_in, mails
from tests.people import PASSWORD, csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

PUBLIC = {
    "/accounts/login": 302,
    "/accounts/register": 302,
    "/accounts/reset": 200,
    "/accounts/confirm": 200,
    "/accounts/check-mail": 200,
}
# What a signed-in person gets from each; a visitor is sent to sign in.
PRIVATE = {
    "/accounts/": 200,
    "/accounts/name": 200,
    "/accounts/landing": 302,
    "/accounts/change": 200,
    "/accounts/change-email": 200,
    "/accounts/verify": 200,
    "/accounts/tf-setup": 200,
    "/accounts/mf-recovery-codes": 200,
    "/accounts/news": 200,
    "/accounts/mail": 200,
    "/accounts/tokens/": 200,
    "/accounts/tokens/new": 200,
}
# Reached in the middle of something only, by a link or between two steps; for everybody else they lead elsewhere.
BETWEEN = {
    "/accounts/tf-validate": 302,
    "/accounts/tf-select": 302,
    "/accounts/tf-rescue": 302,
    "/accounts/mf-recovery": 302,
    "/accounts/confirm/x": 302,
    "/accounts/reset/x": 302,
    "/accounts/change-email/x": 302,
    "/accounts/news/1": 302,
}
POST_ONLY = {
    "/accounts/sign-ins/1/end",
    "/accounts/logout",
    "/accounts/sign-out-everywhere",
    "/accounts/tf-setup/x",
    "/accounts/news/read",
    "/accounts/tokens/1/revoke",
}
# Off unless configured; test_openid.py asks them.
OFF = {f"/accounts/openid/x{more}" for more in ("", "/answer", "/connect", "/disconnect")}
ROLES = [(), ("applicant",), ("professor",), ("admin",), ("applicant", "professor", "admin")]


def test_the_tables_above_name_every_page(app: Flask) -> None:
    rules = [str(rule) for rule in app.url_map.iter_rules() if str(rule).startswith("/accounts")]
    paths = {re.sub("<int:[a-z_]+>", "1", re.sub("<token>|<name>", "x", rule)) for rule in rules}
    assert paths == {*PUBLIC, *PRIVATE, *BETWEEN, *POST_ONLY, *OFF}


def test_a_visitor_sees_the_public_pages_and_is_sent_to_sign_in_from_the_others(app: Flask) -> None:
    for path in PUBLIC:
        assert (path, app.test_client().get(path).status_code) == (path, 200)
    for path in PRIVATE:
        answer = app.test_client().get(path)
        assert (path, answer.status_code) == (path, 302)
        assert (answer.location or "").startswith("/accounts/login")
    for path in BETWEEN:
        answer = app.test_client().get(path)
        assert (path, answer.status_code) == (path, 302)
    for path in POST_ONLY:
        assert app.test_client().get(path).status_code == 405


@pytest.mark.parametrize("roles", ROLES, ids=lambda roles: "+".join(roles) or "none")
def test_everybody_who_is_signed_in_has_the_same_pages(person: Callable[..., Person], roles: tuple[str, ...]) -> None:
    somebody = person(*roles)
    client = somebody.sign_in()
    for path, status in (PUBLIC | PRIVATE).items():
        assert (path, client.get(path).status_code) == (path, status)
    for path in ("/accounts/tf-select", "/accounts/mf-recovery", "/accounts/reset/x", "/accounts/change-email/x"):
        assert (path, client.get(path).status_code) == (path, 302)
    assert is_signed_in(client)


def test_no_page_shows_another_account(person: Callable[..., Person]) -> None:
    somebody, other = person("applicant", name="Somebody"), person("applicant", name="Other Person")
    client = somebody.sign_in()
    for path in PRIVATE:
        page = client.get(f"{path}?id={other.id}&email={other.email}&user_id={other.id}").text
        assert "Other Person" not in page


FORMS = [
    ("/accounts/login", {"email": "person@example.edu", "password": PASSWORD}),
    ("/accounts/register", {"email": "n@example.edu", "password": PASSWORD, "password_confirm": PASSWORD}),
    ("/accounts/reset", {"email": "person@example.edu"}),
    ("/accounts/confirm", {"email": "person@example.edu"}),
]
OWN_FORMS = [
    ("/accounts/logout", {}),
    ("/accounts/sign-out-everywhere", {}),
    ("/accounts/name", {"name": "Mallory"}),
    ("/accounts/change", {"password": PASSWORD, "new_password": "x" * 12, "new_password_confirm": "x" * 12}),
    ("/accounts/change-email", {"email": "n@example.edu"}),
    ("/accounts/verify", {"password": PASSWORD}),
    ("/accounts/tf-setup", {"setup": "authenticator"}),
    ("/accounts/tf-setup/x", {"code": "000000"}),
    ("/accounts/tf-validate", {"code": "000000"}),
    ("/accounts/tf-rescue", {"help_setup": "help"}),
    ("/accounts/tf-select", {"which": "authenticator"}),
    ("/accounts/mf-recovery", {"code": "x"}),
    ("/accounts/mf-recovery-codes", {"generate_new_codes": "yes"}),
]


def state(app: Flask) -> list[tuple[object, ...]]:
    with app.app_context():
        return [
            (user.email, user.name, user.password, user.fs_uniquifier, user.tf_primary_method, user.mf_recovery_codes)
            for user in db.session.query(User)
        ]


@pytest.mark.parametrize("token", [None, "", "x", "of another session"])
def test_no_form_does_anything_without_its_token(app: Flask, person: Callable[..., Person], token: str | None) -> None:
    somebody = person("applicant", email="person@example.edu")
    if token == "of another session":
        token = csrf_token(app.test_client(), "/accounts/login")
    before = state(app)
    client = somebody.sign_in()
    for forms, browser in ((FORMS, app.test_client()), (OWN_FORMS, client)):
        for path, data in forms:
            answer = browser.post(path, data=data if token is None else {**data, "csrf_token": token})
            assert (path, answer.status_code) == (path, 400)
            assert "Your session expired" in answer.text
    assert is_signed_in(client)
    assert state(app) == before
    assert mails(app) == []


def test_the_pages_carry_the_strict_policy_and_nothing_inline(app: Flask, applicant: Person) -> None:
    visitor, member = app.test_client(), applicant.sign_in()
    pages = [visitor.get(path) for path in PUBLIC] + [
        member.get(path) for path in PRIVATE if path != "/accounts/landing"
    ]
    token = csrf_token(member, "/accounts/tf-setup")
    pages.append(member.post("/accounts/tf-setup", data={"csrf_token": token, "setup": "authenticator"}))
    for page in pages:
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
        assert "style=" not in page.text
        assert "<style" not in page.text
        assert "onclick" not in page.text
        assert "no-store" in page.headers["Cache-Control"] or "no-cache" in page.headers["Cache-Control"]


def test_every_page_has_a_title_of_its_own(app: Flask, applicant: Person) -> None:
    visitor, member = app.test_client(), applicant.sign_in()
    pages = [visitor.get(path).text for path in PUBLIC]
    pages += [member.get(path).text for path in PRIVATE if path != "/accounts/landing"]
    titles = [page.split("<title>")[1].split("</title>")[0] for page in pages]
    assert len(set(titles)) == len(titles)


def test_a_link_with_a_secret_is_in_no_canonical_address(client: FlaskClient) -> None:
    assert 'rel="canonical"' not in client.get("/accounts/login").text


def test_browsers_keep_no_page_that_shows_or_takes_what_signs_in(person: Callable[..., Person]) -> None:
    client = person("applicant").sign_in()
    for path in ("/accounts/change", "/accounts/change-email", "/accounts/tf-setup", "/accounts/mf-recovery-codes"):
        assert (path, client.get(path).headers["Cache-Control"]) == (path, "private, no-store")
