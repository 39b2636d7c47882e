from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.db import db
from portal.models import Interests, Invitation, User
from tests.accounts.mailbox import is_signed_in, sign_in, without_tokens
from tests.admission import add_admission
from tests.people import PASSWORD, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("roles", "path"),
    [
        (["applicant"], "/me/interests"),
        (["professor"], "/reviews/"),
        (["admin"], "/admin/"),
        (["applicant", "professor"], "/reviews/"),
        (["applicant", "professor", "admin"], "/admin/"),
        ([], "/accounts/"),
    ],
)
def test_a_sign_in_leads_to_where_the_person_works(person: Callable[..., Person], roles: list[str], path: str) -> None:
    assert person(*roles).sign_in().get("/accounts/landing").location == path


def test_an_applicant_who_has_stated_something_is_led_to_the_matches(app: Flask, applicant: Person) -> None:
    with app.app_context():
        db.session.add(Interests(user_id=applicant.id, statement="", changed_at=NOW))
        db.session.commit()
    client = applicant.sign_in()
    assert client.get("/accounts/landing").location == "/me/interests"
    with app.app_context():
        db.session.query(Interests).one().statement = "LLM serving"
        db.session.commit()
    assert client.get("/accounts/landing").location == "/me/matches"


def test_an_applicant_whose_application_is_under_way_is_led_to_what_is_next(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Serving Lab")
        person = admission.add_applicant()
        admission.draft(person, "Serving Lab")
        client = person.sign_in()
        assert client.get("/accounts/landing").location == "/me/matches"
        other = admission.add_applicant()
        admission.submitted(other, "Serving Lab")
        assert client.get("/accounts/landing").location == "/me/matches"
        assert other.sign_in().get("/accounts/landing").location == "/me/"


def test_an_applicant_whom_a_lab_invites_is_led_to_the_invitation(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Serving Lab")
        person = admission.add_applicant()
        invitation = Invitation(
            lab_id=admission.labs["Serving Lab"], applicant_id=person.id, message="", invited_at=admission.now
        )
        admission.session.add(invitation)
        admission.session.commit()
        client = person.sign_in()
        assert client.get("/accounts/landing").location == "/me/"
        invitation.answer, invitation.answered_at = "refused", admission.now
        admission.session.commit()
        assert client.get("/accounts/landing").location == "/me/matches"


def test_the_page_one_was_on_the_way_to_is_opened_after_signing_in(client: FlaskClient, applicant: Person) -> None:
    sent = client.get("/me/resume?tab=text")
    assert sent.status_code == 302
    assert sent.location is not None
    token = csrf_token(client, sent.location)
    data = {"csrf_token": token, "email": applicant.email, "password": PASSWORD, "next": "/me/resume?tab=text"}
    assert client.post("/accounts/login", data=data).location == "/me/resume?tab=text"


FOREIGN = [
    "https://evil.example/",
    "http:evil.example",
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/\r\n/evil.example",
    "http://[",
    "http://localhost@evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "security.logout",
    "/\u200b/evil.example",
    "http://localhost/me/matches",
]


@pytest.mark.parametrize("place", ["query", "form", "both"])
def test_an_address_of_another_site_is_not_gone_to(app: Flask, applicant: Person, place: str) -> None:
    for target in FOREIGN:
        client = app.test_client()
        token = csrf_token(client, "/accounts/login")
        data = {"csrf_token": token, "email": applicant.email, "password": PASSWORD}
        if place != "query":
            data["next"] = target
        query = {"next": target} if place != "form" else {}
        assert client.get("/accounts/login", query_string=query).status_code == 200
        answer = client.post("/accounts/login", query_string=query, data=data)
        assert (target, answer.status_code, answer.location) == (target, 302, "/accounts/landing")


def test_a_registration_link_with_a_foreign_target_works_and_goes_nowhere_else(app: Flask) -> None:
    for target in FOREIGN:
        client = app.test_client()
        token = csrf_token(client, "/accounts/register")
        data = {
            "csrf_token": token,
            "email": "mei@example.edu",
            "password": PASSWORD,
            "password_confirm": PASSWORD,
            "next": target,
        }
        answer = client.post("/accounts/register", query_string={"next": target}, data=data)
        assert (target, answer.status_code, answer.location) == (target, 302, "/accounts/check-mail")


def test_an_unknown_address_and_a_wrong_password_are_answered_alike(app: Flask, applicant: Person) -> None:
    wrong = sign_in(app.test_client(), applicant.email, "not this one at all")
    unknown = sign_in(app.test_client(), "nobody@example.edu", PASSWORD)
    assert wrong.status_code == unknown.status_code == 200
    assert without_tokens(wrong.text).replace(applicant.email, "…") == without_tokens(unknown.text).replace(
        "nobody@example.edu", "…"
    )
    assert wrong.text.count("Wrong e-mail address or password.") == 1
    assert f'value="{applicant.email}"' in wrong.text
    assert "not this one at all" not in wrong.text


def test_as_much_is_hashed_for_an_unknown_address_as_for_a_known_one(
    app: Flask, applicant: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted at the door of the hash: one Argon2 either way."""
    context = type(app.extensions["security"].pwd_context)
    calls: list[str] = []
    for name in ("hash", "verify"):
        original = getattr(context, name)

        def counted(
            self: object, *values: object, _name: str = name, _original: object = original, **more: object
        ) -> object:
            calls.append(_name)
            assert callable(_original)
            return _original(self, *values, **more)

        monkeypatch.setattr(context, name, counted)
    sign_in(app.test_client(), applicant.email, "not this one at all")
    known = len(calls)
    calls.clear()
    sign_in(app.test_client(), "nobody@example.edu", "not this one at all")
    assert known == len(calls) == 1


def test_an_empty_form_says_what_is_missing_beside_each_field(client: FlaskClient) -> None:
    page = sign_in(client, "", "")
    assert "Enter your e-mail address." in page.text
    assert "Enter your password." in page.text
    assert "Wrong e-mail address or password." not in page.text


@pytest.mark.parametrize("password", ["x" * 100_000, "\x00" * 12, "é" * 100, "\U0001f600" * 100])
def test_a_strange_password_is_only_wrong(client: FlaskClient, applicant: Person, password: str) -> None:
    assert sign_in(client, applicant.email, password).status_code == 200


def test_a_password_counts_in_every_way_of_writing_its_letters(app: Flask, client: FlaskClient) -> None:
    composed, parted = "caf\u00e9 au lait matin", "cafe\u0301 au lait matin"
    token = csrf_token(client, "/accounts/register")
    data = {"csrf_token": token, "email": "mei@example.edu", "password": composed, "password_confirm": composed}
    client.post("/accounts/register", data=data)
    with app.app_context():
        db.session.query(User).one().confirmed_at = NOW
        db.session.commit()
    assert sign_in(client, "mei@example.edu", parted).status_code == 302


def test_a_suspended_account_is_out_at_once_and_is_not_told_to_strangers(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    with app.app_context():
        db.session.query(User).one().active = False
        db.session.commit()
    assert not is_signed_in(client)
    suspended = sign_in(app.test_client(), applicant.email)
    unknown = sign_in(app.test_client(), "nobody@example.edu")
    assert without_tokens(suspended.text).replace(applicant.email, "…") == without_tokens(unknown.text).replace(
        "nobody@example.edu", "…"
    )


def test_signing_out_ends_the_session(applicant: Person) -> None:
    client = applicant.sign_in()
    answer = submit(client, "/accounts/logout", {}, page="/accounts/")
    assert (answer.status_code, answer.location) == (302, "/")
    assert not is_signed_in(client)


def test_signing_out_everywhere_ends_every_session_and_the_remembered_ones(app: Flask, applicant: Person) -> None:
    here, there, remembered = applicant.sign_in(), applicant.sign_in(), app.test_client()
    sign_in(remembered, applicant.email, remember="y")
    assert submit(here, "/accounts/sign-out-everywhere", {}, page="/accounts/").location == "/accounts/login"
    remembered.delete_cookie("session")
    assert [is_signed_in(client) for client in (here, there, remembered)] == [False, False, False]
    assert is_signed_in(applicant.sign_in())


def test_a_remembered_browser_comes_back_without_its_session(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    sign_in(client, applicant.email, remember="y")
    client.delete_cookie("session")
    assert is_signed_in(client)
    forgetful = applicant.sign_in()
    forgetful.delete_cookie("session")
    assert not is_signed_in(forgetful)


def test_changing_how_one_signs_in_asks_for_the_password_again_after_a_while(applicant: Person) -> None:
    client = applicant.sign_in()
    for path in ("/accounts/change-email", "/accounts/tf-setup", "/accounts/mf-recovery-codes"):
        assert client.get(path).status_code == 200
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=45), tick=True):
        for path in ("/accounts/change-email", "/accounts/tf-setup", "/accounts/mf-recovery-codes"):
            assert client.get(path).location == f"/accounts/verify?next={path}"
        wrong = submit(client, "/accounts/verify?next=/accounts/tf-setup", {"password": "not this one at all"})
        assert "This is not your password." in wrong.text
        right = submit(client, "/accounts/verify", {"password": applicant.password, "next": "/accounts/tf-setup"})
        assert right.location == "/accounts/tf-setup"
        assert client.get("/accounts/tf-setup").status_code == 200


def test_a_remembered_browser_is_asked_for_the_password_before_changes(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    sign_in(client, applicant.email, remember="y")
    client.delete_cookie("session")
    assert client.get("/accounts/change-email").location == "/accounts/verify?next=/accounts/change-email"


def test_no_token_for_programs_is_given_out_and_none_is_taken(
    client: FlaskClient, app: Flask, applicant: Person
) -> None:
    with app.app_context():
        user = db.session.query(User).one()
        token = str(user.get_auth_token())
    other = app.test_client()
    assert other.get("/accounts/", headers={"Authentication-Token": token}).status_code == 302
    assert other.get(f"/accounts/?auth_token={token}").status_code == 302
    csrf = csrf_token(client, "/accounts/login")
    credentials = {"email": applicant.email, "password": PASSWORD, "csrf_token": csrf}
    answer = client.post("/accounts/login?include_auth_token", json=credentials, headers={"X-CSRFToken": csrf})
    assert answer.status_code == 415
    page = client.post("/accounts/login?include_auth_token", data=credentials, headers={"Accept": "application/json"})
    assert page.status_code == 302
    assert "token" not in page.text.lower()


@pytest.mark.parametrize("body", ["[1, 2]", "null", '"x"', "{", '{"email": {"a": 1}}'])
def test_input_of_a_program_is_refused_without_a_failure(client: FlaskClient, body: str) -> None:
    token = csrf_token(client, "/accounts/login")
    for path in ("/accounts/login", "/accounts/register", "/accounts/reset", "/accounts/confirm"):
        answer = client.post(path, data=body, content_type="application/json", headers={"X-CSRFToken": token})
        assert answer.status_code == 415
