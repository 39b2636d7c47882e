"""Documents that a cycle asks for: uploaded on the form, kept as they were submitted, read by the labs."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store, orphans
from portal.applications.missing import lacking
from portal.models import Application, Document, LabReviewing, Submission
from tests.admission import add_admission
from tests.applications.admission_pages import Applying, main_text, pages_of, with_labs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from werkzeug.test import TestResponse

    from tests.admission import Admission
    from tests.people import Person

TEXT = b"Transcript of records. Compilers: A. Operating systems: A. Numerical analysis: B. " * 3
PROGRAM = b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8" + bytes(100)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that asks for a transcript, and for a certificate if there is one."""
    asked = [
        {"key": "transcript", "text": "Transcript", "required": True},
        {"key": "certificate", "text": "Certificate", "required": False},
    ]
    with app.app_context():
        yield with_labs(add_admission(app, documents=asked))


@pytest.fixture
def person(admission: Admission) -> Person:
    person = admission.add_applicant("Hidden Name")
    admission.draft(person, "Systems")
    return person


@pytest.fixture
def me(admission: Admission, person: Person) -> Applying:
    return pages_of(person, admission)


def upload(me: Applying, data: bytes = TEXT, key: str = "transcript", name: str = "marks.txt") -> TestResponse:
    file: dict[str, Any] = {f"document-{key}": (BytesIO(data), name)}
    return me.send(**me.form(), upload=key, **file)


def kept(admission: Admission) -> list[str]:
    return [file.key for file in file_store(admission.app).list("documents")]


def test_a_document_that_is_required_is_uploaded_replaced_and_removed(admission: Admission, me: Applying) -> None:
    page = main_text(me.read())
    assert ("4 of 5 steps done" in page, "1 field left" in page, "Transcript (required)" in page) == (True, True, True)
    assert upload(me).headers["Location"] == f"{me.page}#documents"
    page = main_text(me.read())
    assert ("5 of 5 steps done" in page, "marks.txt" in page) == (True, True)
    assert me.client.get(f"{me.page}documents/transcript").data == TEXT
    first = kept(admission)
    upload(me, TEXT + b"More.", name="../new <b>.txt")
    assert (len(kept(admission)), kept(admission) == first) == (1, False)
    assert "new b .txt" in main_text(me.read())
    me.send(**me.form(), remove_document="transcript")
    assert (kept(admission), me.client.get(f"{me.page}documents/transcript").status_code) == ([], 404)


def test_what_cannot_be_read_is_refused_with_a_reason_and_changes_nothing(admission: Admission, me: Applying) -> None:
    upload(me)
    before = kept(admission)
    for data, name in ((PROGRAM, "marks.pdf"), (b"", "empty.txt")):
        upload(me, data, name=name)
        assert "Transcript: not uploaded." in me.read()
    assert me.send(**me.form(), upload="transcript").status_code == 302
    assert "Choose a file first." in me.read()
    assert upload(me, key="no-such").status_code == 302
    assert kept(admission) == before


def test_what_was_typed_is_saved_with_a_file_whichever_button_sends_it(admission: Admission, me: Applying) -> None:
    typed = {**me.form(), "choices-0-reason": "Typed just before."}
    file: dict[str, Any] = {"document-transcript": (BytesIO(PROGRAM), "marks.pdf")}
    me.send(**typed, upload="transcript", **file)
    page = me.read()
    assert ("Transcript: not uploaded." in page, "Typed just before." in page) == (True, True)
    file = {"document-certificate": (BytesIO(TEXT), "mine.txt")}
    answer = me.send(**{**me.form(), "choices-0-reason": "And after."}, then="submit", **file)
    assert answer.headers["Location"] == f"{me.page}submit"
    assert ("And after." in me.read(), len(kept(admission))) == (True, 1)


def test_a_form_that_cannot_be_saved_takes_no_file_and_keeps_what_was_typed(admission: Admission, me: Applying) -> None:
    long = "Far too long. " * 200
    file: dict[str, Any] = {"document-transcript": (BytesIO(TEXT), "marks.txt")}
    answer = me.send(**{**me.form(), "choices-0-reason": long}, upload="transcript", **file)
    assert answer.status_code == 422
    assert (long.strip() in answer.text, "The file was not uploaded" in answer.text) == (True, True)
    assert kept(admission) == []


def test_a_request_that_is_too_large_to_be_read_shows_the_form_and_the_way_back(
    admission: Admission, me: Applying
) -> None:
    answer = upload(me, b"x" * (admission.app.config["MAX_CONTENT_LENGTH"] + 1))
    assert answer.status_code == 413
    assert ("at most 5 MB can be read" in answer.text, "go one page back" in answer.text) == (True, True)
    assert 'class="application-form"' in answer.text
    answer.request.environ["wsgi.input"].close()


def test_labs_and_administrators_read_what_was_submitted(admission: Admission, me: Applying) -> None:
    upload(me)
    assert me.send("submit", **me.to_submit()).headers["Location"] == f"{me.page}receipt"
    sent = admission.session.scalars(select(Document)).one()
    me.send("edit")
    upload(me, b"Another one, which is not submitted. " * 9)
    assert len(kept(admission)) == 2
    me.send("restore")
    assert me.client.get(f"{me.page}documents/transcript").data == TEXT  # as it was submitted, like all the rest
    admission.session.expire_all()
    application = admission.session.scalars(select(Application)).one()
    admission.after_deadline()
    admission.one_move(application, "mark_eligible", "admin")
    choice = admission.choice(application, "Systems")
    one = f"/reviews/systems/choices/{choice.id}"
    leader = admission.leaders["Systems"].sign_in()
    assert f'href="{one}/documents/{sent.id}"' in leader.get(one).text
    assert leader.get(f"{one}/documents/{sent.id}").data == TEXT
    other = admission.session.scalars(select(Document).where(Document.id != sent.id)).one()
    assert leader.get(f"{one}/documents/{other.id}").status_code == 404
    assert admission.leaders["Vision"].sign_in().get(f"{one}/documents/{sent.id}").status_code in {403, 404}
    admin = f"/admin/cycles/{admission.cycle.slug}/applications/{application.id}"
    assert admission.admin.sign_in().get(f"{admin}/documents/{sent.id}").data == TEXT
    admission.session.add(LabReviewing(lab_id=admission.labs["Systems"], blind_first=True, changed_at=admission.now))
    admission.session.commit()
    assert (f"documents/{sent.id}" in leader.get(one).text, leader.get(f"{one}/documents/{sent.id}").status_code) == (
        False,
        403,
    )


def test_what_is_asked_for_since_is_missing_from_what_was_submitted(admission: Admission, me: Applying) -> None:
    upload(me)
    me.send("submit", **me.to_submit())
    assert lacking(admission.session, admission.cycle) == []
    admission.cycle.documents = [{**asked, "required": True} for asked in admission.cycle.documents or ()]
    admission.session.commit()
    assert [each.items for each in lacking(admission.session, admission.cycle)] == [("the document “Certificate”",)]


def test_what_is_asked_for_no_more_and_stands_on_no_form_is_not_submitted(admission: Admission, me: Applying) -> None:
    upload(me)
    upload(me, key="certificate")
    admission.cycle.documents = (admission.cycle.documents or [])[:1]
    admission.session.commit()
    assert me.client.get(f"{me.page}documents/certificate").status_code == 404
    me.send("submit", **me.to_submit())
    transcript = select(Document.id).where(Document.key == "transcript")
    assert admission.session.scalars(select(Submission)).one().document_ids == [admission.session.scalar(transcript)]


def test_documents_are_no_orphans_and_go_with_what_is_erased(
    admission: Admission, person: Person, me: Applying
) -> None:
    upload(me)
    session, files = admission.session, file_store(admission.app)
    assert orphans(session, files, now=admission.later(days=3)) == []
    assert '"kind": "txt"' in me.client.get("/me/export").text.partition('"documents"')[2]
    erase_everything(session, files, admission.user(person), now=admission.now)
    session.commit()
    assert (kept(admission), session.scalars(select(Document)).all()) == ([], [])


def test_after_the_deadline_nothing_is_uploaded(admission: Admission, me: Applying) -> None:
    admission.cycle.deadline_at = admission.cycle.opens_at.replace(year=admission.cycle.opens_at.year - 1)
    admission.cycle.opens_at = admission.cycle.deadline_at.replace(year=admission.cycle.deadline_at.year - 1)
    admission.session.commit()
    upload(me)
    assert "Transcript: not uploaded. The deadline of" in me.client.get("/me/").text
    assert kept(admission) == []
