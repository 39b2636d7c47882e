"""Sessions are known to the server: what was signed out opens nothing, whoever holds a copy of its cookies."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from portal.accounts.sessions import device_named
from portal.db import db
from portal.models import SignIn
from tests.accounts.mailbox import is_signed_in, sign_in
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    import time_machine
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def copy_of(client: FlaskClient, app: Flask) -> FlaskClient:
    """Another browser with all cookies of `client`."""
    other = app.test_client()
    for cookie in (client._cookies or {}).values():
        other.set_cookie(cookie.key, cookie.value, path=cookie.path)
    return other


def browser(app: Flask, person: Person, **more: str) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_USER_AGENT"] = FIREFOX
    sign_in(client, person.email, **more)
    return client


@pytest.mark.parametrize("more", [{}, {"remember": "y"}])
def test_a_copied_cookie_opens_nothing_once_its_owner_has_signed_out(
    app: Flask, applicant: Person, more: dict[str, str]
) -> None:
    client = browser(app, applicant, **more)
    copy, only_remembered = copy_of(client, app), copy_of(client, app)
    only_remembered.delete_cookie("session")
    assert (is_signed_in(copy), is_signed_in(only_remembered)) == (True, bool(more))
    submit(client, "/accounts/logout", {}, page="/accounts/")
    assert [is_signed_in(each) for each in (client, copy, only_remembered)] == [False, False, False]


def test_signing_out_ends_this_session_only(app: Flask, applicant: Person) -> None:
    here, there = browser(app, applicant), browser(app, applicant)
    submit(here, "/accounts/logout", {}, page="/accounts/")
    assert (is_signed_in(here), is_signed_in(there)) == (False, True)


def test_sessions_are_listed_with_device_and_time_and_end_one_by_one(app: Flask, applicant: Person) -> None:
    here, there = browser(app, applicant), browser(app, applicant)
    page = here.get("/accounts/").text
    assert page.count("<strong>Firefox on Linux</strong>") == 2
    assert page.count("(this browser)") == 1
    (end,) = re.findall(r"/accounts/sign-ins/\d+/end", page)
    submit(here, end, {}, page="/accounts/")
    assert (is_signed_in(here), is_signed_in(there)) == (True, False)
    assert submit(here, end, {}, page="/accounts/").status_code == 302  # a second click says the same


def test_nobody_ends_the_sessions_of_others(app: Flask, applicant: Person, professor: Person) -> None:
    theirs = browser(app, applicant)
    with app.app_context():
        sign_in_id = db.session.query(SignIn.id).where(SignIn.user_id == applicant.id).scalar()
    submit(browser(app, professor), f"/accounts/sign-ins/{sign_in_id}/end", {}, page="/accounts/")
    assert is_signed_in(theirs)


def test_a_new_password_ends_the_sessions_elsewhere_and_keeps_the_one_here(app: Flask, applicant: Person) -> None:
    here, there = browser(app, applicant), browser(app, applicant)
    new = "seven green lamps rising"
    submit(here, "/accounts/change", {"password": PASSWORD, "new_password": new, "new_password_confirm": new})
    assert (is_signed_in(here), is_signed_in(there)) == (True, False)
    assert here.get("/accounts/").text.count("Firefox on Linux") == 1


def test_signing_in_anew_in_a_browser_replaces_its_session(app: Flask, applicant: Person, professor: Person) -> None:
    client = browser(app, applicant)
    copy = copy_of(client, app)
    submit(client, "/accounts/logout", {}, page="/accounts/")
    sign_in(client, professor.email)
    assert (is_signed_in(client), is_signed_in(copy)) == (True, False)


def test_a_session_ends_after_thirty_days_at_the_latest(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = browser(app, applicant)
    clock.shift(timedelta(days=29))
    assert is_signed_in(client)
    clock.shift(timedelta(days=2))
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15",
         "Safari on macOS"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("curl/8.5.0", "A program"),
        ("<script>alert(1)</script>", "A program"),
        ("", "A program"),
    ],
)  # fmt: skip
def test_a_device_is_named_in_words(user_agent: str, words: str) -> None:
    assert device_named(user_agent) == words
