"""Error pages when the database cannot do what was asked."""

from __future__ import annotations

import errno
import io
import os
import re
import sqlite3
from contextlib import closing, contextmanager
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import request
from sqlalchemy import event
from werkzeug.exceptions import NotFound

import portal
from portal.config import RESOURCES
from portal.db import db
from portal.models import Lab, LabRevision
from portal.web.forms import is_page_note
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.conftest import Settings
    from tests.people import Person

SECRET = "a statement that nobody else may read"


def _never_wait(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout = 0")


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """The database, held by another program for as long as the caller goes on."""
    with closing(sqlite3.connect(Path(settings["PORTAL_INSTANCE"]) / "portal.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


@pytest.mark.sqlite
def test_a_locked_database_is_a_matter_of_waiting_and_what_was_typed_is_not_logged(
    app: Flask, settings: Settings, applicant: Person, caplog: pytest.LogCaptureFixture
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    with app.app_context():
        db.engine.dispose()
        event.listen(db.engine, "connect", _never_wait)
    client = applicant.sign_in()
    form = {"csrf_token": csrf_token(client, "/accounts/name"), "name": SECRET}
    with locked(settings):
        answer = client.post("/accounts/name", data=form)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
        assert "The portal cannot get at its data just now" in answer.text
        assert "The last action was not saved" in answer.text
        assert client.get("/labs/").status_code == 200
    assert "database is locked" in caplog.text
    assert SECRET not in caplog.text
    assert client.post("/accounts/name", data=form).status_code == 302


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 503), (errno.EROFS, 503), (errno.EISDIR, 500)])
def test_a_full_disk_is_a_matter_of_waiting_too(app: Flask, number: int, status: int) -> None:
    """That of temporary files takes uploads of more than half a megabyte."""

    def fail() -> str:
        raise OSError(number, os.strerror(number))

    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.view_functions["labs.about"] = fail
    answer = app.test_client().get("/about")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (status, "30" if status == 503 else None)


def _never_grow(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute(
        "PRAGMA max_page_count = 1"
    )  # SQLite takes its present size, and then says that the disk is full


@pytest.mark.sqlite
def test_a_full_disk_is_one_line_of_the_log_and_what_was_typed_is_given_back(
    app: Flask, applicant: Person, caplog: pytest.LogCaptureFixture
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    client = applicant.sign_in()
    with app.app_context():
        db.engine.dispose()
        event.listen(db.engine, "connect", _never_grow)
    form = {"csrf_token": csrf_token(client, "/me/interests"), "statement": f"{SECRET} {'字' * 3_000}", "then": "Bern"}
    caplog.clear()
    answer = client.post("/me/interests", data=form, headers=OURS)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert [record.levelname for record in caplog.records if record.name.startswith("portal")] == ["ERROR"]
    assert "database or disk is full" in caplog.text
    assert ("Traceback" in caplog.text, SECRET in caplog.text) == (False, False)
    assert f"readonly>\n{SECRET} 字字" in answer.text
    assert ("Send it again</button>" in answer.text, 'name="then" value="Bern"' in answer.text) == (True, True)


def test_a_fault_of_the_portal_stays_a_fault_and_tells_nothing(app: Flask) -> None:
    def fail() -> str:
        raise LookupError(SECRET)

    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.view_functions["labs.about"] = fail
    answer = app.test_client().get("/about")
    assert answer.status_code == 500
    assert "Something failed on our side" in answer.text
    assert "Nothing was changed." in answer.text
    assert "was not saved" not in answer.text
    assert SECRET not in answer.text
    assert "LookupError" not in answer.text


def test_an_error_in_the_middle_of_a_write_shows_the_page_to_whoever_is_signed_in(
    app: Flask, applicant: Person
) -> None:
    def write_half() -> str:
        db.session.add(Lab(slug="half", changed_at=None))  # without a name
        db.session.flush()
        raise AssertionError

    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.view_functions["labs.about"] = write_half
    answer = applicant.sign_in().get("/about")
    assert (answer.status_code, 'href="/accounts/news"' in answer.text) == (500, True)


TYPED = "Two weeks in May & one in June"
OURS = {"Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/reviews/a-lab/settings?cycle=fall"}


def test_a_form_that_outlived_its_session_gives_back_what_was_typed_and_leads_to_its_page(app: Flask) -> None:
    sent = {"csrf_token": "of yesterday", "lines": TYPED, "seats": "3", "password": "correct horse battery"}
    answer = app.test_client().post("/reviews/a-lab/settings/intake", data=sent, headers=OURS)
    assert answer.status_code == 400
    assert "readonly>\nTwo weeks in May &amp; one in June</textarea>" in answer.text
    assert 'href="/reviews/a-lab/settings?cycle=fall"' in answer.text
    assert "Go back" not in answer.text
    assert "of yesterday" not in answer.text
    assert "correct horse" not in answer.text
    assert "Send it again" not in answer.text  # a password was among it


def test_a_form_that_outlived_its_session_is_sent_again_from_the_page_that_says_so(
    app: Flask, person: Callable[..., Person]
) -> None:
    admin, about = person("admin"), "Two\nparagraphs, & “signs”"
    sent = {"csrf_token": "of yesterday", "name": "Lab of patience", "leader": "", "about": about}
    client = app.test_client()

    def send(form: dict[str, str]) -> TestResponse:
        return client.post("/admin/new-lab/empty", data=form, headers=OURS)

    def kept(page: str) -> dict[str, str]:
        form = page.partition('<form method="post" action="/admin/new-lab/empty">')[2].partition("</form>")[0]
        return {name: unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form)}

    expired = send(sent)
    assert (expired.status_code, "Sign in in a new tab" in expired.text) == (400, True)
    main = expired.text.partition("<main")[2].partition("</main>")[0]
    assert main.count("/accounts/login") == 1  # in this tab, signing in would lose what was typed
    signed_out = send(kept(expired.text))
    assert (signed_out.status_code, "Your session expired – your text is safe" in signed_out.text) == (403, True)
    assert {**kept(signed_out.text), "csrf_token": ""} == {**sent, "csrf_token": ""}
    signed_in = admin.sign_in()
    again = signed_in.post("/admin/new-lab/empty", data=sent, headers=OURS)
    assert "send it again." in again.text
    done = signed_in.post("/admin/new-lab/empty", data=kept(again.text), headers=OURS)
    assert (done.status_code, done.location) == (302, "/admin/labs/lab-of-patience")
    with app.app_context():
        revision = db.session.query(LabRevision).one()
        assert revision.snapshot["about"].split() == about.split()


def test_a_form_without_texts_is_kept_as_well_and_a_secret_one_is_opened_again_after_signing_in(
    app: Flask, person: Callable[..., Person]
) -> None:
    sent = {"csrf_token": "of yesterday", "seats": "3"}
    admin = person("admin")
    for client, signed_in in ((app.test_client(), False), (admin.sign_in(), True)):
        page = client.post("/reviews/a-lab/settings/intake", data=sent, headers=OURS).text
        assert ("What you sent is kept" in page, 'name="seats" value="3"' in page) == (True, True)
        assert ("Sign in in a new tab</a> if you were signed in" in page) == (not signed_in)
        assert ("Open the form again" in page, "Go back" in page) == (True, False)
        page = client.post("/accounts/change", data={**sent, "password": "x"}, headers=OURS).text
        next_page = "?next=%2Freviews%2Fa-lab%2Fsettings%3Fcycle%3Dfall"
        assert (f'/accounts/login{next_page}">Sign in and open the form again' in page) == (not signed_in)
        assert ("Nothing was saved" in page, "Send it again" in page) == (True, False)
        assert ("have to be given anew" in page, "Go back" in page) == (not signed_in, signed_in)


def test_a_form_with_a_file_is_not_offered_to_be_sent_again_without_it(app: Flask) -> None:
    sent = {"csrf_token": "of yesterday", "lines": TYPED, "file": (io.BytesIO(b"x"), "cv.pdf")}
    answer = app.test_client().post("/reviews/a-lab/settings/intake", data=sent, headers=OURS)
    assert ("Send it again" in answer.text, "readonly>\nTwo weeks" in answer.text) == (False, True)


def test_what_a_page_noted_in_hidden_fields_is_not_given_back_as_typed(app: Flask) -> None:
    notes = {
        "opened_with": '{"answer:why": "03c65d31b259"}',
        "answers-0-asked": "Why a Ph.D., and why now?",
        "seen_works": "two words",
        "version": "8",
    }
    sent = {"csrf_token": "of yesterday", "answers-0-text": TYPED} | notes
    answer = app.test_client().post("/me/application/fall/", data=sent, headers=OURS)
    assert "readonly>\nTwo weeks in May &amp; one in June</textarea>" in answer.text
    assert "Your text</label>" in answer.text
    shown = re.sub(r'<input type="hidden"[^>]*>', "", answer.text)  # what is sent again holds the notes as well
    assert "03c65d31b259" not in shown
    assert "why now?" not in shown


def test_every_hidden_field_of_our_forms_is_known_as_a_note_of_the_page() -> None:
    sources = Path(portal.__file__).parent.rglob("*.py")
    declared = re.compile(r"^    (\w+) = HiddenField\(", re.MULTILINE)
    names = {name for source in sources for name in declared.findall(source.read_text(encoding="utf-8"))}
    assert len(names) > 5
    assert {name for name in names if not is_page_note(name)} == set()


@pytest.mark.parametrize("site", ["cross-site", "same-site", ""])
def test_no_other_site_puts_its_words_on_our_error_page(app: Flask, site: str) -> None:
    sent = {"csrf_token": "made up", "lines": TYPED}
    headers = OURS | {"Sec-Fetch-Site": site}
    answer = app.test_client().post("/reviews/a-lab/settings/intake", data=sent, headers=headers)
    assert answer.status_code == 400
    assert "What you typed" not in answer.text
    assert "May" not in answer.text


@pytest.mark.parametrize("page", ["http://localhost.example/reviews/", "http://localhost//evil.example/"])
def test_a_page_of_another_host_is_no_way_back(app: Flask, page: str) -> None:
    headers = OURS | {"Referer": page}
    answer = app.test_client().post("/reviews/a-lab/settings/intake", data={"lines": TYPED}, headers=headers)
    assert "What you typed" in answer.text
    assert "open the form again" not in answer.text
    assert "evil.example" not in answer.text


def test_a_form_of_too_many_fields_is_refused_for_that_and_not_for_its_size(app: Flask) -> None:
    fields = b"".join(
        b'--edge\r\nContent-Disposition: form-data; name="field%d"\r\n\r\nx\r\n' % at for at in range(1_100)
    )
    kind = "multipart/form-data; boundary=edge"
    answer = app.test_client().post("/accounts/name", data=fields + b"--edge--\r\n", content_type=kind)
    assert answer.status_code == 413
    assert "What was sent has more than 1,000 fields, or a text of more than 2 MB." in answer.text
    assert "smaller file" not in answer.text
    large = b"x" * (app.config["MAX_CONTENT_LENGTH"] + 1)
    answer = app.test_client().post("/accounts/name", data=large, content_type=kind)
    assert answer.status_code == 413
    assert "Choose a smaller file" in answer.text


@pytest.mark.parametrize("body", ['"\\ud800"', '["x"]', '{"text": 5}', '{"letter": "\\ud800"}'])
@pytest.mark.parametrize("address", ["/letters/no-such-token", "/join/no-such-token"])
def test_json_is_no_form(app: Flask, address: str, body: str) -> None:
    answer = app.test_client().post(address, data=body, content_type="application/json")
    assert (answer.status_code, "could not read this request" in answer.text) == (415, True)


def test_programs_still_send_json(app: Flask) -> None:
    answer = app.test_client().post("/api/v1/rank", json={"statement": ""})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("roles", "ways"),
    [
        ((), []),
        (("applicant",), ["/me/"]),
        (("professor",), ["/reviews/"]),
        (("admin",), ["/admin/"]),
        (("professor", "admin"), ["/reviews/", "/admin/"]),
    ],
)
def test_a_page_that_is_not_there_leads_to_where_each_role_of_its_reader_begins(
    client: FlaskClient, person: Callable[..., Person], roles: tuple[str, ...], ways: list[str]
) -> None:
    reader = person(*roles).sign_in() if roles else client
    for address in ("/reviews/no-such-lab/board", "/admin/cycles/no-such-cycle", "/me/no-such-page", "/nowhere"):
        page = reader.get(address)
        if page.status_code == 302:  # a visitor, asked to sign in
            continue
        links = re.findall(r'<li><a href="([^"]+)">', page.text.partition("<main")[2].partition("</main>")[0])
        assert links == [*ways, "/labs/", "/"], address


def test_a_nul_in_an_address_reaches_no_database(app: Flask) -> None:
    with app.test_request_context("/labs/a%00b"), pytest.raises(NotFound):
        app.preprocess_request()
    for path, read in (("/labs/", " "), ("/api/v1/labs", "\0")):
        with app.test_request_context(f"{path}?q=a%00b&q=%00"):
            app.preprocess_request()
            assert request.args.getlist("q") == [f"a{read}b", read]


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_an_error_says_to_programs_what_would_be_allowed(client: FlaskClient, accept: str) -> None:
    refused = client.get("/accounts/news/read", headers={"Accept": accept})
    assert (refused.status_code, set(refused.allow)) == (405, {"POST", "OPTIONS"})
    with client.get("/static/css/base.css", headers={"Accept": accept, "Range": "bytes=9999999-"}) as beyond:
        size = (RESOURCES / "static/css/base.css").stat().st_size
        assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")


def test_an_error_is_kept_apart_for_people_and_programs(client: FlaskClient) -> None:
    for accept in ("text/html", "application/json"):
        answer = client.get("/nowhere", headers={"Accept": accept})
        assert (answer.mimetype, "Accept" in answer.vary) == (accept, True)
