from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine

from portal.db import db
from portal.models import AuditEntry, Lab, LabProfessor, User
from tests.accounts.mailbox import (
    account,
    follow,
    is_signed_in,
    link_to,
    links,
    mails,
    register,
    sign_in,
    without_tokens,
)
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

NEW = "new@example.edu"
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def test_the_page_shows_who_one_is(app: Flask, person: Callable[..., Person]) -> None:
    somebody = person("professor", name="Li Mei")
    with app.app_context():
        lab = Lab(slug="some-lab", name="Some Lab", changed_at=NOW)
        db.session.add(lab)
        db.session.flush()
        db.session.add(LabProfessor(lab_id=lab.id, user_id=somebody.id))
        db.session.commit()
    page = somebody.sign_in().get("/accounts/").text
    for part in ("Li Mei", somebody.email, "professor", 'href="/labs/some-lab"', "Two-step sign-in"):
        assert part in page
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert sorted(set(headings)) == sorted(headings)


def test_a_name_is_changed(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    assert submit(client, "/accounts/name", {"name": " Nora\u00a0 Feld "}).location == "/accounts/"
    assert "Your name is saved." in client.get("/accounts/").text
    user = account(app, applicant.email)
    assert user is not None
    assert user.name == "Nora Feld"
    submit(client, "/accounts/name", {"name": "Nora Feld"})
    assert "Your name is saved." not in client.get("/accounts/").text


def test_a_name_that_is_too_long_is_refused_and_stays_in_the_form(applicant: Person) -> None:
    page = submit(applicant.sign_in(), "/accounts/name", {"name": "N" * 201})
    assert page.status_code == 200
    assert "Use at most 200 characters; this has 201." in page.text
    assert "N" * 201 in page.text


def test_a_new_address_counts_once_its_link_is_opened(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    sent = submit(client, "/accounts/change-email", {"email": "NEW@example.edu"})
    assert (sent.status_code, sent.location) == (302, "/accounts/"), "loading the page again sends nothing again"
    assert f"We sent a link to {NEW}." in client.get(sent.location).text
    assert sign_in(app.test_client(), NEW).status_code == 200
    answer = follow(client, link_to(app, NEW, "/change-email/"))
    assert (answer.status_code, answer.location) == (302, "/accounts/")
    assert is_signed_in(client)
    assert sign_in(app.test_client(), applicant.email).status_code == 200
    assert sign_in(app.test_client(), NEW).status_code == 302


def test_the_old_address_hears_of_the_new_one_and_whom_to_tell(app: Flask, applicant: Person, admin: Person) -> None:
    client = applicant.sign_in()
    submit(client, "/accounts/change-email", {"email": NEW})
    assert mails(app, applicant.email) == []
    follow(client, link_to(app, NEW, "/change-email/"))
    (notice,) = mails(app, applicant.email)
    assert notice.subject == "The address of your account was changed"
    assert NEW in notice.body
    assert f"write to the administrators of the portal at once: {admin.email}." in notice.body
    with app.app_context():
        (entry,) = db.session.query(AuditEntry)
        assert (entry.act, entry.after) == ("account.change_email", {"from": applicant.email, "to": NEW})


def test_links_that_were_mailed_to_the_old_address_and_sessions_elsewhere_end_with_it(
    app: Flask, applicant: Person
) -> None:
    here, elsewhere = app.test_client(), applicant.sign_in()
    sign_in(here, applicant.email, remember="y")
    submit(app.test_client(), "/accounts/reset", {"email": applicant.email})
    choose_anew = link_to(app, applicant.email, "/reset/")
    submit(here, "/accounts/change-email", {"email": NEW})
    follow(here, link_to(app, NEW, "/change-email/"))
    assert (is_signed_in(here), is_signed_in(elsewhere)) == (True, False)
    here.delete_cookie("session")
    assert is_signed_in(here), "a browser that is remembered stays so"
    stranger = app.test_client()
    assert stranger.get(choose_anew).location == "/accounts/reset"
    assert sign_in(app.test_client(), NEW).status_code == 302, "the password is what it was"


def test_only_the_owner_of_an_account_moves_it_to_a_new_address(app: Flask, person: Callable[..., Person]) -> None:
    owner, other = person("applicant"), person("applicant")
    submit(owner.sign_in(), "/accounts/change-email", {"email": NEW})
    link = link_to(app, NEW, "/change-email/")
    browser, others = app.test_client(), other.sign_in()
    asked = browser.get(link)
    assert asked.location == f"/accounts/login?next={link}"
    assert "Sign in with your current address." in browser.get(asked.location).text
    assert browser.post(link, data={"csrf_token": csrf_token(browser, "/accounts/login")}).location == asked.location
    assert [others.get(link).location, follow(others, link, page="/accounts/name").location] == ["/accounts/"] * 2
    assert "That link moves another account" in others.get("/accounts/").text
    assert (account(app, NEW), account(app, other.email) is not None) == (None, True)
    assert sign_in(browser, owner.email, next=link).location == link
    follow(browser, link)
    assert (account(app, NEW) is not None, is_signed_in(browser)) == (True, True)
    assert browser.get(link).location == "/accounts/"
    assert "You sign in with this address already." in browser.get("/accounts/").text
    assert app.test_client().get(link).location == "/accounts/change-email", (
        "it works once, and nobody learns whose it is"
    )


def test_a_taken_address_is_answered_like_a_free_one(app: Flask, person: Callable[..., Person]) -> None:
    somebody, other = person("applicant"), person("applicant")
    client = somebody.sign_in()

    def answer(email: str) -> tuple[int, str | None, str]:
        sent = submit(client, "/accounts/change-email", {"email": email})
        page = without_tokens(client.get("/accounts/").text)
        return sent.status_code, sent.location, page.replace(email.lower(), "…")

    assert answer(NEW) == answer(other.email.upper())
    (mail,) = mails(app, other.email)
    assert "so nothing was changed" in mail.body
    assert links(mail) == ["/accounts/login"]
    assert mail.subject == mails(app, NEW)[0].subject


def test_an_address_that_was_taken_meanwhile_is_not_given_twice(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    submit(client, "/accounts/change-email", {"email": NEW})
    link = link_to(app, NEW, "/change-email/")
    register(app.test_client(), NEW)
    assert follow(client, link).location == "/accounts/change-email"
    assert "or used already, or the address is taken." in client.get("/accounts/change-email").text
    assert account(app, applicant.email) is not None


def test_a_link_to_a_new_address_works_once_and_for_two_hours(app: Flask, applicant: Person) -> None:
    submit(applicant.sign_in(), "/accounts/change-email", {"email": NEW})
    link, client = link_to(app, NEW, "/change-email/"), applicant.sign_in()
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=2, seconds=5), tick=True):
        assert applicant.sign_in().get(link).location == "/accounts/change-email"
    assert account(app, NEW) is None
    follow(client, link)
    assert account(app, NEW) is not None
    with app.app_context():
        db.session.query(User).one().email = "third@example.edu"
        db.session.commit()
    assert client.get(link).location == "/accounts/change-email"
    assert client.post(link, data={"csrf_token": csrf_token(client, "/accounts/name")}).status_code == 302
    assert account(app, NEW) is None


def test_a_program_that_opens_the_links_in_mails_moves_nobody_to_another_address(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    submit(client, "/accounts/change-email", {"email": NEW})
    link = link_to(app, NEW, "/change-email/")
    for browser in (client, app.test_client()):
        browser.get(link)
        browser.head(link)
    assert f"<strong>{NEW}</strong>" in client.get(link).text
    assert account(app, NEW) is None
    assert client.post(link).status_code == 400
    assert account(app, NEW) is None


@pytest.mark.parametrize("email", ["", "new@", "n" * 260, "APPLICANT"])
def test_what_is_no_address_is_refused_beside_its_field(app: Flask, applicant: Person, email: str) -> None:
    typed = applicant.email.upper() if email == "APPLICANT" else email
    page = submit(applicant.sign_in(), "/accounts/change-email", {"email": typed})
    assert page.text.count('class="field-error"') == 1
    assert 'id="email-error"' in page.text
    assert mails(app) == []
