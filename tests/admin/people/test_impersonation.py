"""Impersonation: read-only, always recorded, and with the permissions of the person and no more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from portal.db import db
from portal.models import (
    ApiToken,
    AuditEntry,
    Impersonation,
    MailPreference,
    Notification,
    QueueVisit,
    Resume,
    User,
)
from portal.web import impersonation
from portal.web.impersonation import CLOSED_BLUEPRINTS, CLOSED_ENDPOINTS
from tests.admission import Admission, add_admission
from tests.people import Person, csrf_token, submit
from tests.test_roles_and_routes import address, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

BAND = "You are viewing the portal as"
CLOSED = (
    "/admin/",
    "/admin/people/",
    "/accounts/tokens/",
    "/accounts/tokens/new",
    "/accounts/change",
    "/accounts/change-email",
    "/accounts/mf-recovery-codes",
    "/accounts/tf-setup",
    "/accounts/verify",
    "/accounts/calendar/",
    "/me/export",
)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        admission = add_admission(app, now=datetime.now(UTC) - timedelta(days=3), deadline_in=timedelta(days=30))
        admission.add_lab("Systems")
        yield admission


def begin(client: FlaskClient, person: Person, reason: str = "They asked why a page is empty") -> Any:  # noqa: ANN401
    return submit(client, f"/admin/people/{person.id}/impersonate", {"reason": reason})


def end(client: FlaskClient) -> Any:  # noqa: ANN401
    return client.post("/impersonation/end", data={"csrf_token": csrf_token(client, "/about")})


def log(about: str) -> list[tuple[str, str, Any]]:
    """The audit entries about impersonations of an account: who, what, details."""
    db.session.expire_all()
    entries = select(AuditEntry).where(AuditEntry.object_key == about, AuditEntry.act.startswith("impersonation."))
    return [(one.actor_label, one.act, one.after) for one in db.session.scalars(entries.order_by(AuditEntry.id))]


def test_an_administrator_views_the_portal_as_an_applicant_who_is_told(
    admission: Admission,
) -> None:
    applicant, admin = admission.add_applicant("Li Wei"), admission.admin
    client = admin.sign_in()
    assert begin(client, applicant).location == "/accounts/landing"
    for _ in range(2):
        page = client.get("/me/resume")
        assert (page.status_code, BAND in page.text, "Li Wei" in page.text) == (
            200,
            True,
            True,
        )
    assert "I built a serving system" in client.get("/me/resume/text").text
    assert "Stop viewing" in client.get("/no-such-page").text
    assert end(client).location == f"/admin/people/{applicant.id}"
    assert client.get("/admin/").status_code == 200
    assert BAND not in client.get("/").text
    (_, _, began), (who, act, ended) = log(applicant.email)
    assert began["reason"] == "They asked why a page is empty"
    assert (who, act, ended["how"]) == (admin.email, "impersonation.end", "ended")
    assert ended["pages"] == {"/me/resume": 2, "/me/resume/text": 1, "no such page": 1, "/about": 1}
    news = db.session.scalars(select(Notification.text).where(Notification.user_id == applicant.id)).all()
    assert [text for text in news if "viewed the portal as you" in text] != []
    mail = admission.app.extensions["mailman"].outbox[-1]
    assert (mail.to, "They asked why a page is empty" in mail.body) == ([applicant.email], True)


def test_the_interface_for_programs_reads_no_cookie_and_ends_nothing(admission: Admission) -> None:
    applicant, client = admission.add_applicant("Li Wei"), admission.admin.sign_in()
    begin(client, applicant)
    statuses = [client.get(f"/api/v1/{path}").status_code for path in ("labs", "openapi.json", "application")]
    assert statuses == [200, 200, 401]
    assert BAND in client.get("/api/v1/").text
    assert BAND in client.get("/me/resume").text


def test_a_reason_and_a_fresh_sign_in_are_needed(admission: Admission) -> None:
    applicant, client = admission.add_applicant(), admission.admin.sign_in()
    assert begin(client, applicant, reason=" ").status_code == 422
    with client.session_transaction() as session:
        session["fs_paa"] = (datetime.now(UTC) - timedelta(hours=2)).timestamp()
        session.pop("fs_gexp", None)
    page = client.get(f"/admin/people/{applicant.id}/impersonate")
    assert (page.status_code, "/accounts/verify" in page.location) == (302, True)
    assert db.session.scalars(select(Impersonation)).all() == []


def test_every_form_is_refused_and_nothing_is_written(admission: Admission) -> None:
    applicant, client = admission.add_applicant(), admission.admin.sign_in()
    begin(client, applicant)
    token = csrf_token(client, "/about")
    tried = 0
    for rule in rules(admission.app, "POST"):
        url = address(rule)
        if rule.endpoint in {"impersonation.end", "security.logout"}:
            continue
        answer = client.post(url, data={"csrf_token": token, "name": "x", "scopes": "labs:read", "days": "9"})
        assert (url, answer.status_code) == (url, 403)
        assert "read-only" in answer.text
        assert "<h1>This was not done</h1>" in answer.text
        tried += 1
    assert tried > 60
    client.post("/accounts/name", data={"csrf_token": token, "name": "Somebody else"})
    user = db.session.get_one(User, applicant.id, populate_existing=True)
    assert (user.name.startswith("Applicant"), db.session.scalars(select(ApiToken)).all()) == (True, [])
    end(client)
    assert log(applicant.email)[-1][2]["refused"] == tried + 1


def test_pages_that_sign_in_show_secrets_or_belong_to_administrators_are_closed(admission: Admission) -> None:
    applicant, client = admission.add_applicant(), admission.admin.sign_in()
    begin(client, applicant)
    for url in CLOSED:
        answer = client.get(url)
        assert (url, answer.status_code) == (url, 403)
        assert BAND in answer.text
    assert client.get(f"/admin/people/{applicant.id}/impersonate").status_code == 403


def test_opening_a_page_marks_nothing_as_read_or_visited(admission: Admission) -> None:
    leader, client = admission.leaders["Systems"], admission.admin.sign_in()
    row = Notification(user_id=leader.id, kind="new_choices", text="News", path="/reviews/", created_at=admission.now)
    admission.session.add(row)
    admission.session.commit()
    begin(client, leader)
    assert client.get("/reviews/systems/").status_code == 200
    assert client.get(f"/accounts/news/{row.id}").status_code == 302
    db.session.expire_all()
    assert db.session.get_one(Notification, row.id).read_at is None
    assert db.session.scalars(select(QueueVisit)).all() == []
    assert db.session.scalars(select(AuditEntry).where(AuditEntry.actor_label == leader.email)).all() == []
    theirs = leader.sign_in()
    assert theirs.get("/reviews/systems/").status_code == 200
    assert theirs.get(f"/accounts/news/{row.id}").status_code == 302
    db.session.expire_all()
    assert (len(db.session.scalars(select(QueueVisit)).all()), row.read_at is None) == (1, False)


def test_each_page_answers_as_it_answers_the_person(admission: Admission, person: Callable[..., Person]) -> None:
    both, client = person("applicant", "professor"), admission.admin.sign_in()
    theirs = both.sign_in()
    begin(client, both)
    for rule in rules(admission.app, "GET"):
        url = address(rule)
        if rule.endpoint == "security.logout":
            continue
        room = rule.endpoint.partition(".")[0]
        own, seen = theirs.get(url).status_code, client.get(url).status_code
        closed = room in CLOSED_BLUEPRINTS or rule.endpoint in CLOSED_ENDPOINTS
        assert (url, seen) == (url, 403 if closed else own)


def test_administrators_closed_accounts_and_oneself_cannot_be_impersonated(
    admission: Admission, person: Callable[..., Person]
) -> None:
    other, closed, client = person("admin"), person("applicant"), admission.admin.sign_in()
    page = f"/admin/people/{closed.id}"
    assert submit(client, f"{page}/suspend", {"reason": "x"}, page=page).status_code == 302
    for who, said in (
        (other, "as another administrator"),
        (closed, "is closed"),
        (admission.admin, "yourself already"),
    ):
        answer = client.get(f"/admin/people/{who.id}/impersonate")
        assert (answer.status_code, said in answer.text) == (403, True)
    applicant = admission.add_applicant()
    assert applicant.sign_in().get(f"/admin/people/{closed.id}/impersonate").status_code == 403
    # Nobody can go on with an impersonation of somebody else.
    actor, seen = admission.user(other), admission.user(applicant)
    begun = impersonation.begin(admission.session, seen, reason="x", actor=actor, now=datetime.now(UTC))
    admission.session.commit()
    for thief in (client, admission.add_applicant().sign_in()):
        with thief.session_transaction() as session:
            session["impersonation"] = begun.id
        answer = thief.get("/me/resume")
        assert BAND not in answer.text
        assert "I built a serving system" not in answer.text
    assert db.session.get_one(Impersonation, begun.id, populate_existing=True).ended_at is None


@pytest.mark.parametrize(
    ("change", "how"),
    [
        ({"ends_at": datetime(2026, 1, 1, tzinfo=UTC)}, "the time was up"),
        ({"active": False}, "it was not allowed any more"),
    ],
)
def test_an_impersonation_ends_by_itself_and_a_late_form_is_not_submitted(
    admission: Admission, change: dict[str, Any], how: str
) -> None:
    applicant, client = admission.add_applicant(), admission.admin.sign_in()
    begin(client, applicant)
    token = csrf_token(client, "/about")
    table = Impersonation if "ends_at" in change else User
    which = Impersonation.person_id == applicant.id if table is Impersonation else User.id == applicant.id
    db.session.execute(update(table).where(which).values(**change))
    db.session.commit()
    answer = client.post("/accounts/name", data={"csrf_token": token, "name": "Not mine"})
    assert answer.location == f"/admin/people/{applicant.id}"
    assert f"You view the portal as yourself again: {how}." in client.get(answer.location).text
    assert log(applicant.email)[-1][2]["how"] == how
    assert db.session.get_one(User, admission.admin.id, populate_existing=True).name != "Not mine"


def test_signing_out_ends_the_impersonation_and_the_session(admission: Admission) -> None:
    applicant, client = admission.add_applicant(), admission.admin.sign_in()
    begin(client, applicant)
    client.post("/accounts/logout", data={"csrf_token": csrf_token(client, "/about")})
    for url in ("/me/resume", "/admin/", "/accounts/"):
        assert client.get(url).location.startswith("/accounts/login")
    assert log(applicant.email)[-1][2]["how"] == "signed out"
    assert BAND not in client.get("/").text


def test_an_administrator_has_one_impersonation_at_a_time_and_an_old_cookie_revives_none(admission: Admission) -> None:
    first, second = admission.add_applicant("Ann One"), admission.add_applicant("Bob Two")
    desk, phone = admission.admin.sign_in(), admission.admin.sign_in()
    begin(desk, first)
    begin(phone, second)
    assert desk.get("/me/resume").status_code == 302
    assert log(first.email)[-1][2]["how"] == "another view began"
    number = db.session.scalars(select(Impersonation.id).where(Impersonation.person_id == second.id)).one()
    end(phone)
    with phone.session_transaction() as session:
        session["impersonation"] = number
    assert phone.get("/me/resume").location == f"/admin/people/{second.id}"
    assert phone.get("/admin/").status_code == 200


def test_the_clock_ends_what_was_left_open(admission: Admission) -> None:
    applicant = admission.add_applicant()
    session, began = admission.session, datetime.now(UTC) - timedelta(hours=2)
    impersonation.begin(
        session, admission.user(applicant), reason="x", actor=admission.user(admission.admin), now=began
    )
    for _ in range(2):
        impersonation.end_overdue(session, datetime.now(UTC))
        session.commit()
    assert [(act, said.get("seconds")) for _, act, said in log(applicant.email)] == [
        ("impersonation.begin", None),
        ("impersonation.end", 1800),
    ]
    assert session.scalars(select(MailPreference)).all() == []
    assert len(session.scalars(select(Resume)).all()) == 1
