from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from portal.documents.refusals import Busy, ReaderFailed
from tests.applications.resume_form import MEBIBYTE, PAGE, RESUME, TEXT, confirm, files_in, paste, send_large, upload
from tests.documents.docxs import resume_docx
from tests.documents.pdfs import encrypted_pdf, pdf_of_pages, resume_pdf, scanned_pdf
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.models import Resume
    from tests.admission import Admission
    from tests.people import Person


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (RESUME.encode(), "cv.txt", "txt"),
        (resume_pdf(), "cv.pdf", "pdf"),
        (resume_docx(), "cv.docx", "docx"),
        (resume_pdf(), "cv.txt", "pdf"),
    ],
)
def test_a_file_is_read_by_its_content_and_its_text_is_shown(
    me: FlaskClient, stored_resume: Callable[[], Resume | None], data: bytes, name: str, kind: str
) -> None:
    answer = upload(me, data, name)
    assert answer.headers["Location"] == TEXT
    resume = stored_resume()
    assert resume is not None
    assert (resume.kind, resume.filename, resume.size, resume.confirmed_at) == (kind, name, len(data), None)
    page = me.get(TEXT).text
    assert "This is my resume, use it" in page
    assert "scheduler" in page or resume.text.split()[-1].strip(".") in page


def test_a_confirmed_resume_says_so(me: FlaskClient, stored_resume: Callable[[], Resume | None]) -> None:
    upload(me, RESUME.encode())
    resume = stored_resume()
    assert resume is not None
    assert confirm(me, resume).headers["Location"] == "/me/matches"
    resume = stored_resume()
    assert resume is not None
    assert resume.confirmed_at is not None
    page = me.get(TEXT).text
    assert "This text counts in your matches" in page
    assert "This is my resume, use it" not in page


def test_a_page_that_shows_a_replaced_resume_cannot_confirm_the_new_one(
    me: FlaskClient, stored_resume: Callable[[], Resume | None]
) -> None:
    upload(me, RESUME.encode())
    seen = stored_resume()
    assert seen is not None
    seen_digest = seen.sha256
    paste(me, "Another resume.")
    answer = submit(me, TEXT, {"sha256": seen_digest})
    assert answer.headers["Location"] == TEXT
    page = me.get(TEXT).text
    assert "Your resume was replaced in another tab." in page
    assert "Another resume." in page
    resume = stored_resume()
    assert resume is not None
    assert resume.confirmed_at is None


def test_what_matching_does_not_read_is_shown(me: FlaskClient) -> None:
    upload(me, RESUME.encode())
    page = me.get(TEXT).text
    assert '<s class="left-out">Mei Lin</s>' in page
    assert '<s class="left-out">mei@example.edu</s>' in page
    assert "I built a scheduler for LLM serving on GPU clusters." in page


def test_text_is_pasted_instead(app: Flask, me: FlaskClient, stored_resume: Callable[[], Resume | None]) -> None:
    assert paste(me, RESUME).headers["Location"] == TEXT
    resume = stored_resume()
    assert resume is not None
    assert (resume.kind, resume.filename, resume.storage_key) == ("pasted", "", "")
    assert files_in(app) == []
    assert me.get("/me/resume/file").status_code == 404
    assert "This cannot be undone: the text is deleted." in me.get("/me/resume/delete").text


def test_the_own_file_is_downloaded_and_never_opened_in_the_page(me: FlaskClient) -> None:
    data = resume_pdf()
    upload(me, data, "../../My résumé <b>.exe\x00.pdf")
    answer = me.get("/me/resume/file")
    assert answer.data == data
    assert answer.mimetype == "application/pdf"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert ".pdf" in answer.headers["Content-Disposition"]
    assert "/" not in answer.headers["Content-Disposition"].partition("filename")[2].replace("UTF-8''", "")
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_nobody_else_gets_the_file(me: FlaskClient, person: Callable[..., Person]) -> None:
    upload(me, RESUME.encode())
    assert person("applicant").sign_in().get("/me/resume/file").status_code == 404
    assert person("professor").sign_in().get("/me/resume/file").status_code == 403
    assert person("admin").sign_in().get("/me/resume/file").status_code == 403


def test_a_file_that_is_gone_is_no_crash(app: Flask, me: FlaskClient) -> None:
    upload(me, RESUME.encode())
    for path in files_in(app):
        path.unlink()
    assert me.get("/me/resume/file").status_code == 404
    assert me.get(TEXT).status_code == 200


def test_a_replaced_file_is_removed(app: Flask, me: FlaskClient) -> None:
    upload(me, b"The old one.")
    upload(me, b"The new one.")
    assert [path.read_bytes() for path in files_in(app)] == [b"The new one."]


def test_deleting_is_asked_first_and_then_done(
    app: Flask, me: FlaskClient, stored_resume: Callable[[], Resume | None]
) -> None:
    upload(me, RESUME.encode())
    assert "This cannot be undone: the text and the file are deleted." in me.get("/me/resume/delete").text
    assert stored_resume() is not None
    assert submit(me, "/me/resume/delete", {}).headers["Location"] == PAGE
    assert stored_resume() is None
    assert files_in(app) == []
    assert me.get("/me/resume/delete").headers["Location"] == PAGE


def test_who_has_submitted_it_is_not_told_that_nobody_sees_it_any_more(admission: Admission) -> None:
    person, page = admission.add_applicant(), "/me/resume/delete"
    me = person.sign_in()
    admission.draft(person, "Systems")
    admission.submitted(person, "Systems")
    told = "An application that you submitted keeps its own copy."
    assert told in me.get(page).text


def test_without_a_resume_its_text_leads_to_the_form(me: FlaskClient) -> None:
    assert me.get(TEXT).headers["Location"] == PAGE


def test_markup_in_a_resume_is_shown_as_text(me: FlaskClient) -> None:
    paste(me, "I like <script>alert(1)</script> and <img src=x onerror=alert(1)> & queues.")
    page = me.get(TEXT).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "cv.pdf", "This file is empty."),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "cv.pdf", "This is a PNG picture."),
        (scanned_pdf(), "cv.pdf", "its pages are pictures of text (a scan)"),
        (encrypted_pdf(), "cv.pdf", "protected with a password"),
        (pdf_of_pages(21), "cv.pdf", "This document has 21 pages; at most 20 can be read."),
        (resume_pdf()[:300], "cv.pdf", "the file seems to be damaged or incomplete"),
        (b"MZ" + bytes(range(256)) * 4, "cv.docx", "This is a program."),
        (b"<html><script>alert(1)</script></html>", "cv.txt", "This is a web page"),
        (os.urandom(4_096), "cv.pdf", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason_and_typed_text_stays(
    app: Flask, me: FlaskClient, stored_resume: Callable[[], Resume | None], data: bytes, name: str, reason: str
) -> None:
    answer = upload(me, data, name, text="What I typed.")
    assert answer.status_code == 422
    assert reason in answer.text
    assert "field-error" in answer.text
    assert "What I typed." in answer.text
    assert stored_resume() is None
    assert files_in(app) == []


def test_a_refused_file_leaves_the_resume_that_is_there(
    me: FlaskClient, stored_resume: Callable[[], Resume | None]
) -> None:
    upload(me, RESUME.encode())
    assert upload(me, scanned_pdf(), "scan.pdf").status_code == 422
    resume = stored_resume()
    assert resume is not None
    assert resume.filename == "cv.txt"


@pytest.mark.parametrize("use", ["file", "text", None])
def test_nothing_handed_in_says_what_to_do(me: FlaskClient, use: str | None) -> None:
    answer = submit(me, PAGE, {"text": " \n", **({"use": use} if use else {})})
    assert answer.status_code == 422
    assert "Choose a file, or paste the text of your resume below." in answer.text


def test_the_button_says_whether_the_file_or_the_text_is_meant(
    me: FlaskClient, stored_resume: Callable[[], Resume | None]
) -> None:
    upload(me, b"From the file.", text="From the box.", use="text")
    resume = stored_resume()
    assert resume is not None
    assert resume.text == "From the box."
    upload(me, b"From the file.", text="From the box.", use="file")
    resume = stored_resume()
    assert resume is not None
    assert resume.text == "From the file."


def test_a_text_that_is_too_long_is_refused_and_kept(me: FlaskClient) -> None:
    answer = paste(me, "long text " * 6_001)
    assert answer.status_code == 422
    assert "at most 60,000 can be kept" in answer.text
    assert answer.text.count("long text ") == 6_000


def test_a_file_over_the_limit_is_refused_beside_its_field(me: FlaskClient) -> None:
    answer = send_large(me, resume=b"x" * (5 * MEBIBYTE + 1))
    assert answer.status_code == 413
    assert "at most 5 MB can be read" in answer.text
    assert "field-error" in answer.text


def test_a_request_too_large_to_be_read_is_answered_with_the_form(me: FlaskClient) -> None:
    answer = send_large(me, resume=b"x" * (8 * MEBIBYTE))
    assert answer.status_code == 413
    assert "<h1>Resume</h1>" in answer.text
    assert "at most 5 MB can be read" in answer.text


def test_a_pasted_text_too_large_to_be_read_is_answered_with_the_form(me: FlaskClient) -> None:
    answer = send_large(me, text=b"x" * (3 * MEBIBYTE), use=b"text")
    assert answer.status_code == 413
    assert "<h1>Resume</h1>" in answer.text
    assert "a text of more than 2 MB. Nothing of it was saved." in answer.text
    assert "This file has" not in answer.text


def test_a_form_of_too_many_fields_is_not_called_a_large_file(me: FlaskClient) -> None:
    answer = send_large(me, use=b"text", **{f"field{number}": b"" for number in range(1_100)})
    assert answer.status_code == 413
    assert "<h1>Resume</h1>" in answer.text
    assert "more than 1,000 fields" in answer.text
    assert "MB; at most" not in answer.text


def test_a_form_without_its_token_comes_back_with_the_text(
    me: FlaskClient, stored_resume: Callable[[], Resume | None]
) -> None:
    answer = me.post(PAGE, data={"text": "What I typed.", "use": "text"})
    assert answer.status_code == 400
    assert "Nothing was saved yet." in answer.text
    assert "What I typed." in answer.text
    assert stored_resume() is None


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        (Busy(), 503, "Choose it again in a minute, or paste the text instead."),
        (ReaderFailed("no child"), 503, "the fault is on our side, not in your file"),
    ],
)
def test_when_files_cannot_be_read_now_the_text_stays(
    me: FlaskClient, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, words: str
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise failure

    monkeypatch.setattr("portal.applications.files.extract", fail)
    answer = upload(me, RESUME.encode(), text="What I typed.")
    assert answer.status_code == status
    assert words in answer.text
    assert "What I typed." in answer.text


def test_many_uploads_in_a_minute_are_slowed_down_kindly(me: FlaskClient) -> None:
    for _ in range(6):
        assert upload(me, b"").status_code == 422
    answer = upload(me, RESUME.encode(), text="What I typed.")
    assert answer.status_code == 429
    assert "You sent many files in a short time. Wait " in answer.text
    assert "What I typed." in answer.text
    assert paste(me, RESUME).status_code == 302


def test_the_limit_of_one_person_is_not_that_of_another(me: FlaskClient, person: Callable[..., Person]) -> None:
    for _ in range(7):
        upload(me, b"")
    assert upload(person("applicant").sign_in(), RESUME.encode()).status_code == 302
