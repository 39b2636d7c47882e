from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import User
from tests.accounts.authenticator import begin, first_step, later, make_codes, second_step, turn_on
from tests.accounts.mailbox import account, code_for, is_signed_in, key_on, mails, sign_in
from tests.people import submit

if TYPE_CHECKING:
    import time_machine
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

pytestmark = pytest.mark.usefixtures("clock")


def test_turning_it_on_takes_a_picture_a_key_and_a_first_code(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    page = submit(client, "/accounts/tf-setup", {"setup": "authenticator"})
    assert 'src="data:image/svg+xml;base64,' in page.text
    assert "style=" not in page.text
    user = account(app, applicant.email)
    assert user is not None
    assert user.tf_primary_method is None
    turn_on(client)
    assert "Two-step sign-in is on." in client.get("/accounts/mf-recovery-codes").text
    user = account(app, applicant.email)
    assert user is not None
    assert user.tf_primary_method == "authenticator"
    assert mails(app, applicant.email)[-1].subject == "Two-step sign-in was turned on"


def test_the_secret_is_sealed_in_the_database(app: Flask, applicant: Person) -> None:
    key = turn_on(applicant.sign_in())
    user = account(app, applicant.email)
    assert user is not None
    assert user.tf_totp_secret is not None
    assert key.replace("-", "") not in user.tf_totp_secret
    assert "enckey" in user.tf_totp_secret


def test_a_wrong_first_code_keeps_the_picture_and_turns_nothing_on(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    key, action = begin(client)
    page = submit(client, action, {"code": "000000"}, page="/accounts/tf-setup")
    assert page.status_code == 200
    assert "This code is wrong" in page.text
    assert key_on(page.text) == key
    assert action in page.text
    user = account(app, applicant.email)
    assert user is not None
    assert user.tf_primary_method is None


def test_a_setup_that_took_too_long_begins_anew(clock: time_machine.Traveller, applicant: Person) -> None:
    client = applicant.sign_in()
    key, action = begin(client)
    clock.shift(timedelta(minutes=29))
    submit(client, "/accounts/verify", {"password": applicant.password})
    clock.shift(timedelta(minutes=2))
    answer = submit(client, action, {"code": code_for(key)}, page="/accounts/tf-setup")
    assert answer.location == "/accounts/tf-setup"
    assert "longer than 30 minutes" in client.get("/accounts/tf-setup").text


def test_with_it_on_the_password_alone_opens_nothing(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    key = turn_on(applicant.sign_in())
    later(clock)
    client = first_step(app, applicant)
    for path in ("/me/interests", "/accounts/change", "/accounts/tf-setup", "/accounts/mf-recovery-codes"):
        assert (client.get(path).location or "").startswith("/accounts/login")
    client = first_step(app, applicant)
    answer = submit(client, "/accounts/tf-validate", {"code": code_for(key)})
    assert (answer.status_code, answer.location) == (302, "/accounts/landing")
    assert is_signed_in(client)


def test_a_wrong_code_is_refused_and_another_try_is_free(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    turn_on(applicant.sign_in())
    later(clock)
    client = first_step(app, applicant)
    page = submit(client, "/accounts/tf-validate", {"code": "000000"})
    assert page.status_code == 200
    assert "This code is wrong" in page.text
    assert not is_signed_in(client)


@pytest.mark.parametrize("code", ["", "abc", "12345", "1234567", "１２３４５６", "x" * 10_000, "-1", "\x00"])
def test_what_is_no_code_is_refused_without_a_failure(
    app: Flask, applicant: Person, clock: time_machine.Traveller, code: str
) -> None:
    turn_on(applicant.sign_in())
    later(clock)
    assert second_step(first_step(app, applicant), code) == 200


def test_a_code_signs_in_once(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    key = turn_on(applicant.sign_in())
    later(clock)
    code = code_for(key)
    assert second_step(first_step(app, applicant), code) == 302
    again = first_step(app, applicant)
    assert second_step(again, code) == 200
    assert not is_signed_in(again)
    later(clock)
    assert second_step(again, code_for(key)) == 302


def test_an_older_code_is_not_taken_after_a_newer_one(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    key = turn_on(applicant.sign_in())
    later(clock, 3)
    assert second_step(first_step(app, applicant), code_for(key, steps=1)) == 302
    assert second_step(first_step(app, applicant), code_for(key)) == 200


@pytest.mark.parametrize(("steps", "taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_off_by_one_step(
    app: Flask, applicant: Person, clock: time_machine.Traveller, steps: int, *, taken: bool
) -> None:
    key = turn_on(applicant.sign_in())
    later(clock, 5)
    assert (second_step(first_step(app, applicant), code_for(key, steps=steps)) == 302) is taken


def test_the_code_of_somebody_else_is_not_taken(
    app: Flask, applicant: Person, professor: Person, clock: time_machine.Traveller
) -> None:
    turn_on(applicant.sign_in())
    other = turn_on(professor.sign_in())
    later(clock)
    assert second_step(first_step(app, applicant), code_for(other)) == 200


def test_the_page_one_was_on_the_way_to_is_opened_after_both_steps(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    key = turn_on(applicant.sign_in())
    later(clock)
    client = app.test_client()
    data = {"email": applicant.email, "password": applicant.password, "next": "/me/resume?tab=text"}
    location = submit(client, "/accounts/login", data).location
    assert location is not None
    page = client.get(location).text
    action = re.search(r'action="(/accounts/tf-validate[^"]*)"', page)
    assert action is not None
    answer = submit(client, action.group(1).replace("&amp;", "&"), {"code": code_for(key)})
    assert answer.location == "/me/resume?tab=text"


@pytest.mark.parametrize("path", ["/accounts/tf-validate", "/accounts/mf-recovery"])
def test_no_step_leads_to_another_site(app: Flask, applicant: Person, clock: time_machine.Traveller, path: str) -> None:
    client = applicant.sign_in()
    key = turn_on(client)
    codes = make_codes(client)
    later(clock)
    code = code_for(key) if path.endswith("validate") else codes[0]
    stranger = first_step(app, applicant, "/accounts/login?next=https://evil.example/")
    target = {"code": code, "next": "https://evil.example/"}
    answer = submit(stranger, f"{path}?next=//evil.example", target, page=path)
    assert (answer.status_code, answer.location) == (302, "/accounts/landing")


def test_the_second_step_is_not_reached_without_the_first(client: FlaskClient) -> None:
    for path in ("/accounts/tf-validate", "/accounts/mf-recovery", "/accounts/tf-setup", "/accounts/tf-select"):
        assert client.get(path).location == "/accounts/login"


def test_turning_it_off_drops_the_codes_and_tells_the_owner(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    turn_on(client)
    make_codes(client)
    answer = submit(client, "/accounts/tf-setup", {"setup": "disable"})
    assert (answer.status_code, answer.location) == (302, "/accounts/")
    user = account(app, applicant.email)
    assert user is not None
    assert (user.tf_primary_method, user.tf_totp_secret, user.mf_recovery_codes) == (None, None, None)
    assert mails(app, applicant.email)[-1].subject == "Two-step sign-in was turned off"
    assert is_signed_in(applicant.sign_in())


def test_another_app_replaces_the_first(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    client = applicant.sign_in()
    old = turn_on(client)
    later(clock)
    new = turn_on(client)
    later(clock)
    assert second_step(first_step(app, applicant), code_for(old)) == 200
    assert second_step(first_step(app, applicant), code_for(new)) == 302


def test_nothing_but_the_two_choices_is_taken(applicant: Person) -> None:
    client = applicant.sign_in()
    for choice in ("email", "sms", "mail", "", "disable'"):
        page = submit(client, "/accounts/tf-setup", {"setup": choice, "phone": "+1"})
        assert page.status_code == 200
        assert "Choose one of the two." in page.text


def test_a_new_password_does_not_turn_it_off(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    key = turn_on(applicant.sign_in())
    later(clock)
    submit(app.test_client(), "/accounts/reset", {"email": applicant.email})
    link = mails(app, applicant.email)[-1].body.split("http://localhost:8000")[1].split()[0]
    browser = app.test_client()
    submit(browser, link, {"password": "seven green lamps", "password_confirm": "seven green lamps"})
    assert not is_signed_in(browser)
    assert (sign_in(browser, applicant.email, "seven green lamps").location or "").startswith("/accounts/tf-validate")
    assert not is_signed_in(browser)
    assert second_step(browser, code_for(key)) == 302


def test_a_setup_link_opens_nothing_for_a_visitor(client: FlaskClient, applicant: Person, app: Flask) -> None:
    _, action = begin(applicant.sign_in())
    answer = submit(client, action, {"code": "000000"}, page="/accounts/login")
    assert (answer.location or "").startswith("/accounts/login")
    with app.app_context():
        assert db.session.query(User).one().tf_primary_method is None
