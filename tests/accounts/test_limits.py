from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.web.limits import limiter
from tests.accounts.mailbox import (
    NEW_PASSWORD,
    code_for,
    is_signed_in,
    key_on,
    link_to,
    mails,
    register,
    sign_in,
    without_tokens,
)
from tests.people import PASSWORD, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

WRONG = "not this one at all"
NOW = datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def attempt(app: Flask, email: str, password: str, *, network: str, browser: FlaskClient | None = None) -> TestResponse:
    """One sign-in from somewhere."""
    client = browser or app.test_client()
    origin = {"REMOTE_ADDR": network}
    token = client.get("/accounts/login", environ_overrides=origin).text
    data = {
        "csrf_token": token.split('name="csrf_token"')[1].split('value="')[1].split('"')[0],
        "email": email,
        "password": password,
    }
    return client.post("/accounts/login", data=data, environ_overrides=origin)


def guess(app: Flask, email: str, times: int, *, start: int = 0) -> list[int]:
    """So many wrong passwords, each from another network."""
    return [attempt(app, email, WRONG, network=f"10.0.{n}.1").status_code for n in range(start, start + times)]


def test_an_account_takes_ten_tries_in_a_quarter_of_an_hour_from_wherever_they_come(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    assert guess(app, applicant.email, 10) == [200] * 10
    refused = attempt(app, applicant.email, PASSWORD, network="10.9.9.9")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "900"
    assert "You can try again in 15 minutes." in refused.text
    assert "Forgot your password?" in refused.text
    clock.shift(timedelta(minutes=14, seconds=59))
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9").status_code == 429
    clock.shift(timedelta(seconds=2))
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9").status_code == 302


def test_the_limit_tells_nothing_of_who_has_an_account(app: Flask, applicant: Person) -> None:
    known = guess(app, applicant.email, 12)
    unknown = guess(app, "nobody@example.edu", 12, start=100)
    assert known == unknown == [200] * 10 + [429] * 2
    pages = [
        without_tokens(attempt(app, email, WRONG, network="10.9.9.9").text)
        for email in (applicant.email, "nobody@example.edu")
    ]
    assert pages[0] == pages[1]


def test_the_spelling_of_an_address_makes_no_new_tries(app: Flask, applicant: Person) -> None:
    guess(app, applicant.email, 5)
    guess(app, f"  {applicant.email.upper()} ", 5, start=50)
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9").status_code == 429


def test_a_success_makes_all_tries_free_again(app: Flask, applicant: Person) -> None:
    for start in (0, 20, 40):
        assert guess(app, applicant.email, 9, start=start) == [200] * 9
        assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9").status_code == 302


def test_somebody_elses_success_makes_no_tries_free(
    app: Flask, applicant: Person, person: Callable[..., Person]
) -> None:
    mallory = person("applicant").sign_in()
    guess(app, applicant.email, 10)
    data = {"csrf_token": csrf_token(mallory, "/accounts/"), "email": applicant.email, "password": WRONG}
    assert mallory.post("/accounts/login", data=data).status_code == 302
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9").status_code == 429


def test_a_stranger_cannot_keep_the_owner_out_of_a_browser_that_signed_in_before(app: Flask, applicant: Person) -> None:
    own = applicant.sign_in()
    submit(own, "/accounts/logout", {}, page="/accounts/")
    assert guess(app, applicant.email, 11)[-1] == 429
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9", browser=own).status_code == 302


def test_a_known_browser_has_ten_tries_as_well(app: Flask, applicant: Person) -> None:
    own = applicant.sign_in()
    submit(own, "/accounts/logout", {}, page="/accounts/")
    tries = [attempt(app, applicant.email, WRONG, network=f"10.0.{n}.1", browser=own).status_code for n in range(11)]
    assert tries == [200] * 10 + [429]


@pytest.mark.parametrize("cookie", ["", "x", "WyJhIiwiYiJd.x.y", "stranger"])
def test_a_made_up_cookie_of_a_known_browser_is_none(app: Flask, applicant: Person, cookie: str) -> None:
    guess(app, applicant.email, 10)
    client = app.test_client()
    client.set_cookie("known_device", cookie, path="/accounts")
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9", browser=client).status_code == 429


def test_the_cookie_of_one_account_makes_no_browser_known_to_another(
    app: Flask, applicant: Person, person: Callable[..., Person]
) -> None:
    mallory = person("applicant").sign_in()
    submit(mallory, "/accounts/logout", {}, page="/accounts/")
    guess(app, applicant.email, 10)
    assert attempt(app, applicant.email, PASSWORD, network="10.9.9.9", browser=mallory).status_code == 429


def test_an_owner_at_a_new_browser_gets_in_by_mail_while_strangers_are_guessing(app: Flask, applicant: Person) -> None:
    guess(app, applicant.email, 11)
    browser = app.test_client()
    submit(browser, "/accounts/reset", {"email": applicant.email})
    submit(
        browser,
        link_to(app, applicant.email, "/reset/"),
        {"password": NEW_PASSWORD, "password_confirm": NEW_PASSWORD},
    )
    assert sign_in(browser, applicant.email, NEW_PASSWORD).status_code == 302


def test_one_network_takes_twenty_failures_a_minute_over_all_accounts(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    tries = [attempt(app, f"n{n}@example.edu", WRONG, network="10.0.0.1").status_code for n in range(21)]
    assert tries == [200] * 20 + [429]
    assert attempt(app, applicant.email, PASSWORD, network="10.0.0.1").status_code == 429
    assert attempt(app, applicant.email, PASSWORD, network="10.0.0.2").status_code == 302
    clock.shift(timedelta(seconds=61))
    assert attempt(app, applicant.email, PASSWORD, network="10.0.0.1").status_code == 302


def test_a_lecture_hall_behind_one_address_signs_in(app: Flask, applicant: Person) -> None:
    tries = [attempt(app, applicant.email, PASSWORD, network="10.0.0.1").status_code for _ in range(40)]
    assert tries == [302] * 40


def test_the_second_step_takes_five_tries_and_a_new_first_step_gives_none(app: Flask, applicant: Person) -> None:
    own = applicant.sign_in()
    page = submit(own, "/accounts/tf-setup", {"setup": "authenticator"}).text
    key, action = key_on(page), page.split('action="/accounts/tf-setup/')[1].split('"')[0]
    submit(own, f"/accounts/tf-setup/{action}", {"code": code_for(key)}, page="/accounts/tf-setup")

    def first_step() -> FlaskClient:
        client = app.test_client()
        sign_in(client, applicant.email)
        return client

    wrong = [f"{number:06d}" for number in range(4)]
    tries = [submit(first_step(), "/accounts/tf-validate", {"code": code}).status_code for code in wrong]
    tries.append(submit(first_step(), "/accounts/mf-recovery", {"code": "0000-0000-0000"}).status_code)
    assert tries == [200] * 5
    last = first_step()
    assert submit(last, "/accounts/tf-validate", {"code": code_for(key, steps=1)}).status_code == 429
    assert not is_signed_in(last)
    # The owner's own browser is not kept out.
    submit(own, "/accounts/logout", {}, page="/accounts/")
    sign_in(own, applicant.email)
    assert submit(own, "/accounts/tf-validate", {"code": code_for(key, steps=1)}).status_code == 302


@pytest.mark.parametrize(("path", "field"), [("/accounts/change", "password"), ("/accounts/verify", "password")])
def test_a_stolen_session_gets_ten_guesses_at_the_password(applicant: Person, path: str, field: str) -> None:
    client = applicant.sign_in()
    data = {field: WRONG, "new_password": NEW_PASSWORD, "new_password_confirm": NEW_PASSWORD}
    tries = [submit(client, path, data) for _ in range(11)]
    assert [answer.status_code for answer in tries] == [200] * 10 + [429]
    for part in ("You can try again in 15 minutes.", '<a href="/accounts/reset">Forgot your password?</a>'):
        assert part in tries[-1].text


def test_registrations_of_one_network_are_limited(app: Flask) -> None:
    tries = [register(app.test_client(), f"n{n}@example.edu").status_code for n in range(21)]
    assert tries == [302] * 20 + [429]


@pytest.mark.parametrize("path", ["/accounts/reset", "/accounts/confirm"])
def test_links_asked_for_by_one_network_are_limited(app: Flask, path: str) -> None:
    tries = [submit(app.test_client(), path, {"email": f"n{n}@example.edu"}).status_code for n in range(11)]
    assert tries == [302] * 10 + [429]


def test_one_address_gets_five_mails_an_hour_and_nobody_is_told(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    answers = set()
    for n in range(8):
        client = app.test_client()
        path = "/accounts/reset" if n % 2 else "/accounts/confirm"
        answer = submit(client, path, {"email": applicant.email})
        answers.add((answer.status_code, answer.location, without_tokens(client.get("/accounts/check-mail").text)))
    assert len(answers) == 1
    assert len(mails(app, applicant.email)) == 5
    clock.shift(timedelta(hours=1, seconds=1))
    submit(app.test_client(), "/accounts/reset", {"email": applicant.email})
    assert len(mails(app, applicant.email)) == 6


def test_the_notice_of_a_change_is_sent_whatever_others_asked_for(app: Flask, applicant: Person) -> None:
    for _ in range(6):
        submit(app.test_client(), "/accounts/reset", {"email": applicant.email})
    data = {"password": PASSWORD, "new_password": NEW_PASSWORD, "new_password_confirm": NEW_PASSWORD}
    submit(applicant.sign_in(), "/accounts/change", data)
    assert mails(app, applicant.email)[-1].subject == "Your password was changed"


def test_counters_hold_no_address(app: Flask, applicant: Person) -> None:
    guess(app, applicant.email, 1)
    storage = limiter.storage
    assert "example.edu" not in repr(vars(storage))
