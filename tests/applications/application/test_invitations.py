"""Invitations by labs and what follows from the answers; labs side by side; taking one's data along and deleting it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, func, select

from portal.applications.application.invitations import answer_invitation, open_invitations
from portal.applications.cycles import application_of, last_submission
from portal.applications.files import file_store, orphans
from portal.applications.interests.service import query_of
from portal.applications.locks import Refusal
from portal.applications.matches import columns
from portal.applications.sharing import shares_of
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.service import create_lab
from portal.models import (
    Application,
    Choice,
    Decision,
    InterviewSlot,
    Invitation,
    MatchRecord,
    MoveRecord,
    Notification,
    OutboxMail,
    Referee,
    Submission,
)
from portal.models.application import LabShare
from portal.seeding.records import LabRecord, OpeningRecord
from tests.admission import Admission, add_admission
from tests.applications.admission_pages import Applying, main_text
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.people import Person

LABS = ("Systems", "Vision", "Robots")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app, most_choices=2)
        for name in LABS:
            one.add_lab(name)
        yield one


def invite(admission: Admission, person: Person, lab: str) -> int:
    row = Invitation(
        lab_id=admission.labs[lab], applicant_id=person.id, message="Come to us <b>.", invited_at=admission.now
    )
    admission.session.add(row)
    admission.session.commit()
    return row.id


def answer(me: Applying, number: int, given: str) -> str:
    """Where the answer leads, or its status."""
    response = me.client.post(f"/me/invitations/{number}", data={"csrf_token": me.client_token(), "answer": given})
    return response.headers.get("Location", str(response.status_code))


def told(admission: Admission, lab: str) -> int:
    """How many pieces of news of answered invitations the lab's leader has."""
    query = select(func.count()).select_from(Notification)
    leader = admission.leaders[lab].id
    found = query.where(Notification.user_id == leader, Notification.kind == "invitation_answered")
    return admission.session.scalar(found) or 0


def test_an_accepted_invitation_puts_the_lab_on_the_draft_once(admission: Admission) -> None:
    person = admission.add_applicant()
    me = Applying(person.sign_in(), admission.cycle.slug)
    number = invite(admission, person, "Systems")
    assert "Come to us <b>." in main_text(me.client.get("/me/").text)
    assert [answer(me, number, "accepted") for _click in range(2)] == [f"{me.page}#choices", "/me/"]
    fresh(admission)
    application = application_of(admission.session, admission.user(person), admission.cycle)
    assert application is not None
    assert [choice.lab.name for choice in application.choices] == ["Systems"]
    assert (told(admission, "Systems"), list(open_invitations(admission.session, admission.user(person)))) == (1, [])
    assert answer(me, number, "refused") == "/me/"
    assert "You accepted this invitation before." in me.client.get("/me/").text


def test_where_no_lab_can_be_added_it_is_said_and_nothing_is_shared(admission: Admission) -> None:
    person = admission.add_applicant()
    admission.draft(person, "Systems", "Vision")
    me = Applying(person.sign_in(), admission.cycle.slug)
    assert answer(me, invite(admission, person, "Robots"), "accepted") == "/me/"
    told = "You accepted the invitation of Robots. It is not on an application: You can choose 2 labs"
    assert told in me.client.get("/me/").text
    fresh(admission)
    assert [share.lab.name for share in shares_of(admission.session, admission.user(person))] == []


def test_a_refused_invitation_adds_nothing_and_others_cannot_answer_it(admission: Admission) -> None:
    person = admission.add_applicant()
    me = Applying(person.sign_in(), admission.cycle.slug)
    number = invite(admission, person, "Vision")
    stranger = Applying(admission.add_applicant().sign_in(), admission.cycle.slug)
    assert answer(stranger, number, "accepted") == "404"
    assert answer(me, number, "maybe") == "400"
    assert answer(me, number, "refused") == "/me/"
    fresh(admission)
    assert application_of(admission.session, admission.user(person), admission.cycle) is None
    assert told(admission, "Vision") == 1


def test_an_invitation_that_was_taken_back_meanwhile_is_answered_kindly(admission: Admission) -> None:
    person = admission.add_applicant()
    number = invite(admission, person, "Vision")
    session = admission.session
    seen = session.get_one(Invitation, number)
    session.execute(delete(Invitation).execution_options(synchronize_session=False))
    with pytest.raises(Refusal, match="took this invitation back"):
        answer_invitation(session, seen, "accepted", actor=admission.user(person), now=admission.now)


def test_labs_stand_side_by_side(admission: Admission) -> None:
    person = admission.add_applicant()
    client = person.sign_in()
    text = main_text(client.get("/me/compare?lab=systems&lab=vision&lab=systems&lab=gone").text)
    assert "2nd of 3 labs" in text
    assert text.count("Works behind it") == 1
    assert text.index("Openings") < text.index("Works behind it")
    for query, said in (
        ("lab=systems", "Choose 2 to 4 labs"),
        ("lab=a&lab=b&lab=c&lab=d&lab=e", "Up to 4 labs fit side by side; these are 5."),
        ("lab=systems&lab=gone%00", "Choose 2 to 4 labs"),
        ("", "Nothing to compare yet"),
    ):
        assert said in main_text(client.get(f"/me/compare?{query}").text), query
    assert 'form="compare" name="lab" value="systems"' in client.get("/me/matches").text
    page = client.get("/me/compare?lab=systems&lab=vision").text
    assert ('<a href="/me/matches">Matches</a>' in page, 'href="/me/"' in page) == (True, True)


def test_side_by_side_one_shares_with_a_lab_and_stops_again(admission: Admission) -> None:
    client, page = admission.add_applicant().sign_in(), "/me/compare?lab=systems&lab=vision"
    for act in ("share", "stop"):
        answer = submit(client, "/me/labs/vision", {"act": act, "next": page}, page=page)
        assert answer.headers["Location"] == page
        told = main_text(client.get(page).text)
        assert "Let this lab read my interests and resume : Systems" in told
        assert ("Stop sharing with Vision" in told) is (act == "share")


def test_a_deadline_has_passed_when_it_has_passed_anywhere_on_earth(admission: Admission) -> None:
    session, user = admission.session, admission.user(admission.add_applicant())
    due = LabRecord("due", name="Due", openings=(OpeningRecord("phd", "phd", deadline="2026-12-15"),))
    create_lab(session, due, author=None, reason="for a test", now=admission.now)
    session.commit()
    labs, query = live_index(admission.app).current(session), query_of(session, user)
    passed = {
        hour: [
            opening["passed"]
            for column in columns(session, labs, query, ["due"], now=datetime(2026, 12, 16, hour, tzinfo=UTC))
            for opening in column.openings
        ]
        for hour in (11, 12)
    }
    assert passed == {11: [False], 12: [True]}


@pytest.fixture
def applied(admission: Admission) -> Person:
    """Somebody with an eligible application: a submitted file, a referee's letter, an interview ahead."""
    person = admission.add_applicant()
    application = admission.eligible(person, "Systems", "Vision")
    session, files = admission.session, file_store(admission.app)
    for key in ("resumes/1/sent", "letters/1/letter"):
        files.put(key, b"words")
    submission = last_submission(session, application)
    assert submission is not None
    submission.storage_key = "resumes/1/sent"
    session.add(
        Referee(
            application_id=application.id,
            name="Ada",
            email="ada@example.edu",
            letter="Secret praise.",
            storage_key="letters/1/letter",
            received_at=admission.now,
            created_at=admission.now,
        )
    )
    choice = admission.choice(application, "Systems")
    session.add(
        InterviewSlot(
            lab_id=choice.lab_id,
            cycle_id=admission.cycle_id,
            choice_id=choice.id,
            uid="one",
            starts_at=datetime.now(UTC) + timedelta(days=90),
            zone="UTC",
            created_at=admission.now,
        )
    )
    session.commit()
    return person


def test_the_bundle_holds_the_application_and_never_a_letter(applied: Person) -> None:
    text = applied.sign_in().get("/me/export").text
    one = json.loads(text)["applications"][0]
    assert [choice["lab"] for choice in one["choices"]] == ["systems", "vision"]
    interviews = [choice["interview"] for choice in one["choices"]]
    assert ([interview and interview["zone"] for interview in interviews], one["state"]) == (["UTC", None], "eligible")
    assert [move["by"] for move in one["timeline"]] == ["you", "the administrators"]
    assert (one["referees"][0]["email"], one["referees"][0]["received"]) == ("ada@example.edu", True)
    assert "Secret praise." not in text
    assert one["submissions"][0]["choices"][0]["lab"] == "Systems"
    assert one["receipt"]


def test_files_of_submissions_and_letters_are_no_orphans(admission: Admission, applied: Person) -> None:
    later = datetime.now(UTC) + timedelta(days=2)
    assert applied.id
    assert orphans(admission.session, file_store(admission.app), now=later) == []
    file_store(admission.app).put("letters/1/other", b"words")
    found = orphans(admission.session, file_store(admission.app), now=later)
    assert [file.key for file in found] == ["letters/1/other"]


def test_erasing_deletes_the_application_with_all_that_hangs_on_it(admission: Admission, applied: Person) -> None:
    other = admission.submitted(admission.add_applicant(), "Systems").id
    me = Applying(applied.sign_in(), admission.cycle.slug)
    page = main_text(me.client.get("/me/erase").text)
    assert f"Application for {admission.cycle.name}, with 2 choices" in page
    me.client.post("/me/erase", data={"csrf_token": me.client_token(), "sure": "yes"})
    receipt = main_text(me.client.get("/me/erased").text)
    assert "1 application with 2 choices, 1 referee" in receipt
    assert "2 files" in receipt
    fresh(admission)
    left = {table.__tablename__: db.session.scalar(select(func.count()).select_from(table)) for table in TABLES}
    assert left == {**dict.fromkeys(left, 0), "application": 1, "choice": 1, "submission": 1, "move_record": 1}
    assert db.session.get(Application, other) is not None
    slot = db.session.scalars(select(InterviewSlot)).one()
    assert (slot.choice_id, slot.sequence) == (None, 1)
    assert db.session.scalar(select(func.count()).where(OutboxMail.user_id == applied.id)) == 0
    waiting = select(func.count()).where(OutboxMail.kind == "new_choices", OutboxMail.state == "waiting")
    assert db.session.scalar(waiting) == 0
    uploads = admission.app.config["PORTAL"].instance / "uploads"
    assert [path for path in uploads.rglob("*") if path.is_file()] == []


TABLES = (Application, Choice, Submission, MoveRecord, MatchRecord, Decision, Referee, LabShare, Invitation)


def fresh(admission: Admission) -> None:
    admission.session.rollback()
    admission.session.expire_all()
