"""Referees: named and asked by applicants, who learn no word of the letters; a link that opens one form only."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any

import flask
import pytest
from sqlalchemy import func, select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.locks import Refusal
from portal.applications.referees import service
from portal.applications.referees.service import ask, remind
from portal.applications.submissions import missing_from
from portal.db import db
from portal.models import AuditEntry, OutboxMail, Referee, User
from portal.web.work import deliver_mail
from tests.admission import Admission, add_admission, admission_of
from tests.documents.docxs import resume_docx
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from portal.models import Application

NOW = datetime.now(UTC).replace(microsecond=0)
EMAIL = "prof@uni.example.edu"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that asks for one letter, and a lab."""
    with admission_of(app, "Ada Lab", now=NOW, referees=1) as made:
        yield made


@pytest.fixture
def mine(admission: Admission) -> tuple[FlaskClient, Application]:
    """An applicant's browser, and their draft."""
    person = admission.add_applicant("Li Wei <b>李伟</b>")
    return person.sign_in(), admission.draft(person, "Ada Lab")


def page(application: Application) -> str:
    return f"/me/application/{application.cycle.slug}/referees"


def name(client: FlaskClient, application: Application, email: str = EMAIL, name: str = "Ada <script>") -> TestResponse:
    return submit(client, page(application), {"name": name, "email": email, "relation": "My thesis"})


def remove(client: FlaskClient, application: Application) -> TestResponse:
    return submit(client, f"{page(application)}/{referee().id}/remove", {}, page=page(application))


def referee() -> Referee:
    db.session.expire_all()
    return db.session.scalars(select(Referee).order_by(Referee.id.desc()).limit(1)).one()


def mails(app: Flask) -> list[tuple[str, str]]:
    """Subject and text of what the referee was sent, in order."""
    return [(mail.subject, mail.body) for mail in app.extensions["mailman"].outbox if mail.to == [EMAIL]]


def link() -> str:
    """The link of the newest mail to a referee."""
    found = re.findall(r"(/letters/[\w-]+)", "".join(text for _subject, text in mails(flask.current_app)))
    return str(found[-1])


def asked(client: FlaskClient, application: Application) -> str:
    """Name a referee, who is asked by it; the link they get."""
    name(client, application)
    return link()


def send(visitor: FlaskClient, url: str, **form: Any) -> TestResponse:  # noqa: ANN401  (values of a form)
    return submit(visitor, url, form)


def test_a_letter_is_asked_for_sent_replaced_and_read_by_nobody_but_labs(
    client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    applicant, application = mine
    assert [item.advice for item in missing_from(db.session(), application)] == [
        "Name 1 referee, with an e-mail address."
    ]
    assert [name(applicant, application).status_code for _ in range(2)] == [302, 302]
    assert missing_from(db.session(), application) == []
    url = link()
    opened = client.get(url)
    assert "Dear Ada &lt;script&gt;" in opened.text
    assert "Li Wei &lt;b&gt;李伟&lt;/b&gt;" in opened.text
    assert {name: opened.headers[name] for name in ("Referrer-Policy", "X-Robots-Tag", "Cache-Control")} == {
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex, nofollow",
        "Cache-Control": "private, no-store",
    }
    for text in ("An outstanding mind.", "An outstanding mind.", "Better said."):
        assert send(client, url, letter=text).headers["Location"] == url
    thanks = client.get(url).text
    assert ("Thank you, Ada" in thanks, "Better said." in thanks) == (True, False)
    assert (referee().letter, referee().letter_kind, referee().storage_key) == ("Better said.", "pasted", "")
    told = db.session.scalars(select(OutboxMail.address).where(OutboxMail.kind == "letter_received")).all()
    assert told == [application.applicant.email]
    shown = applicant.get(page(application)).text
    assert ("Letter received" in shown, "Better" in shown) == (True, False)
    assert remove(applicant, application).status_code == 409
    assert b"Better said." not in applicant.get("/me/export").data


def test_who_is_asked_twice_gets_one_mail(app: Flask, mine: tuple[FlaskClient, Application]) -> None:
    applicant, application = mine
    asked(applicant, application)
    assert name(applicant, application).status_code == 302
    assert "was asked already and has a link" in applicant.get(page(application)).text
    assert len(mails(app)) == 1


def test_a_file_is_read_kept_and_replaced(
    app: Flask, client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    url = asked(*mine)
    program = b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8" + bytes(100)
    for data, status in ((resume_docx(), 302), (program, 422)):
        assert send(client, url, letter_file=(BytesIO(data), "../letter.docx")).status_code == status
    one = referee()
    assert ("Resume" in one.letter, one.letter_kind, one.letter_filename) == (True, "docx", "letter.docx")
    assert one.storage_key.startswith("letters/")
    assert app.extensions["portal_files"].get(one.storage_key)[:2] == b"PK"
    send(client, url, letter="As text instead.")
    assert [file.key for file in app.extensions["portal_files"].list("letters")] == []
    empty = send(client, url, letter=" ")
    assert (empty.status_code, empty.text.count('aria-invalid="true"')) == (422, 1)


def test_a_dead_link_opens_nothing_and_gives_back_what_was_written(
    client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    applicant, application = mine
    url = asked(applicant, application)
    token = csrf_token(client, url)
    assert client.get(f"{url}x").status_code == 404
    assert client.get("/letters/%00").status_code == 404
    other_form = {"csrf_token": token, "letter": "Long work <b>"}
    assert [remove(applicant, application).status_code for _ in range(2)] == [302, 302]
    answers = [client.get(url), client.post(url, data=other_form), client.post("/letters/no-such", data=other_form)]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert ["Long work &lt;b&gt;" in answer.text for answer in answers] == [False, True, True]
    assert [subject for subject, _text in mails(flask.current_app)] == [
        "Request for a letter of reference",
        "A letter of reference is no longer needed",
    ]
    assert name(applicant, application).status_code == 302
    assert (link() != url, client.get(link()).status_code, client.get(url).status_code) == (True, 200, 404)
    referee().expires_at = NOW - timedelta(seconds=1)
    db.session.commit()
    url = link()
    assert [client.get(url).status_code, client.post(url, data=other_form).status_code] == [410, 410]
    assert referee().received_at is None


def test_the_one_reminder_makes_a_new_link(client: FlaskClient, mine: tuple[FlaskClient, Application]) -> None:
    first = asked(*mine)
    assert [remind(db.session(), referee(), now=NOW) for _ in range(2)] == [True, False]
    db.session.commit()
    deliver_mail(db.session(), NOW)
    shown = mine[0].get(page(mine[1])).text
    assert ("Asked</strong>" in shown, ", reminded <time" in shown) == (True, True)
    assert [client.get(first).status_code, client.get(link()).status_code] == [404, 200]
    assert [subject for subject, _text in mails(flask.current_app)][1:] == ["Reminder: your letter of reference is due"]


def test_a_referee_who_declines_is_thanked_and_not_asked_again(
    client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    applicant, application = mine
    url = asked(applicant, application)
    asks_first = "This cannot be undone" in client.get(url).text.partition("<details>")[2]
    assert (asks_first, send(client, url, act="decline").status_code) == (True, 302)
    assert "Thank you for telling us" in client.get(url).text
    assert missing_from(db.session(), application)[0].key == "referees"
    assert "Declined" in applicant.get(page(application)).text
    outbox = flask.current_app.extensions["mailman"].outbox
    told = [mail.body for mail in outbox if mail.to == [application.applicant.email]]
    assert ["cannot write one" in body for body in told] == [True]
    remove(applicant, application)
    assert "declined to write" in name(applicant, application).text  # a no stays one
    assert "Ada" not in applicant.get(page(application)).text


def test_whoever_was_removed_is_asked_once_more_and_then_not_again(mine: tuple[FlaskClient, Application]) -> None:
    asked(*mine)
    answers = []
    for _ in range(2):
        remove(*mine)
        answers.append(name(*mine).status_code)
    assert answers == [302, 422]
    assert [subject[:7] for subject, _text in mails(flask.current_app)].count("Request") == 2


@pytest.mark.parametrize(
    ("email", "whom", "said"),
    [
        ("me", "Me", 'id="email-error"><p class="field-error">This is your own address.'),
        (EMAIL.title(), "Twice", 'id="email-error"><p class="field-error">This person is already on your list.'),
        ("no address", "X", "e-mail address"),
        ("a@b.example.edu\r\nBcc: x@y.example.edu", "X", "Not added yet"),
        ("new@uni.example.edu", "", "Give the name of the referee."),
        ("new@uni.example.edu", " ", 'id="name-error"><p class="field-error">Give the name of the referee.'),
        ("new@uni.example.edu", "\u200b", 'id="name-error"><p class="field-error">Give the name of the referee.'),
        ("new@uni.example.edu", "n" * 201, 'id="name-error"><p class="field-error">Use at most 200 characters'),
    ],
)
def test_who_cannot_be_named(mine: tuple[FlaskClient, Application], email: str, whom: str, said: str) -> None:
    applicant, application = mine
    name(applicant, application)
    answer = name(applicant, application, application.applicant.email if email == "me" else email, whom)
    assert (answer.status_code, said in answer.text) == (422, True)


def test_all_that_is_wrong_with_a_referee_stands_beside_its_fields_at_once(
    mine: tuple[FlaskClient, Application],
) -> None:
    applicant, application = mine
    for email, said in (("", "Give the address"), ("none", "An e-mail"), (application.applicant.email, "This is your")):
        form = {"name": " ", "email": email, "relation": "r" * 301}
        answer = submit(applicant, page(application), form)
        assert re.findall(r'id="(\w+)-error"><p class="field-error">(\w+ [\w-]+)', answer.text) == [
            ("name", "Give the"),
            ("email", " ".join(said.split()[:2])),
            ("relation", "Use at"),
        ]
    assert db.session.scalars(select(Referee)).all() == []


def test_no_more_than_five_are_named_and_nobody_acts_on_anothers(
    mine: tuple[FlaskClient, Application], admission: Admission
) -> None:
    applicant, application = mine
    answers = [name(applicant, application, f"p{number}@uni.example.edu").status_code for number in range(6)]
    assert answers == [302] * 5 + [422]
    other = admission.add_applicant()
    admission.draft(other, "Ada Lab")
    assert remove(other.sign_in(), application).status_code == 404


def test_a_link_opens_nothing_else_and_its_token_is_stored_nowhere(
    client: FlaskClient, mine: tuple[FlaskClient, Application], caplog: pytest.LogCaptureFixture
) -> None:
    url = asked(*mine)
    send(client, url, letter="A letter.")
    assert [client.get(path).status_code for path in ("/me/", "/reviews/", "/admin/")] == [302] * 3
    token = url.rpartition("/")[2]
    stored = [str(vars(row)) for table in (Referee, AuditEntry, User) for row in db.session.scalars(select(table))]
    assert [row for row in [*stored, caplog.text] if token in row] == []


def test_a_form_whose_token_is_out_of_date_is_shown_again_with_its_text(
    client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    url = asked(*mine)
    answer = client.post(url, data={"letter": "Much work."})
    assert (answer.status_code, "Much work." in answer.text, referee().received_at) == (400, True, None)


def test_a_letter_can_be_sent_over_https_though_the_page_sends_no_referrer(
    client: FlaskClient, mine: tuple[FlaskClient, Application]
) -> None:
    url, https = asked(*mine), "https://localhost"
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get(url, base_url=https).text)
    assert token is not None
    answer = client.post(url, base_url=https, data={"csrf_token": token[1], "letter": "A letter."})
    assert (answer.status_code, referee().letter) == (302, "A letter.")


def test_a_file_that_is_too_large_is_refused_and_no_log_says_which_link_it_was_for(
    app: Flask, client: FlaskClient, mine: tuple[FlaskClient, Application], caplog: pytest.LogCaptureFixture
) -> None:
    url = asked(*mine)
    caplog.set_level(logging.INFO)
    # Written here, because the client of the tests leaves large forms open.
    large = b"x" * (app.config["MAX_CONTENT_LENGTH"] + 1)
    answer = client.post(url, data=large, content_type="multipart/form-data; boundary=edge")
    assert (answer.status_code, "5 MB" in answer.text, referee().received_at) == (413, True, None)
    for name in ("portal", "portal.web.errors", "werkzeug", "gunicorn.access"):
        logging.getLogger(name).error("Failed on %s [%s]", url, "POST")
        logging.getLogger(name).error(f"GET {url} HTTP/1.1")  # noqa: G004  (as others may do)
    assert "/letters/…" in caplog.text
    assert url.rpartition("/")[2] not in caplog.text


def test_after_it_is_submitted_the_application_leads_to_its_referees(
    mine: tuple[FlaskClient, Application], admission: Admission
) -> None:
    applicant, application = mine
    asked(applicant, application)
    admission.one_move(application, "submit", "applicant")
    assert f'href="{page(application)}"' in applicant.get(f"/me/application/{application.cycle.slug}/").text
    assert remove(applicant, application).status_code == 302


FIRST_ASKED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_requests_for_letters_count_beyond_an_erasure(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_ASKED", 2)
    with app.app_context():
        admission = add_admission(app, now=FIRST_ASKED, deadline_in=timedelta(days=90), referees=1)
        admission.add_lab("Ada Lab")
        person, another = admission.add_applicant(), admission.add_applicant()
        session, user = db.session(), admission.user(person)

        def ask_in_a_new_application() -> None:
            erase_everything(session, file_store(app), user, now=admission.now)
            draft = admission.draft(person, "Ada Lab")
            ask(session, draft, "Ada", "ada@example.edu", "My thesis", actor=user, now=admission.now)
            session.commit()

        ask_in_a_new_application()
        ask_in_a_new_application()
        with pytest.raises(Refusal, match="You asked 2 times for a letter within 30 days, which is the limit"):
            ask_in_a_new_application()
        session.rollback()
        theirs = admission.draft(another, "Ada Lab")
        actor = admission.user(another)
        assert ask(session, theirs, "Ada", "ada@example.edu", "My thesis", actor=actor, now=admission.now)
        admission.later(days=30, seconds=1)
        ask_in_a_new_application()
        asked = select(func.count(AuditEntry.id)).where(AuditEntry.act == "referee.ask")
        assert session.scalar(asked) == 4
