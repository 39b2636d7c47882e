"""One file of a resume may belong to applications of several cycles: it goes with the last row that refers to it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.erasure import erase_application
from portal.applications.files import file_store
from portal.applications.resume import confirm_resume, keep_resume
from portal.db import db
from portal.documents.extraction import pasted
from portal.models import Application, Resume, Submission, User
from tests.admission import add_admission
from tests.applications.resume_form import files_in

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIRST, SECOND = "The first resume, about serving language models.", "The second resume, about compilers."


def hand_in(app: Flask, person: Person, text: str) -> None:
    session, user = db.session(), db.session.get_one(User, person.id)
    read = pasted(text)
    resume = keep_resume(session, file_store(app), user, read, data=text.encode(), filename="cv.txt", now=NOW)
    confirm_resume(session, user, sha256=resume.sha256, now=NOW)
    session.commit()


def erase(app: Flask, application_id: int) -> None:
    erase_application(db.session(), file_store(app), db.session.get_one(Application, application_id), now=NOW)
    db.session.commit()


def contents(app: Flask) -> list[str]:
    return sorted(path.read_text() for path in files_in(app))


def test_what_the_retention_of_one_cycle_erases_leaves_the_files_of_another_and_of_the_person(app: Flask) -> None:
    with app.app_context():
        earlier = add_admission(app, now=NOW)
        earlier.add_lab("Ada Lab")
        later = add_admission(app, now=NOW)
        later.labs = earlier.labs
        person = earlier.add_applicant("Li Wei")
        hand_in(app, person, FIRST)
        first, second = (admission.submitted(person, "Ada Lab").id for admission in (earlier, later))
        erase(app, first)
        resume, submission = db.session.scalars(select(Resume)).one(), db.session.scalars(select(Submission)).one()
        assert (resume.storage_key, contents(app)) == (submission.storage_key, [FIRST])

        hand_in(app, person, SECOND)
        assert contents(app) == [FIRST, SECOND]
        erase(app, second)
        assert contents(app) == [SECOND]


def test_who_hands_in_a_resume_again_whose_file_was_lost_has_it_again(app: Flask) -> None:
    with app.app_context():
        person = add_admission(app, now=NOW).add_applicant("Li Wei")
        hand_in(app, person, FIRST)
        (lost,) = files_in(app)
        hand_in(app, person, FIRST)
        assert files_in(app) == [lost]
        lost.unlink()
        hand_in(app, person, FIRST)
        assert contents(app) == [FIRST]
        assert file_store(app).get(db.session.scalars(select(Resume.storage_key)).one()) == FIRST.encode()
