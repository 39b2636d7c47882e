"""Signing in with a provider of OpenID Connect: whom it signs in, whom it does not, and what is said then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from portal import create_app
from portal.config import SettingsError, read_settings
from portal.db import db
from portal.models import AuditEntry, OpenIdentity, User
from portal.web.limits import limiter
from tests.accounts.authenticator import turn_on
from tests.accounts.mailbox import mails
from tests.accounts.openid_provider import CLIENT, SECRET, Provider, provider_running
from tests.accounts.test_hostile_forms import HOSTILE
from tests.people import PASSWORD, Person, add_person, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.conftest import Settings

NEW: dict[str, Any] = {"email": "Mei.Lin@example.edu", "email_verified": True, "name": "Mei Lin"}
BEGIN = "/accounts/openid/campus"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with provider_running() as running:
        yield running


@pytest.fixture
def app(settings: Settings, provider: Provider, tmp_path: Path) -> Iterator[Flask]:
    file = tmp_path / "openid.toml"
    values = {"label": "Campus", "issuer": provider.address, "client_id": CLIENT, "client_secret": SECRET}
    file.write_text("[campus]\n" + "".join(f'{name} = "{value}"\n' for name, value in values.items()))
    app = create_app({**settings, "PORTAL_OPENID": str(file)})
    yield app
    with app.app_context():
        db.engine.dispose()


def go(client: FlaskClient, provider: Provider, begin: str = BEGIN, **claims: Any) -> TestResponse:  # noqa: ANN401
    """Follow the link, agree at the provider, and come back."""
    provider.claims |= claims
    asked = client.get(begin)
    while asked.location.startswith("/"):
        asked = client.get(asked.location)
    return client.get(provider.agree(asked.location).removeprefix("http://localhost:8000"))


def said(client: FlaskClient, answer: TestResponse) -> str:
    assert answer.status_code == 302
    return client.get(answer.location).text


def people(app: Flask) -> list[str]:
    with app.app_context():
        return list(db.session.scalars(select(User.email).order_by(User.id)))


def test_it_is_off_unless_configured(settings: Settings) -> None:
    app = create_app(settings)
    client = app.test_client()
    assert ("sign in with" in client.get("/accounts/login").text, client.get(BEGIN).status_code) == (False, 404)
    with app.app_context():
        db.engine.dispose()


def test_somebody_new_registers_with_a_checked_address_and_signs_in_again_by_who_they_are(
    app: Flask, provider: Provider
) -> None:
    client = app.test_client()
    assert f'href="{BEGIN}"' in client.get("/accounts/login").text
    answer = go(client, provider, f"{BEGIN}?next=/me/interests", **NEW)
    assert (answer.status_code, answer.location) == (302, "/me/interests")
    assert (people(app), client.get("/me/interests").status_code) == (["mei.lin@example.edu"], 200)
    assert mails(app, "mei.lin@example.edu")[-1].subject == "You can sign in with Campus"
    with app.app_context():
        user = db.session.scalars(select(User)).one()
        assert (user.name, user.confirmed_at is not None, [role.name for role in user.roles]) == (
            "Mei Lin",
            True,
            ["applicant"],
        )
        assert db.session.scalars(select(AuditEntry.act).order_by(AuditEntry.id)).all() == [
            "account.create",
            "account.connect",
        ]
    again = app.test_client()
    assert go(again, provider, email="other@example.edu").location == "/accounts/landing"
    assert ("mei.lin@example.edu" in again.get("/accounts/").text, len(people(app))) == (True, 1)


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"email": "mei@example.edu"},
        {"email": "mei@example.edu", "email_verified": False},
        {"email": "mei@example.edu", "email_verified": "true"},
        {"email": "no address", "email_verified": True},
    ],
)
def test_an_address_that_was_not_checked_makes_no_account(
    app: Flask, provider: Provider, claims: dict[str, Any]
) -> None:
    client = app.test_client()
    assert "told us no address that it has checked" in said(client, go(client, provider, **claims))
    assert people(app) == []


@pytest.mark.parametrize("is_checked", [True, False])
def test_an_address_never_leads_into_an_account_that_there_is(app: Flask, provider: Provider, is_checked: bool) -> None:  # noqa: FBT001
    person = add_person(app, "applicant")
    client = app.test_client()
    page = said(client, go(client, provider, email=person.email.upper(), email_verified=is_checked))
    assert ("There is an account with your address." in page) is is_checked
    assert client.get("/accounts/").status_code == 302
    with app.app_context():
        assert db.session.scalars(select(OpenIdentity)).all() == []


def connected(app: Flask, provider: Provider) -> tuple[Person, FlaskClient]:
    person = add_person(app, "applicant")
    client = person.sign_in()
    assert f'href="{BEGIN}/connect"' in client.get("/accounts/").text
    assert "Campus is connected" in said(client, go(client, provider, f"{BEGIN}/connect"))
    return person, client


def test_who_is_signed_in_connects_it_and_disconnects_it_again(app: Flask, provider: Provider) -> None:
    person, client = connected(app, provider)
    other = app.test_client()
    assert go(other, provider).location == "/accounts/landing"
    assert person.email in other.get("/accounts/").text
    # The provider may have remembered them, which proves nothing.
    assert other.get("/accounts/change-email").location.startswith("/accounts/verify")
    assert go(other, provider, f"{BEGIN}?next=/accounts/change-email").location == "/accounts/change-email"
    assert other.get("/accounts/change-email").status_code == 200
    first = "0000-0002-1825-0097"  # as the provider says where a test says nothing
    go(client, provider, f"{BEGIN}/connect", sub="a second one")
    submit(client, f"{BEGIN}/disconnect", {}, page="/accounts/")
    for sub in (first, "a second one"):
        third = app.test_client()
        assert "told us no address" in said(third, go(third, provider, sub=sub))


def test_it_is_connected_with_a_recent_password_alone_and_counts_as_one(app: Flask, provider: Provider) -> None:
    person, client = connected(app, provider)
    with client.session_transaction() as session:
        session["fs_paa"] = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
        session.pop("fs_gexp", None)
    asked = client.get(f"{BEGIN}/connect")
    assert asked.location.startswith("/accounts/verify")
    assert "Or sign in again with" in client.get(asked.location).text
    assert go(client, provider, f"{BEGIN}?next=/accounts/change-email").location == "/accounts/change-email"
    assert client.get("/accounts/change-email").status_code == 200
    with client.session_transaction() as session:
        session["fs_paa"] = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
        session.pop("fs_gexp", None)
    # A provider that remembers somebody, and does not ask, proves nothing.
    begin = f"{BEGIN}?next=/accounts/change-email"
    assert go(client, provider, begin, auth_time=1_000_000_000).location == "/accounts/change-email"
    assert "did not ask who you are again" in client.get(client.get("/accounts/change-email").location).text
    del provider.claims["auth_time"]
    # What nobody asked to connect is not connected, and another account's is not taken over.
    assert "did not sign you in" in said(client, go(client, provider, sub="somebody else"))
    stranger = add_person(app, "applicant").sign_in()
    assert "belongs to another account" in said(stranger, go(stranger, provider, sub="0000-0002-1825-0097"))
    assert person.email


def test_what_one_began_to_connect_is_not_connected_with_who_signs_in_here_next(app: Flask, provider: Provider) -> None:
    client = add_person(app, "applicant").sign_in()
    asked = client.get(client.get(f"{BEGIN}/connect").location)  # and the provider's page stays open
    submit(client, "/accounts/logout", {}, page="/accounts/")
    other = add_person(app, "applicant")
    assert submit(client, "/accounts/login", {"email": other.email, "password": PASSWORD}).status_code == 302
    assert other.email in client.get("/accounts/").text
    answer = client.get(provider.agree(asked.location).removeprefix("http://localhost:8000"))
    assert answer.status_code == 302
    with app.app_context():
        assert db.session.scalars(select(OpenIdentity.user_id)).all() == []


def test_a_second_step_is_asked_for_all_the_same(app: Flask, provider: Provider) -> None:
    _, client = connected(app, provider)
    turn_on(client)
    other = app.test_client()
    answer = go(other, provider)
    assert (answer.status_code, "/tf-" in answer.location) == (302, True)
    assert other.get("/accounts/").status_code == 302


def test_a_suspended_account_stays_closed(app: Flask, provider: Provider) -> None:
    person, _ = connected(app, provider)
    with app.app_context():
        db.session.get_one(User, person.id).active = False
        db.session.commit()
    other = app.test_client()
    assert "suspended or closed" in said(other, go(other, provider))


def test_what_was_begun_elsewhere_or_sent_twice_signs_nobody_in(app: Flask, provider: Provider) -> None:
    provider.claims |= NEW
    client, victim = app.test_client(), app.test_client()
    back = provider.agree(client.get(BEGIN).location).removeprefix("http://localhost:8000")
    assert "began in another browser" in said(victim, victim.get(back))
    assert people(app) == []
    assert client.get(back).location == "/accounts/landing"
    fresh = app.test_client()
    assert "began in another browser" in said(fresh, fresh.get(back))


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another sign-in"},
        {"aud": "another portal"},
        {"iss": "https://accounts.example.org"},
        {"exp": 1_000_000_000},
        {"sub": ""},
        {"sub": "x" * 256},
    ],
)
def test_claims_that_are_not_for_this_sign_in_are_refused(
    app: Flask, provider: Provider, claims: dict[str, Any]
) -> None:
    client = app.test_client()
    assert "Campus did not sign you in." in said(client, go(client, provider, **NEW, **claims))
    assert people(app) == []


def test_a_forged_signature_a_refusal_and_a_provider_that_is_away_sign_nobody_in(
    app: Flask, provider: Provider
) -> None:
    client, provider.is_forged = app.test_client(), True
    assert "Campus did not sign you in." in said(client, go(client, provider, **NEW))
    state = provider.agree(client.get(BEGIN).location).partition("state=")[2]
    denied = client.get(f"{BEGIN}/answer?error=access_denied&state={state}")
    assert "Campus did not sign you in." in said(client, denied)
    back = provider.agree(client.get(BEGIN).location).removeprefix("http://localhost:8000")
    provider.codes.clear()
    assert "Campus did not sign you in." in said(client, client.get(back))
    assert people(app) == []


def test_a_provider_that_does_not_answer_is_said_so(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "openid.toml"
    file.write_text("[away]\nlabel = 'Away'\nissuer = 'http://127.0.0.1:1'\nclient_id = 'x'\nclient_secret = 'y'\n")
    app = create_app({**settings, "PORTAL_OPENID": str(file)})
    client = app.test_client()
    assert "Away did not sign you in." in said(client, client.get("/accounts/openid/away"))
    with app.app_context():
        db.engine.dispose()


def test_answers_that_no_provider_gives_sign_nobody_in(app: Flask, provider: Provider) -> None:
    client = app.test_client()
    state = provider.agree(client.get(BEGIN).location).partition("state=")[2]
    for value in HOSTILE:
        for sent in (
            {"code": value, "state": value},
            {"code": value, "state": state},
            {"error": value, "state": state},
        ):
            limiter.storage.reset()
            assert client.get(f"{BEGIN}/answer", query_string=sent).location == "/accounts/login", sent
    assert people(app) == []
    for value in HOSTILE:
        limiter.storage.reset()
        claims: dict[str, Any] = {"sub": value[:40] or "x", "email": value, "name": value, "email_verified": True}
        assert go(app.test_client(), provider, **claims).status_code == 302
    assert "did not sign you in" in said(client, go(client, provider, sub="two\0parts", **NEW))
    assert set(people(app)) <= {"a@b"}


def test_beginning_again_and_again_leaves_a_short_cookie(app: Flask, provider: Provider) -> None:
    client = app.test_client()
    lengths = [len(client.get(BEGIN).headers["Set-Cookie"]) for _ in range(9)]
    assert max(lengths) < lengths[0] + 50 < 1_500
    assert go(client, provider, **NEW).location == "/accounts/landing"


def test_no_page_of_another_site_is_gone_on_to(app: Flask, provider: Provider) -> None:
    client = app.test_client()
    assert go(client, provider, f"{BEGIN}?next=//evil.example/", **NEW).location == "/accounts/landing"


def test_forms_need_their_token(app: Flask, provider: Provider) -> None:
    _, client = connected(app, provider)
    assert client.post(f"{BEGIN}/disconnect").status_code == 400
    assert csrf_token(client, "/accounts/")


@pytest.mark.parametrize(
    "text",
    [
        "[campus]\nclient_id = 'x'\n",
        "[campus]\nlabel = 'C'\nissuer = 'http://login.example.edu'\nclient_id = 'x'\nclient_secret = 'a-secret'\n",
        "[Campus]\nlabel = 'C'\nissuer = 'https://login.example.edu'\nclient_id = 'x'\nclient_secret = 'a-secret'\n",
        "[google]\nclient_id = 'x'\nclient_secret = 'a-secret'\nscopes = 'all'\n",
        "google = 'a-secret'",
        "not toml",
        None,
    ],
)
def test_a_file_that_cannot_be_used_is_refused_without_its_secrets(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "openid.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SettingsError, match="PORTAL_OPENID") as refused:
        read_settings({"PORTAL_OPENID": str(file)}, serving=False)
    assert "a-secret" not in str(refused.value)


def test_known_providers_need_their_client_alone(tmp_path: Path) -> None:
    file = tmp_path / "openid.toml"
    file.write_text("".join(f"[{name}]\nclient_id = 'x'\nclient_secret = 'y'\n" for name in ("orcid", "google")))
    found = read_settings({"PORTAL_OPENID": str(file)}, serving=False).openid
    assert [(each.label, each.issuer) for each in found] == [
        ("ORCID", "https://orcid.org"),
        ("Google", "https://accounts.google.com"),
    ]
