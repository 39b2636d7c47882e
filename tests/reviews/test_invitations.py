"""A lab invites who may be found and has not chosen it: once, and the applicant decides."""

from __future__ import annotations

import html
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from portal.applications.application.invitations import answer_invitation
from portal.applications.interests.service import interests_of
from portal.db import db
from portal.models import AuditEntry, Conflict, Interests, Invitation, LabIntake, LabReviewing, Notification, OutboxMail
from portal.reviews.blind_review import pseudonym
from tests.admission import add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.admission import Admission
    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
FOUND = ("Ada Quetzal", "Bo Drafting", "Cy Submitted", "Di Eligible", "Ed Withdrawn")


@pytest.fixture(scope="module")
def people() -> dict[str, Person]:
    """The applicants by name; `admission` fills it."""
    return {}


@pytest.fixture(scope="module")
def admission(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Path, people: dict[str, Person]
) -> Iterator[Admission]:
    """An open cycle and one whose deadline passed; five who may be found and stand differently to the lab Mine."""
    instance = tmp_path_factory.mktemp("invitations")
    shutil.copy(migrated_database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    with app.app_context():
        made = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
        made.add_lab("Mine")
        blind = made.add_lab("Blind")
        db.session.add(LabReviewing(lab_id=blind.id, blind_first=True, changed_at=NOW))
        for name in FOUND:
            people[name] = made.add_applicant(name)
            user = made.user(people[name])
            interests = interests_of(db.session(), user)
            assert interests is not None
            interests.discoverable, interests.statement = True, f"I, {name}, of Tsinghua University, serve models."
        db.session.commit()
        made.draft(people["Bo Drafting"], "Mine")
        made.submitted(people["Cy Submitted"], "Mine")
        made.eligible(people["Di Eligible"], "Mine", "Blind")
        made.one_move(made.eligible(people["Ed Withdrawn"], "Mine"), "withdraw", "applicant")
        add_admission(app, now=NOW)
    yield made
    with app.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def leader(admission: Admission) -> FlaskClient:
    return admission.leaders["Mine"].sign_in()


def test_only_who_chose_the_lab_as_far_as_it_may_know_is_left_out(
    admission: Admission, leader: FlaskClient, people: dict[str, Person]
) -> None:
    page = leader.get("/reviews/mine/discover").text
    assert [name for name in FOUND if name in page] == [name for name in FOUND if name != "Di Eligible"]
    assert leader.get(f"/reviews/mine/discover/{people['Di Eligible'].id}").status_code == 404
    with admission.app.app_context():
        reviewer, ada = admission.reviewers["Mine"], people["Ada Quetzal"]
        db.session.add(Conflict(reviewer_id=reviewer.id, applicant_id=ada.id, state="declared", changed_at=NOW))
        db.session.commit()
    client = reviewer.sign_in()
    assert "Ada Quetzal" not in client.get("/reviews/mine/discover").text
    assert client.get(f"/reviews/mine/discover/{ada.id}").status_code == 404


def test_a_blind_lab_discovers_nobodys_name(admission: Admission, people: dict[str, Person]) -> None:
    client = admission.leaders["Blind"].sign_in()
    ada = people["Ada Quetzal"]
    one = f"/reviews/blind/discover/{ada.id}"
    label = pseudonym("person", ada.id)
    for path in ("/reviews/blind/discover", one, f"/reviews/blind/discover?q={label}"):
        page = client.get(path).text
        assert (label in page, [word for word in ("Quetzal", "Tsinghua", ada.email) if word in page]) == (True, [])
    assert "Nobody matches these filters" in client.get("/reviews/blind/discover?q=Quetzal").text
    assert client.get(f"{one}/resume").status_code == 403
    ed = people["Ed Withdrawn"].id
    submit(client, f"/reviews/blind/discover/{ed}/invite", {}, page=one)
    assert f"{pseudonym('person', ed)} is invited" in client.get(f"/reviews/blind/discover/{ed}").text


def test_an_invitation_is_sent_once_told_and_taken_back_until_it_is_answered(
    admission: Admission, leader: FlaskClient, people: dict[str, Person]
) -> None:
    ada = people["Ada Quetzal"]
    one = f"/reviews/mine/discover/{ada.id}"
    refused = submit(leader, f"{one}/invite", {"message": "x" * 2001}, page=one)
    assert (refused.status_code, "Keep the message to 2,000 characters" in refused.text) == (422, True)
    first = submit(leader, f"{one}/invite", {"message": " Come. "}, page=one)
    second = submit(leader, f"{one}/invite", {"message": " Come. "}, page=one)
    assert (first.status_code, second.status_code) == (302, 302)
    another = submit(leader, f"{one}/invite", {"message": "Words of a colleague."}, page=one)
    assert (another.status_code, "Words of a colleague." in another.text) == (422, True)
    with admission.app.app_context():
        made = db.session.query(Invitation).filter_by(applicant_id=ada.id).one()
        assert (made.applicant_id, made.message, made.answer) == (ada.id, "Come.", None)
        assert db.session.query(Notification).filter_by(user_id=ada.id, kind="invitation").count() == 1
        assert db.session.query(OutboxMail).filter_by(user_id=ada.id, kind="invitation").count() == 1
        audited = db.session.query(AuditEntry).filter_by(object_key=f"mine/{ada.id}").one()
        assert audited.act == "invitation.invite"
        assert audited.after == {"characters_of_message": 5}  # no words to an applicant, which would outlast an erasure
    assert "<strong>Invited</strong>" in leader.get(one).text
    assert ">invited<" in leader.get("/reviews/mine/discover").text
    submit(leader, f"{one}/invite/take-back", {}, page=one)
    with admission.app.app_context():
        assert db.session.query(Invitation).filter_by(applicant_id=ada.id).count() == 0
    submit(leader, f"{one}/invite", {"message": ""}, page=one)
    with admission.app.app_context():
        made = db.session.query(Invitation).filter_by(applicant_id=ada.id).one()
        # The second one is told as well, by mail and in the portal.
        assert db.session.query(OutboxMail).filter_by(user_id=ada.id, kind="invitation").count() == 2
        assert db.session.query(Notification).filter_by(user_id=ada.id, kind="invitation").count() == 1
        answer_invitation(db.session(), made, "refused", actor=admission.user(ada), now=NOW)
        db.session.commit()
    assert "Refused the invitation" in leader.get(one).text
    submit(leader, f"{one}/invite/take-back", {}, page=one)
    assert "is answered already" in leader.get(one).text
    with admission.app.app_context():
        assert db.session.query(Invitation).filter_by(applicant_id=ada.id).one().answer == "refused"


def test_nobody_is_invited_who_is_not_found_any_more_or_without_an_open_cycle(
    admission: Admission, leader: FlaskClient, people: dict[str, Person]
) -> None:
    bo, cy = people["Bo Drafting"], people["Cy Submitted"]
    with admission.app.app_context():
        db.session.query(Interests).filter_by(user_id=bo.id).one().discoverable = False
        db.session.commit()
    page = f"/reviews/mine/discover/{cy.id}"
    assert submit(leader, f"/reviews/mine/discover/{bo.id}/invite", {}, page=page).status_code == 404
    with admission.app.app_context():
        for cycle_id in (admission.cycle_id, admission.cycle_id + 1):
            db.session.add(LabIntake(lab_id=admission.labs["Mine"], cycle_id=cycle_id, open=False))
        db.session.commit()
    assert submit(leader, f"{page}/invite", {}, page=page).status_code == 422
    assert "No cycle takes applications for Mine now" in html.unescape(leader.get(page).text)
    assert submit(admission.leaders["Blind"].sign_in(), f"{page}/invite", {}, page="/reviews/blind/").status_code == 403
