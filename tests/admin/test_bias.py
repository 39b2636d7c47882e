"""The bias audit as people use it: a job, a page with the last report, a command; and nobody is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.bias.findings import findings, lines
from portal.admin.bias.people import applicants, resumes
from portal.admin.bias.running import AUDIT
from portal.db import db
from portal.matching.bias.audit import BiasReport as Audited
from portal.matching.bias.swaps import Word
from portal.models import AuditEntry, BiasReport, Job
from portal.web.work import job_queue
from tests.admission import Admission, admission_of
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle with four submitted applications with a resume, a draft, and one that was withdrawn."""
    with admission_of(app, "Ada Lab") as made:
        for number in range(4):
            made.submitted(made.add_applicant(f"Zzname {number}"), "Ada Lab")
        made.draft(made.add_applicant("Zzname draft"), "Ada Lab")
        gone = made.submitted(made.add_applicant("Zzname gone"), "Ada Lab")
        made.one_move(gone, "withdraw", "applicant")
        yield made


def test_an_audit_is_started_once_runs_as_a_job_and_its_report_is_shown(app: Flask, admission: Admission) -> None:
    client = admission.admin.sign_in()
    assert "No audit yet" in client.get("/admin/bias").text
    token = csrf_token(client, "/admin/bias")
    answer = client.post("/admin/bias/start", data={"csrf_token": token})
    job_queue(app).do_due()
    db.session.rollback()
    job = db.session.scalars(select(Job).where(Job.kind == AUDIT)).one()
    assert answer.location == f"/jobs/{job.id}"
    assert (job.state, job.outcome.get("path"), job.error) == ("done", "/admin/bias", "")
    page = client.get("/admin/bias").text
    assert "too few to say anything of" in page
    assert "Made-up resumes" in page
    assert page.count("Nothing moved.") == 1
    assert "bias.audit" in set(db.session.scalars(select(AuditEntry.act)))
    admission.submitted(admission.add_applicant("Zzname five"), "Ada Lab")
    waiting = Job(kind=AUDIT, title="Another", arguments={"cycle": admission.cycle_id}, created_at=admission.now)
    db.session.add(waiting)
    db.session.commit()
    assert client.post("/admin/bias/start", data={"csrf_token": token}).location == f"/jobs/{waiting.id}"
    assert len(db.session.scalars(select(Job).where(Job.kind == AUDIT)).all()) == 2
    job_queue(app).do_due()
    db.session.rollback()
    report = db.session.scalars(select(BiasReport).order_by(BiasReport.id.desc())).first()
    assert report is not None
    assert (report.findings["applicants"]["resumes"], report.cycle_id) == (5, admission.cycle_id)
    page = client.get("/admin/bias").text
    assert page.count("Nothing moved.") == 2
    assert "Zzname" not in page + json.dumps(report.findings)


def test_the_command_says_the_same_as_json_and_of_too_few_nothing(app: Flask, admission: Admission) -> None:
    found = app.test_cli_runner().invoke(args=["bias-audit", "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert told["applicants"] is None
    assert {(row["rank"], row["score"], *row["moved"]) for row in told["made_up"]["rows"]} == {(0, 0.0, 0, 0)}
    assert "Zzname" not in found.output
    refused = app.test_cli_runner().invoke(args=["bias-audit", "--cycle", "no-such"])
    assert refused.exit_code == 2
    assert "there is no cycle" in refused.output
    assert resumes(db.session(), admission.cycle) == 4
    assert [person.name for person in applicants(db.session(), admission.cycle, 2)] == ["Zzname 0", "Zzname 2"]


def test_of_applicants_small_numbers_and_words_of_few_are_not_said() -> None:
    report = Audited(people=20, labs=3)
    report.kinds["gender"].people, report.kinds["gender"].reordered = 9, 3
    report.words.update({Word("gender", "he", "she"): 9, Word("places", "Lagos", "Boston"): 2})
    said = findings(report, made_up=False, of=400)
    row = said["rows"][3]
    assert (row["kind"], row["moved"], row["reordered"]) == ("Gendered words and words for kin", [9, 9], [1, 4])
    assert [word["before"] for word in said["words"]] == ["he"]
    assert "Lagos" not in "".join(lines(said))
    assert "not named" in "".join(lines(said))
    everything = findings(report, made_up=True)
    assert (len(everything["words"]), everything["rows"][3]["reordered"], everything["unsaid"]) == (2, [3, 3], False)
