"""The pages about news and mails: each person sees their own, and chooses for themselves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.mail import tell
from portal.mail.kinds import KINDS
from portal.models import MailPreference, Notification, OutboxMail, User
from tests.people import add_person, csrf_token, submit

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def tell_all(app: Flask, person: Person, *paths: str) -> list[int]:
    """Give somebody news; the ids of it."""
    with app.app_context():
        user = db.session.get_one(User, person.id)
        for path in paths:
            tell(db.session(), user, "decision_released", {"cycle": "<b>2027</b>"}, now=NOW, path=path)
        db.session.commit()
        return list(db.session.scalars(select(Notification.id).order_by(Notification.id)))


def test_news_is_counted_in_the_menu_until_it_is_followed_or_marked(app: Flask, applicant: Person) -> None:
    first, *_ = tell_all(app, applicant, "/me/", "/me/labs", "")
    client = applicant.sign_in()
    page = client.get("/accounts/news").text
    assert ("News (3)" in page, page.count("&lt;b&gt;2027&lt;/b&gt;"), page.count("New:")) == (True, 3, 3)
    answer = client.get(f"/accounts/news/{first}")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/me/")
    page = client.get("/about").text
    assert ("News (2)" in page, "</span>2 new</span></summary>" in page) == (True, True)
    submit(client, "/accounts/news/read", {}, page="/accounts/news")
    page = client.get("/accounts/news").text
    assert [part in page for part in ("News (", "menu-unread", "New:", "Mark all")] == [False, False, False, False]


def test_nobody_sees_or_follows_the_news_of_somebody_else(app: Flask, applicant: Person, professor: Person) -> None:
    (number,) = tell_all(app, applicant, "/me/")
    client = professor.sign_in()
    assert client.get(f"/accounts/news/{number}").status_code == 404
    page = client.get("/accounts/news").text
    assert ("2027" in page, "No news yet" in page) == (False, True)
    submit(client, "/accounts/news/read", {}, page="/accounts/")
    with app.app_context():
        assert db.session.get_one(Notification, number).read_at is None


def test_news_never_leads_out_of_the_portal(app: Flask, applicant: Person) -> None:
    numbers = tell_all(app, applicant, "//evil.example", "https://evil.example", "")
    client = applicant.sign_in()
    targets = {client.get(f"/accounts/news/{number}").headers["Location"] for number in numbers}
    assert targets == {"/accounts/news"}


def test_a_person_chooses_among_the_mails_of_their_roles(app: Flask, professor: Person) -> None:
    client = professor.sign_in()
    page = client.get("/accounts/mail").text
    assert ("New applicants chose your lab" in page, "A lab has decided" in page) == (True, False)
    # Kinds of other roles, kinds that cannot be off and fields that are no kinds at all change nothing.
    sent = {"new_choices": "never", "letter_received": "never", "interview_picked": "never", "x": "y"}
    assert submit(client, "/accounts/mail", sent).status_code == 302
    token = csrf_token(client, "/accounts/mail")
    refused = client.post("/accounts/mail", data={"csrf_token": token, "offer_answered": "weekly"})
    assert refused.status_code == 400
    with app.app_context():
        chosen = db.session.execute(select(MailPreference.user_id, MailPreference.kind, MailPreference.how)).all()
        assert [tuple(row) for row in chosen] == [(professor.id, "new_choices", "never")]


def test_administrators_see_what_failed_but_not_what_it_says_and_try_again(
    app: Flask, admin: Person, applicant: Person
) -> None:
    tell_all(app, applicant, "/me/secret-path")
    with app.app_context():
        mail = db.session.scalars(select(OutboxMail)).one()
        assert mail.state == "sent"
        mail.state, mail.error, mail.tries = "dead", "OSError: <down>", 8
        mail.context = {"cycle": "2027", "name": "Li", "path": "/me/secret-path"}
        db.session.commit()
        number = mail.id
    client = admin.sign_in()
    page = client.get("/admin/outbox?state=dead").text
    assert (applicant.email in page, "OSError: &lt;down&gt;" in page, "secret-path" in page) == (True, True, False)
    assert KINDS[mail.kind].label in page
    submit(client, f"/admin/outbox/{number}/retry", {}, page="/admin/outbox")
    assert len(app.extensions["mailman"].outbox) == 2
    submit(client, f"/admin/outbox/{number}/cancel", {}, page="/admin/outbox")
    submit(client, "/admin/outbox/retry", {}, page="/admin/")
    with app.app_context():
        mail = db.session.get_one(OutboxMail, number)
        assert (mail.state, mail.tries, mail.context) == ("sent", 1, {})
    log = client.get("/admin/audit").text
    assert (log.count("<code>mail.retry</code>"), "<code>mail.cancel</code>" in log) == (1, False)


def test_a_waiting_mail_can_be_cancelled_and_mail_nobody_fetches_is_noticed(
    app: Flask, admin: Person, applicant: Person
) -> None:
    tell_all(app, applicant, "/me/")
    with app.app_context():
        mail = db.session.scalars(select(OutboxMail)).one()
        mail.state = "waiting"
        db.session.commit()
        number = mail.id
    client = admin.sign_in()
    assert "Is “portal work” running" in client.get("/admin/outbox").text
    submit(client, f"/admin/outbox/{number}/cancel", {}, page="/admin/outbox")
    page = client.get("/admin/outbox?state=cancelled").text
    assert (applicant.email in page, "Is “portal work” running" in page) == (True, False)


def test_a_mail_is_found_by_whom_it_went_to_and_an_act_leads_back_to_where_it_was(app: Flask, admin: Person) -> None:
    for email, name in (("mei@example.edu", "Mei Lindqvist"), ("noor@example.edu", "Noor Øster")):
        tell_all(app, add_person(app, "applicant", email=email, name=name), "/me/")
    with app.app_context():
        mail = db.session.scalars(select(OutboxMail).where(OutboxMail.address == "noor@example.edu")).one()
        mail.state = "dead"
        db.session.commit()
        number = mail.id
    client = admin.sign_in()
    for sought, found in (("MEI@", {"mei"}), ("øster noor", {"noor"}), ("example.edu", {"mei", "noor"}), ("%", set())):
        page = client.get("/admin/outbox", query_string={"q": sought}).text
        assert {name for name in ("mei", "noor") if f"{name}@example.edu" in page} == found, sought
    page = client.get("/admin/outbox?q=mei").text
    assert ("Sent (1)" in page, "Given up (0)" in page, "Try the one given up" in page) == (True, True, False)
    place = {"state": "dead", "q": "noor"}
    answer = submit(client, f"/admin/outbox/{number}/cancel", place, page="/admin/outbox?state=dead&q=noor")
    assert answer.location == "/admin/outbox?state=dead&q=noor"
