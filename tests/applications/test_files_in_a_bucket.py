"""Files kept in a bucket: what people hand in, read and erase, and what they are told while the service is away."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from portal.applications.files import sweep_files
from portal.cli import group
from portal.db import db
from tests.applications.resume_form import PAGE, RESUME, upload
from tests.documents.pdfs import resume_pdf
from tests.people import submit
from tests.s3_server import BUCKET

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person
    from tests.s3_server import S3Server

SORRY = "We cannot keep files at the moment; the fault is on our side, not in your file."
SECRETS = ("secret-of-tests", "key-of-tests", "Signature=")


@pytest.fixture
def settings(settings: dict[str, str], s3: S3Server) -> dict[str, str]:
    assert s3.address
    return {**settings, "PORTAL_FILES_URL": f"s3://{BUCKET}/portal", "PORTAL_SECRET_KEY": "k" * 32}


def handed_in(client: FlaskClient) -> TestResponse:
    answer = upload(client, resume_pdf(), "cv.pdf")
    assert answer.location == "/me/resume/text"
    return answer


def test_building_the_application_asks_nothing_of_the_service(app: Flask, s3: S3Server) -> None:
    # Its client is of no use any more in a process that is forked after it was at work.
    assert app.extensions["portal_files"].place.name == BUCKET
    assert s3.asked == []


def test_a_resume_is_kept_read_on_another_host_replaced_and_erased(
    me: FlaskClient, s3: S3Server, settings: dict[str, str], applicant: Person, tmp_path: Path
) -> None:
    handed_in(me)
    (key,) = s3.objects
    assert key.startswith(f"portal/resumes/{applicant.id}/")
    here = Path(settings["PORTAL_INSTANCE"])
    database = {"PORTAL_DATABASE_URL": f"sqlite:///{here / 'portal.sqlite'}"}
    other = create_app({**database, **settings, "PORTAL_INSTANCE": str(tmp_path / "elsewhere")})
    there = replace(applicant, app=other).sign_in()
    assert there.get("/me/resume/file").data == resume_pdf()
    with other.app_context():
        db.engine.dispose()
    upload(me, RESUME.encode())
    (second,) = s3.objects
    assert second != key
    assert submit(me, "/me/erase", {"sure": "yes"}).status_code == 302
    assert s3.objects == {}
    assert not any((folder / "uploads").exists() for folder in (here, tmp_path / "elsewhere"))


@pytest.mark.parametrize(("status", "code"), [(403, "AccessDenied"), (404, "NoSuchBucket"), (507, "QuotaExceeded")])
def test_while_the_service_refuses_nothing_is_half_done(
    me: FlaskClient, s3: S3Server, caplog: pytest.LogCaptureFixture, status: int, code: str
) -> None:
    handed_in(me)
    (key,) = s3.objects
    s3.fail(status, code)
    answer = upload(me, RESUME.encode())
    assert (answer.status_code, SORRY in answer.text) == (503, True)
    assert "cv.pdf" in me.get(PAGE).text
    assert f"{status} {code}" in caplog.text
    assert not any(secret in caplog.text for secret in SECRETS)
    assert submit(me, PAGE, {"text": RESUME, "use": "text"}).status_code == 302  # words need no file
    assert "could not be removed" in caplog.text
    assert list(s3.objects) == [key]


def test_a_file_that_cannot_be_read_now_is_no_file_that_is_gone(app: Flask, me: FlaskClient, s3: S3Server) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    handed_in(me)
    for status, code in ((503, "SlowDown"), (404, "NoSuchBucket")):
        s3.fail(status, code)
        answer = me.get("/me/resume/file")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
        assert "The portal cannot get at its data just now" in answer.text
    s3.failure = None
    s3.objects.clear()
    assert me.get("/me/resume/file").status_code == 404


def test_readiness_tells_of_the_service(client: FlaskClient, s3: S3Server, caplog: pytest.LogCaptureFixture) -> None:
    assert client.get("/readyz").status_code == 200
    s3.fail(403, "InvalidAccessKeyId")
    answer = client.get("/readyz")
    assert (answer.status_code, "files cannot be kept" in answer.get_json()["reason"]) == (503, True)
    assert client.get("/healthz").status_code == 200
    assert "403 InvalidAccessKeyId" in caplog.text
    assert not any(secret in caplog.text + answer.text for secret in SECRETS)


def test_files_that_nothing_refers_to_are_swept_and_a_service_that_refuses_ends_it_with_a_sentence(
    me: FlaskClient,
    s3: S3Server,
    settings: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed_in(me)
    old = datetime.now(UTC) - timedelta(days=2)
    keys = {*s3.objects, *(f"portal/resumes/1/orphan-{number}" for number in range(4))}
    s3.objects.update(dict.fromkeys(keys, (b"resume", old)))
    said = me.application.test_cli_runner().invoke(sweep_files, ["--delete"]).output
    assert said.endswith("4 deleted.\n")
    assert len(s3.objects) == 1
    s3.fail(403, "AccessDenied")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        group.main(["sweep-files"], prog_name="portal")
    told = capsys.readouterr().err
    assert (ended.value.code, told.startswith(f"Error: s3://{BUCKET}/portal at http://127.0.0.1")) == (1, True)
    assert told.endswith("cannot be used: 403 AccessDenied\n")


def test_administrators_see_where_files_are_and_that_they_cannot_be_had(admin: Person, s3: S3Server) -> None:
    client = admin.sign_in()
    assert f"s3://{BUCKET}/portal" in client.get("/admin/operations").text
    s3.fail(403, "AccessDenied")
    page = client.get("/admin/operations")
    assert (page.status_code, "Files can be neither stored nor read:" in page.text) == (200, True)
    assert "403 AccessDenied" in page.text
