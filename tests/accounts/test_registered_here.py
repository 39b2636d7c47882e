"""Who confirms an address where they have registered is signed in; a link alone signs nobody in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.accounts.sign_in import KEY, LIFETIME
from tests.accounts.mailbox import NEW_PASSWORD, account, follow, is_signed_in, link_to, links, mails, register, sign_in
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

NEW = "mei@example.edu"


def confirm(app: Flask, client: FlaskClient) -> str | None:
    """Follow the first link in mails to `NEW`; where that leads. It confirms the address in any case."""
    link = next(link for mail in mails(app, NEW) for link in links(mail, "/confirm/"))
    answer = follow(client, link)
    user = account(app, NEW)
    assert user is not None
    assert (answer.status_code, user.confirmed_at is not None) == (302, True)
    return answer.location


def test_one_goes_on_to_the_page_that_one_asked_for(app: Flask, client: FlaskClient) -> None:
    asked = client.get("/me/labs").location
    assert asked is not None
    register(client, NEW, next="/me/labs")
    assert (confirm(app, client), is_signed_in(client)) == ("/me/labs", True)
    elsewhere = app.test_client()
    register(elsewhere, "li@example.edu", next="//evil.example/")
    assert follow(elsewhere, link_to(app, "li@example.edu", "/confirm/")).location == "/accounts/landing"


@pytest.mark.parametrize("way", ["forwarded", "late", "signed in meanwhile", "registered by another", "known before"])
def test_a_link_alone_signs_nobody_in_but_the_address_is_filled_in(
    app: Flask, client: FlaskClient, applicant: Person, way: str
) -> None:
    if way == "known before":  # somebody else has registered the address, and knows the password of the account
        register(app.test_client(), NEW, NEW_PASSWORD)
    when = datetime.now(UTC) - (LIFETIME + timedelta(seconds=5) if way == "late" else timedelta())
    with time_machine.travel(when, tick=True):
        register(client, NEW)
    if way == "signed in meanwhile":
        sign_in(client, applicant.email)
        submit(client, "/accounts/logout", {}, page="/accounts/")
    if way == "registered by another":
        register(client, "li@example.edu")
    browser = app.test_client() if way == "forwarded" else client
    assert (confirm(app, browser), is_signed_in(browser)) == ("/accounts/login", False)
    assert f'value="{NEW}"' in browser.get("/accounts/login").text
    assert NEW not in browser.get("/accounts/login").text  # only once: others may come to this browser


def test_who_changes_how_they_sign_in_is_asked_for_the_password_by_when_it_was_entered(
    app: Flask, client: FlaskClient
) -> None:
    with time_machine.travel(datetime.now(UTC) - timedelta(hours=1), tick=True):
        register(client, NEW)
    assert confirm(app, client) == "/accounts/landing"
    assert (client.get("/accounts/change-email").location or "").startswith("/accounts/verify")


def test_the_mark_in_the_cookie_does_not_tell_whether_an_address_had_an_account(app: Flask, applicant: Person) -> None:
    marks = []
    for email in (NEW, NEW, applicant.email):
        browser = app.test_client()
        register(browser, email)
        with browser.session_transaction() as session:
            marks.append(session[KEY])
    assert len({mark["mark"] for mark in marks}) == len(marks)
    assert len({(tuple(sorted(mark)), len(mark["mark"]), mark["next"]) for mark in marks}) == 1
