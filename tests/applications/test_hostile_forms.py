"""The applicant's forms take whatever is sent: no fault, nothing repeated as markup or without bound, no other's data
changed.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import Application, Choice, Document, Interests, Referee, SavedLab
from portal.web.limits import limiter
from tests.accounts.test_hostile_forms import HOSTILE, MARKUP
from tests.admission import add_admission
from tests.applications.admission_pages import past_admission, with_labs
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission

TIMES = 9
"""That a form is sent, each time with other values in its fields."""
FIELDS: dict[str, tuple[str, ...]] = {
    "interests": (
        "version", "opened_with", "topics-0-text", "topics-0-weight", "topics-9999999999-text", "topics-x-text",
        "statement", "education", "degree-values", "place-values", "discoverable", "add_topic", "remove_topic", "then",
    ),
    "resume": ("use", "text", "resume"),
    "resume/text": ("sha256",),
    "matches/weights": ("version", "as_typed", "resume-weight", "weight-0123456789"),
    "labs/systems": ("act", "next"),
    "application/{}/": (
        "version", "opened_with", "choices-0-lab", "choices-0-reason", "choices-9999-lab", "answers-0-key",
        "answers-0-text", "referees-0-name", "referees-0-email", "referees-0-relation", "add", "remove", "up", "down",
        "ask", "then", "upload", "remove_document", "document-transcript",
    ),
    "application/{}/submit": ("version", "after"),
    "application/{}/edit": ("version",),
    "application/{}/restore": ("version",),
    "application/{}/withdraw": ("sure",),
    "application/{}/interview": ("lab", "slot"),
    "application/{}/labs/systems/accept": ("sure",),
    "application/{}/referees": ("name", "email", "relation"),
    "application/{}/referees/1/remove": ("sure",),
    "invitations/1": ("answer",),
}  # fmt: skip


def rounds(fields: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Hostile values in all fields: in each another one each time; at last the same one in all."""
    for at in range(TIMES):
        yield {name: HOSTILE[(5 * at + 3 * place) % len(HOSTILE)] for place, name in enumerate(fields)}
    for value in (MARKUP, "x" * 100_000, "\0"):
        yield dict.fromkeys(fields, value)


def answered(client: FlaskClient, path: str, sent: dict[str, object], accept: str = "text/html") -> None:
    """Send a form without limits; it is answered, and nothing of it comes back as markup or in an address."""
    limiter.storage.reset()
    answer = client.post(path, data=sent, headers={"Accept": accept})
    said = (path, {name: str(value)[:60] for name, value in sent.items()})
    assert (said, answer.status_code < 500) == (said, True)
    assert (said, MARKUP in answer.text and accept == "text/html") == (said, False)
    assert (said, len(answer.headers.get("Location", "")) < 2_000) == (said, True)


@pytest.fixture(params=["open", "past"])
def admission(app: Flask, request: pytest.FixtureRequest) -> Iterator[Admission]:
    documents = [{"key": "transcript", "text": "Transcript", "required": False}]
    questions = [{"key": "why", "text": "Why?", "required": True}]
    with app.app_context():
        if request.param == "past":
            yield past_admission(app)
        else:
            yield with_labs(add_admission(app, documents=documents, questions=questions, referees=1))


@pytest.mark.parametrize("form", FIELDS)
def test_every_form_of_an_applicant_takes_hostile_values(admission: Admission, form: str) -> None:
    other, person = admission.add_applicant("Somebody Else"), admission.add_applicant()
    theirs = admission.draft(other, "Systems")
    admission.draft(person, "Systems", "Vision")
    before = stored_of(admission, other.id, theirs.id)
    client = person.sign_in()
    token = csrf_token(client, "/accounts/name")
    path = f"/me/{form.format(admission.cycle.slug)}"
    for sent in rounds(FIELDS[form]):
        answered(client, path, {"csrf_token": token, **sent})
        answered(client, path, {"csrf_token": token, **sent}, accept="application/json")
    files = {name: (BytesIO(b"%PDF-1.7 " + MARKUP.encode()), MARKUP) for name in FIELDS[form]}
    answered(client, path, {"csrf_token": token, **files})
    assert client.get("/me/").status_code == 200
    assert stored_of(admission, other.id, theirs.id) == before


def stored_of(admission: Admission, user_id: int, application_id: int) -> list[object]:
    """What somebody else has stated and chosen."""
    session = admission.session
    session.rollback()
    session.expire_all()
    application = session.get_one(Application, application_id)
    rows = select(Choice.lab_id, Choice.position, Choice.reason).where(Choice.application_id == application_id)
    counts = [
        len(session.scalars(select(table).where(table.application_id == application_id)).all())
        for table in (Document, Referee)
    ]
    own = [len(session.scalars(select(table).where(table.user_id == user_id)).all()) for table in (Interests, SavedLab)]
    return [application.state, application.version, session.execute(rows).all(), counts, own]
