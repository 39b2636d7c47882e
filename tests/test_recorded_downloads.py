"""Whoever takes personal data out of the portal stands in the audit log: with how much, and without the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.cycles.assignment.service import draft_round
from portal.api.fields import part_after
from portal.applications.cycles import last_submission
from portal.applications.files import file_store
from portal.audit import verify
from portal.models import AuditEntry, LabShare, Resume
from portal.web.downloads import TYPED
from tests.admin.cycles.releases import past_deadline
from tests.api.conftest import bearer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission

NAME = "Wilhelmina Markerfield"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two eligible applicants of Systems, one of Vision alone."""
    with app.app_context():
        made = past_deadline(app)
        for name, lab in ((NAME, "Systems"), ("Second Person", "Systems"), ("Third Person", "Vision")):
            made.eligible(made.add_applicant(name), lab)
        yield made


def entries(admission: Admission) -> list[tuple[str, str, str, str, object]]:
    """The downloads in the log: who, act, thing, key, and what is said of it."""
    admission.session.expire_all()
    found = admission.session.scalars(
        select(AuditEntry).where(AuditEntry.act.like("%.download")).order_by(AuditEntry.position)
    )
    return [(one.actor_label, one.act, one.object_type, one.object_key, one.after) for one in found]


def test_a_list_is_recorded_each_time_with_its_filter_and_how_many_lines_it_has(admission: Admission) -> None:
    client, me, cycle = admission.admin.sign_in(), admission.admin.email, admission.cycle.slug
    lists: list[tuple[str, str, str, str, int, Mapping[str, str]]] = [
        (f"/admin/cycles/{cycle}/applications.csv?q=Wilhelmina&order=descending", "application.download", "cycle",
         cycle, 1, {"q": TYPED, "sort": "submitted", "order": "descending"}),
        (f"/admin/cycles/{cycle}/applications.csv?lab=systems&state=eligible",
         "application.download", "cycle", cycle, 2,
         {"lab": "systems", "state": "eligible", "sort": "submitted"}),
        (f"/admin/cycles/{cycle}/applications.csv?lab=Markerfield", "application.download", "cycle", cycle, 0,
         {"lab": TYPED, "sort": "submitted"}),
    ]  # fmt: skip
    for address, *_ in lists:
        answer = client.get(address)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-store")
    assert entries(admission) == [
        (me, act, kind, key, {"rows": rows, "asked": asked}) for _, act, kind, key, rows, asked in lists
    ]
    client.get(lists[0][0])
    assert len(entries(admission)) == len(lists) + 1
    assert verify(admission.session).holds
    said = json.dumps(entries(admission))
    assert [word for word in ("Wilhelmina", "Markerfield") if word in said] == []


def test_a_professor_who_takes_out_a_labs_applicants_is_recorded_also_for_each_part_that_a_program_gets(
    admission: Admission,
) -> None:
    leader, cycle = admission.leaders["Systems"], admission.cycle.slug
    assert leader.sign_in().get("/reviews/systems/applicants.csv?state=pending&q=Second").status_code == 200
    api, headers = admission.app.test_client(), bearer(leader)
    first = api.get("/api/v1/reviews/systems/choices?limit=1", headers=headers).get_json()
    api.get(f"/api/v1/reviews/systems/choices?limit=1&cursor={first['next']}", headers=headers)
    _, made_up = part_after(["no such applicant", "others"], "", 1, str)
    whole = api.get(f"/api/v1/reviews/systems/choices?cursor={made_up}", headers=headers).get_json()
    by_page, *by_program = entries(admission)
    asked = {"cycle": cycle, "state": "pending", "q": TYPED}
    assert by_page[:4] == (leader.email, "applicant.download", "lab in cycle", f"systems/{cycle}")
    assert by_page[4] == {"rows": 1, "asked": asked}
    assert all(entry[0].startswith(f"{leader.email} through token “for a test”") for entry in by_program)
    assert [entry[1:4] for entry in by_program] == [("applicant.download", "lab in cycle", f"systems/{cycle}")] * 3
    rows = (1, 1, len(whole["items"]))
    assert [entry[4] for entry in by_program] == [{"rows": number, "asked": {"cycle": cycle}} for number in rows]
    assert rows[2] == 2


def test_the_audit_log_taken_out_is_in_the_log_and_not_in_the_file(admission: Admission) -> None:
    client, me = admission.admin.sign_in(), admission.admin.email
    file = client.get(f"/admin/audit/audit-log.csv?person={me}&since=2020-01-01").text
    assert "audit.download" not in file
    again = client.get(f"/admin/audit/audit-log.csv?person={me}&since=2020-01-01").text
    assert again.count("audit.download") == 1
    asked = {"person": TYPED, "since": "2020-01-01"}
    first, second = entries(admission)
    assert first == (me, "audit.download", "audit log", "as CSV", {"rows": len(file.splitlines()) - 1, "asked": asked})
    assert second[4] == {"rows": len(again.splitlines()) - 1, "asked": asked}


def test_a_resume_that_was_not_sent_to_whoever_opens_it_and_a_certificate_are_recorded(admission: Admission) -> None:
    person = admission.add_applicant()
    one = admission.submitted(person, "Systems")
    sent = last_submission(admission.session, one)
    assert sent is not None
    store = file_store(admission.app)
    store.put("resumes/sent", b"%PDF-1.7")
    store.put("resumes/mine", b"%PDF-1.7")
    sent.storage_key, sent.resume_kind, sent.resume_size = "resumes/sent", "pdf", 8
    resume = admission.session.scalars(select(Resume).where(Resume.user_id == person.id)).one()
    resume.storage_key, resume.kind, resume.size = "resumes/mine", "pdf", 8
    admission.session.add(LabShare(user_id=person.id, lab_id=admission.labs["Vision"], shared_at=admission.now))
    admission.session.commit()
    first = admission.eligible(admission.add_applicant(), "Vision")
    admission.move(admission.choice(first, "Vision"), "start_review", "shortlist", "rank", as_="leader")
    me = admission.user(admission.admin)
    held = draft_round(admission.session, admission.cycle, seed="s", actor=me, now=admission.now)
    number, cycle = held.number, admission.cycle.slug
    admission.session.commit()
    admin, vision = admission.admin.sign_in(), admission.leaders["Vision"].sign_in()
    assert admin.get(f"/admin/cycles/{cycle}/applications/{one.id}/resume").data == b"%PDF-1.7"
    assert vision.get(f"/reviews/vision/discover/{person.id}/resume").data == b"%PDF-1.7"
    assert admin.get(f"/admin/cycles/{cycle}/assignment/{number}/certificate").status_code == 200
    assert [line[1:] for line in entries(admission)] == [
        ("resume.download", "application", str(one.id), None),
        ("resume.download", "applicant of lab", f"vision/{person.id}", None),
        ("assignment.download", "assignment round", f"{cycle}/{number}", {"rows": 4, "asked": {}}),
    ]
    page = admin.get("/admin/audit").text
    assert "Downloaded an applicant’s resume" in page
    assert f'href="/admin/cycles/{cycle}/applications/{one.id}"' in page


def test_what_is_refused_not_there_or_only_asked_for_by_its_head_is_not_recorded(admission: Admission) -> None:
    cycle = admission.cycle.slug
    admin, leader = admission.admin.sign_in(), admission.leaders["Systems"].sign_in()
    application = admission.submitted(admission.add_applicant(), "Systems").id

    def statuses(client: FlaskClient, *addresses: str) -> set[int]:
        return {client.get(address).status_code for address in addresses}

    files = (f"/admin/cycles/{cycle}/applications.csv", "/admin/audit/audit-log.csv")
    assert statuses(leader, *files, "/reviews/vision/applicants.csv") == {403}
    assert statuses(admission.app.test_client(), *files, "/reviews/systems/applicants.csv") == {302}
    missing = ("/reviews/systems/applicants.csv?cycle=no-such", "/reviews/no-such/applicants.csv")
    assert statuses(leader, *missing) == {404}
    pasted = f"/admin/cycles/{cycle}/applications/{application}/resume"
    assert statuses(admin, "/admin/cycles/no-such/applications.csv", pasted) == {404}
    assert statuses(admin, "/admin/audit/audit-log.csv?since=yesterday") == {302}
    assert {admin.head(address).status_code for address in files} == {200}
    assert leader.head("/reviews/systems/applicants.csv").status_code == 200
    assert entries(admission) == []
