"""Forms about accounts take whatever is sent: no fault, no account changed, and nothing repeated as markup."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from portal.admin.people.merging import merge_accounts
from portal.db import db
from portal.models import User
from portal.web.limits import limiter
from tests.accounts.authenticator import begin, turn_on
from tests.people import PASSWORD, csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

MARKUP = "<script>alert('x')</script>"
HOSTILE = (
    "", " ", "\0", "a\0b", "\r\n\r\nSet-Cookie: a=b", "\u202e\u2066abc", "\ufdd0\ufffe", "é" * 3_000,
    "\U0001f600" * 2_000, "9" * 5_000, "-1", "1e999", "NaN", "0x10", MARKUP, "{{ 7 * 7 }}", "%s%n%00",
    "../../etc/passwd", "' OR 1=1 --", "a@b", "a@b@c.example", "@", "a@" + "b." * 200 + "example", "a\n@example.edu",
    "ａｄｍｉｎ@example.edu", "x" * 100_000, "//evil.example/", "javascript:alert(1)", "disable", "authenticator",
    "yes", "on", "null", "[]", '{"a": 1}',
)  # fmt: skip
FIELDS = (
    "email", "password", "password_confirm", "new_password", "new_password_confirm", "name", "next", "remember", "code",
    "setup", "help_setup", "sure", "reason", "role", "position", "lab", "scopes", "days", "text",
)  # fmt: skip
ANYBODY = (
    "login", "register", "reset", "confirm", "reset/x.y.z", "confirm/x.y.z", "tf-validate", "mf-recovery", "tf-rescue",
)  # fmt: skip
OWN = (
    "change", "change-email", "change-email/x.y.z", "verify", "name", "tf-setup", "tf-setup/x.y.z", "tf-validate",
    "mf-recovery", "tokens/new", "mail", "sign-ins/1/end",
)  # fmt: skip
TIMES = 12  # that a form is sent, each time with other values in its fields


def rounds(path: str) -> Iterator[dict[str, object]]:
    """Hostile values in all fields: in each field another one each time, and others for each form."""
    for at in range(TIMES):
        start = 7 * at + sum(map(ord, path))
        yield {name: HOSTILE[(start + place) % len(HOSTILE)] for place, name in enumerate(FIELDS)}


def accounts(app: Flask) -> list[tuple[object, ...]]:
    """What no hostile form changes: who there is, with which password, address, roles and second step."""
    with app.app_context():
        return [
            (
                user.id,
                user.email,
                user.password,
                user.active,
                [role.name for role in user.roles],
                user.tf_primary_method,
            )
            for user in db.session.scalars(select(User).order_by(User.id))
        ]


def send(client: FlaskClient, token: str, path: str, sent: dict[str, object]) -> None:
    """Send a form without limits; each is answered, and none with what it says as markup."""
    limiter.storage.reset()
    answer = client.post(path, data={"csrf_token": token, **sent})
    said = (path, {name: str(value)[:60] for name, value in sent.items()})
    assert (said, answer.status_code < 500) == (said, True)
    assert (said, MARKUP in answer.text) == (said, False)
    assert (said, len(answer.headers.get("Location", "")) < 2_000) == (said, True)


@pytest.mark.parametrize("path", ANYBODY)
def test_forms_for_anybody(app: Flask, client: FlaskClient, applicant: Person, path: str) -> None:
    token, before = csrf_token(client, "/accounts/login"), accounts(app)
    for at, sent in enumerate(rounds(path)):
        send(client, token, f"/accounts/{path}", sent | ({"email": applicant.email} if at % 2 else {}))
    assert accounts(app) == before


@pytest.mark.parametrize("path", OWN)
def test_forms_of_somebody_who_is_signed_in(app: Flask, applicant: Person, path: str) -> None:
    client = applicant.sign_in()
    token, before = csrf_token(client, "/accounts/name"), accounts(app)
    for at, sent in enumerate(rounds(path)):
        send(client, token, f"/accounts/{path}", sent | ({"password": PASSWORD} if at % 2 else {}))
    assert [account[:4] for account in accounts(app)] == [account[:4] for account in before]


def test_a_first_code_and_a_second_step(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    _, action = begin(client)
    token = csrf_token(client, "/accounts/tf-setup")
    for value in HOSTILE[::2]:
        send(client, token, action, {"code": value})
    assert accounts(app)[0][-1] is None
    turn_on(client)
    other = app.test_client()
    other.post(
        "/accounts/login",
        data={"csrf_token": csrf_token(other, "/accounts/login"), "email": applicant.email, "password": PASSWORD},
    )
    token = csrf_token(other, "/accounts/tf-validate")
    for path in ("/accounts/tf-validate", "/accounts/mf-recovery"):
        for value in HOSTILE[1::2]:
            send(other, token, path, {"code": value})
    assert other.get("/accounts/").status_code == 302


@pytest.mark.parametrize("path", ["/me/erase", "/me/delete-account"])
def test_erasing_takes_the_word_yes_alone(app: Flask, applicant: Person, path: str) -> None:
    client = applicant.sign_in()
    token, before = csrf_token(client, "/accounts/name"), accounts(app)
    for value in sorted({*HOSTILE} - {"yes"})[::2]:
        send(client, token, path, {"sure": value})
    assert (accounts(app), client.get("/accounts/").status_code) == (before, 200)


@pytest.mark.parametrize("act", ["suspend", "restore", "give-role", "take-role", "attach", "detach"])
def test_acts_of_administrators_about_a_person(app: Flask, person: Callable[..., Person], act: str) -> None:
    admin, other = person("admin"), person("applicant")
    client = admin.sign_in()
    token, before = csrf_token(client, "/accounts/name"), accounts(app)
    for number in (str(other.id), "0", "9" * 30, "x"):
        for sent in rounds(f"{act}{number}"):
            more = {"reason": "x" * 100_000} if act == "suspend" else {}
            send(client, token, f"/admin/people/{number}/{act}", sent | more)
    assert accounts(app) == before


def test_merging_takes_addresses_alone(app: Flask, applicant: Person) -> None:
    before = accounts(app)
    for value in HOSTILE[::2]:
        for arguments in ([value, applicant.email], [applicant.email, value], [value, value]):
            result = app.test_cli_runner().invoke(merge_accounts, ["--", *arguments])
            assert (value[:60], result.exit_code in {1, 2}, type(result.exception)) == (value[:60], True, SystemExit)
    assert accounts(app) == before


@pytest.mark.parametrize("path", ["/accounts/login", "/accounts/change", "/accounts/tf-setup", "/me/erase"])
def test_bodies_that_are_no_forms(app: Flask, applicant: Person, path: str) -> None:
    client = applicant.sign_in()
    token, before = csrf_token(client, "/accounts/name"), accounts(app)
    for kind, body in (
        ("application/json", b'{"password": {"a": []}, "sure": ["yes"]}'),
        ("text/plain", b"sure=yes"),
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="sure"\r\n\r\nye'),
        ("application/x-www-form-urlencoded", b"\xff\xfe=%ff%fe&sure=%80&password=%ED%A0%80&" + b"a=b&" * 2_000),
        ("application/x-www-form-urlencoded; charset=utf-16", b"sure=yes"),
    ):
        headers = {"X-CSRFToken": token, "Content-Type": kind}
        answer = client.post(path, data=body, headers=headers)
        assert (path, kind, answer.status_code < 500) == (path, kind, True)
    files = {name: (io.BytesIO(b"x"), "x.txt") for name in ("email", "password", "code", "sure")}
    answer = client.post(path, data={"csrf_token": token, **files})
    assert (answer.status_code < 500, accounts(app)) == (True, before)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(st.dictionaries(st.sampled_from(FIELDS), TEXTS, min_size=1), st.sampled_from((*ANYBODY, *OWN)))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_in_any_field(app: Flask, applicant: Person, sent: dict[str, object], path: str) -> None:
    client = applicant.sign_in() if path in OWN else app.test_client()
    token, before = csrf_token(client, "/accounts/name" if path in OWN else "/accounts/login"), accounts(app)
    send(client, token, f"/accounts/{path}", {**sent})
    assert [account[:3] for account in accounts(app)][: len(before)] == [account[:3] for account in before]
