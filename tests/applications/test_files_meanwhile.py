"""A resume that is replaced in the moment of a submission, and a letter that arrives in that of an erasure."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.applications.application.submission import submit
from portal.applications.erasure import erase_application, erase_everything
from portal.applications.files import file_store
from portal.applications.referees.service import Letter, LinkClosed, ask, send_letter
from portal.applications.resume import confirm_resume, keep_resume
from portal.db import db
from portal.documents.extraction import pasted
from portal.models import Application, Referee, Resume, Submission, User
from tests.admission import add_admission
from tests.applications.resume_form import files_in
from tests.databases import application_over
from tests.meanwhile import meanwhile
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission
    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def app(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
    """The application over each database."""
    with application_over(request, settings) as application:
        yield application


def _keep_resume(app: Flask, user_id: int, text: str) -> Resume:
    session = db.session()
    user = session.get_one(User, user_id)
    read = pasted(text)
    resume = keep_resume(session, file_store(app), user, read, data=text.encode(), filename="cv.txt", now=NOW)
    return confirm_resume(session, user, sha256=resume.sha256, now=NOW)


def _draft(app: Flask, referees: int = 0) -> tuple[Admission, Person, int]:
    """An application that can be submitted, whose resume is a file."""
    admission = add_admission(app, now=NOW, referees=referees)
    admission.add_lab("Ada Lab")
    person = admission.add_applicant("Li Wei")
    draft = admission.draft(person, "Ada Lab")
    _keep_resume(app, person.id, "The first resume, about serving language models.")
    db.session.commit()
    return admission, person, draft.id


def test_the_resume_of_a_submission_is_kept_though_it_is_replaced_in_that_moment(app: Flask) -> None:
    _, person, draft = _draft(app)
    application = db.session.get_one(Application, draft)
    applicant = application.applicant
    with meanwhile(
        app, "INSERT INTO submission", lambda: _keep_resume(app, person.id, "The second resume, about compilers.")
    ):
        submit(db.session(), None, application, actor=applicant, now=NOW)
        db.session.commit()
    db.session.expire_all()
    submission = db.session.scalars(select(Submission)).one()
    assert submission.storage_key
    assert file_store(app).get(submission.storage_key).decode() == submission.resume_text.strip()


@pytest.mark.parametrize("erased", ["everything", "one application"])
def test_a_letter_that_arrives_in_the_moment_of_an_erasure_leaves_no_file(app: Flask, erased: str) -> None:
    admission, person, draft = _draft(app, referees=1)
    session, files = db.session(), file_store(app)
    application = session.get_one(Application, draft)
    actor = admission.user(person)
    referee_id = ask(session, application, "Ada", "ada@example.edu", "My thesis", actor=actor, now=NOW).id
    session.commit()

    def send() -> None:
        letter = Letter("A letter of praise.", "txt", b"A letter of praise.", "letter.txt")
        with suppress(LinkClosed):
            send_letter(db.session(), files, db.session.get_one(Referee, referee_id), letter, now=NOW)

    applicant = admission.user(person)
    with meanwhile(app, "DELETE FROM notification", send):
        if erased == "everything":
            erase_everything(session, files, applicant, now=NOW)
        else:
            erase_application(session, files, application, now=NOW)
        session.commit()
    assert [path for path in files_in(app) if "letters" in path.parts] == []


def test_who_deletes_a_resume_in_the_moment_in_which_it_is_replaced_leaves_no_file(app: Flask) -> None:
    _, person, _ = _draft(app)
    client = person.sign_in()
    token = csrf_token(client, "/me/resume/delete")
    with meanwhile(app, "UPDATE user_account", lambda: _keep_resume(app, person.id, "The second resume.")):
        answer = client.post("/me/resume/delete", data={"csrf_token": token})
    assert (answer.location, files_in(app)) == ("/me/resume", [])
