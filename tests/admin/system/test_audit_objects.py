"""What entries of the audit log are about: named while it is there, and never by what came after it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal import audit
from portal.admin.system.audit_log.queries import audit_rows
from portal.admin.system.audit_log.words import objects_of
from portal.applications.erasure import erase_application
from portal.applications.files import file_store
from portal.db import db
from portal.models import AuditEntry, Referee
from tests.admission import Admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Systems", now=datetime.now(UTC).replace(microsecond=0) - timedelta(days=40)) as one:
        yield one


def _said() -> dict[str, str]:
    entries = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    about = objects_of(db.session(), entries)
    return {entry.act: about[entry.id].words for entry in entries}


def test_choices_and_applications_are_named_until_they_are_erased(app: Flask, admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zzada"), "Systems")
    choice = admission.choice(application, "Systems")
    admission.move(choice, "start_review", as_="leader")
    leader, person = admission.leaders["Systems"], application.applicant
    for act, kind, key in (
        ("scorecard.lock", "choice", f"systems/{choice.id}"),
        ("conflict.declared", "conflict", f"{leader.id}/{person.id}"),
        ("invitation.invite", "applicant of lab", f"systems/{person.id}"),
        ("lab.save", "lab", "systems"),
    ):
        audit.record(db.session(), None, act, kind, key, admission.now)
    db.session.commit()
    said = _said()
    assert said["application.mark_eligible"] == "Zzada"
    assert said["choice.start_review"] == "Zzada, Systems"
    assert said["scorecard.lock"] == "Systems, Zzada"
    assert said["conflict.declared"] == "Leader Systems, Zzada"
    assert said["invitation.invite"] == "Systems, Zzada"
    assert said["lab.save"] == "Systems"
    client = admission.admin.sign_in()
    assert "Zzada, Systems" in client.get("/admin/audit").text
    erase_application(db.session(), file_store(app), application, now=admission.now)
    db.session.commit()
    said = _said()
    assert said["choice.start_review"] == "Systems"
    assert said["scorecard.lock"] == "Systems"


def test_a_number_that_was_given_again_names_nobody(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zzbob"), "Systems")
    choice = admission.choice(application, "Systems")
    for act, kind, key in (
        ("application.submit", "application", f"{application.id}"),
        ("choice.shortlist", "choice", f"{application.id}/{choice.lab_id}"),
        ("scorecard.lock", "choice", f"systems/{choice.id}"),
    ):
        before = application.created_at - timedelta(days=1)
        audit.record(db.session(), None, act, kind, key, before)
    db.session.commit()
    entries = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(3)).all()
    newest = [row.about.words for row in audit_rows(db.session(), entries)]
    assert newest == [
        "Systems",
        "Systems",
        f"application {application.id}",
    ]


def test_entries_lead_to_the_pages_of_what_is_there_and_of_nothing_that_came_later(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant("Zzeve"), "Systems")
    slug, earlier = admission.cycle.slug, application.created_at - timedelta(days=1)
    letter = Referee(application_id=application.id, name="Ruth", email="r@example.org", created_at=admission.now)
    db.session.add(letter)
    db.session.flush()
    for act, kind, key, at in (
        ("choice.shortlist", "choice", f"{application.id}/{admission.labs['Systems']}", admission.now),
        ("application.submit", "application", f"{application.id}", earlier),
        ("lab.save", "lab", "systems", admission.now),
        ("lab.confirm", "lab", "no-such-lab", admission.now),
        ("intake.save", "lab in cycle", f"systems/{slug}", admission.now),
        ("cycle.save", "cycle", slug, admission.now),
        ("assignment.draft", "assignment round", f"{slug}/1", admission.now),
        ("account.suspend", "account", admission.admin.email, admission.now),
        ("release.prepare", "release", "7", admission.now),
        ("referee.send", "referee", f"{letter.id}", admission.now),
        ("referee.ask", "referee", f"{letter.id}", earlier),
        ("concept.seed", "concept", "x", admission.now),
    ):
        audit.record(db.session(), None, act, kind, key, at)
    db.session.commit()
    entries = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(12)).all()
    places = {number: each.place for number, each in objects_of(db.session(), entries).items() if each.place}
    found = {entry.act: (places[entry.id][0], dict(places[entry.id][1])) for entry in entries if entry.id in places}
    assert found == {
        "choice.shortlist": ("admin.application", {"slug": slug, "application_id": application.id}),
        "lab.save": ("admin.lab", {"slug": "systems"}),
        "intake.save": ("admin.lab", {"slug": "systems"}),
        "cycle.save": ("admin.cycle", {"slug": slug}),
        "assignment.draft": ("admin.assignment", {"slug": slug}),
        "account.suspend": ("admin.person", {"person_id": admission.admin.id}),
        "referee.send": ("admin.application", {"slug": slug, "application_id": application.id}),
    }
    client = admission.admin.sign_in()
    page = client.get("/admin/audit").text.partition("<tbody>")[2]
    led = set(re.findall(r'<td class="names" data-label="About"><a href="([^"]+)"', page))
    assert f"/admin/cycles/{slug}/applications/{application.id}" in led
    assert {client.get(address).status_code for address in led} == {200}
