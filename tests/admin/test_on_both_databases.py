"""Rows of tables of labs, offers of a round, the end of a cycle and the state of the house on SQLite and PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.erasure import erase_what_is_due
from portal.applications.files import file_store
from portal.applications.missing import lacking
from portal.db import db
from portal.models import Application, Decision, Job, LabProposal, LabRevision, Notification
from tests.admission import add_admission
from tests.databases import application_over_each
from tests.meanwhile import meanwhile
from tests.people import add_person, csrf_token, submit
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from flask import Flask


BIBTEX = "@article{one, title={Serving models on few GPUs}, author={Ada Lovelace}, year={2025}}"
app = application_over_each(requests_anew=True)


def test_of_four_who_accept_a_proposal_at_once_one_changes_the_lab(app: Flask) -> None:
    admission = add_admission(app)
    admission.add_lab("Systems")
    desks = [add_person(app, "admin").sign_in() for _ in range(4)]
    imports = "/admin/labs/systems/imports"
    submit(desks[0], imports, {"text": BIBTEX})
    number, proposal = db.session.execute(select(LabProposal.import_id, LabProposal.id)).one()
    page = page_of_import = f"{imports}/{number}"
    assert f'href="{page}">Systems: pasted text</a>' in desks[0].get("/admin/questions").text
    values = {"decision": "accept", "reason": "Yes.", "proposal": str(proposal)}
    filled = [(desk, {"csrf_token": csrf_token(desk, page), **values}) for desk in desks]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda one: one[0].post(f"{page}/decide", data=one[1]).status_code, filled))
    assert set(done) == {302}
    db.session.expire_all()
    assert db.session.scalar(select(func.count(LabRevision.id)).where(LabRevision.source == "import")) == 1

    # A cycle whose days are over, and what its applications lacked.
    one = admission.submitted(admission.add_applicant("Ada"), "Systems")
    admission.cycle.referees = 1
    db.session.commit()
    assert [row.items for row in lacking(db.session(), admission.cycle)] == [("1 referee to ask for a letter",)]
    assert one.id
    for found, page in [("Áda", "/admin/people/"), ("ÁDA", f"/admin/cycles/{admission.cycle.slug}/applications")]:
        assert "Ada" in desks[0].get(page, query_string={"q": found}).text.partition("<tbody>")[2]
    admission.cycle.closed_at = admission.now - timedelta(days=1_000)
    db.session.commit()
    assert erase_what_is_due(db.session(), file_store(app), admission.now) == 1
    assert db.session.scalar(select(func.count(Application.id))) == 0
    assert admission.cycle.kept_counts["applications"] == {"submitted": 1}

    page = "/admin/operations"
    assert "<dd>Up to date</dd>" in desks[0].get(page).text
    submit(desks[0], f"{page}/rebuild-index", {}, page=page)
    db.session.expire_all()
    assert db.session.scalars(select(Job.state).order_by(Job.id)).all() == ["done"]
    assert "Rebuilt the index" in desks[0].get("/admin/audit?since=2026-01-01").text
    assert "Systems" in desks[0].get("/admin/audit/audit-log.csv").text.title()

    assert submit(desks[0], imports, {"text": BIBTEX}).location == page_of_import


def test_an_administrator_keeps_a_reviewer_out_of_an_application(app: Flask) -> None:
    admission = add_admission(app)
    admission.add_lab("Systems")
    one = admission.eligible(admission.add_applicant("Ada"), "Systems")
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications/{one.id}"
    assert "Reviewer Systems" in client.get(page).text
    reviewer = admission.reviewers["Systems"]
    sent = {"reviewer": str(reviewer.id), "reason": "They wrote a paper together."}
    assert submit(client, f"{page}/conflict", sent, page=page).status_code == 302
    db.session.expire_all()
    told = select(Notification.kind).where(Notification.user_id == reviewer.id).order_by(Notification.id.desc())
    assert db.session.scalars(told).first() == "conflict_of_yours"
    assert reviewer.sign_in().get("/reviews/systems/").status_code == 200


def test_of_two_who_stage_the_offers_of_a_round_at_once_one_does(app: Flask) -> None:
    admission = add_admission(app, deadline_in=timedelta(days=30))
    desks = [add_person(app, "admin").sign_in() for _ in range(2)]
    add_crowd(db.session(), admission.cycle, [admission.add_lab("Systems")], 9, now=admission.now)
    for one in db.session.scalars(select(Application)):
        one.receipt, one.choices[0].state = f"R-{one.id}", "ranked"
    db.session.commit()
    page = f"/admin/cycles/{admission.cycle.slug}/assignment"
    submit(desks[0], f"{page}/draft", {"seed": "the draw"}, page=page)
    values = {"reply_days": "9"}
    filled = [(desk, values | {"csrf_token": csrf_token(desk, f"{page}/1")}) for desk in desks]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda one: one[0].post(f"{page}/1/stage", data=one[1]).location, filled))
    assert done == [f"/admin/cycles/{admission.cycle.slug}/releases"] * 2
    assert db.session.scalar(select(func.count(Decision.id))) == 9


def test_a_longer_period_that_was_set_in_the_moment_of_an_erasure_keeps_what_was_left_then(app: Flask) -> None:
    admission = add_admission(app)
    admission.add_lab("Systems")
    for name in ("Ada", "Bee"):
        admission.submitted(admission.add_applicant(name), "Systems")
    admission.cycle.closed_at = admission.now - timedelta(days=1_000)
    db.session.commit()
    left_when_set = []

    def keep_longer() -> None:
        admission.cycle.retention_days = 2_000
        db.session.commit()
        left_when_set.append(db.session.scalar(select(func.count(Application.id))))

    with meanwhile(app, "DELETE FROM application", keep_longer):
        erase_what_is_due(db.session(), file_store(app), admission.now)
    db.session.expire_all()
    assert [db.session.scalar(select(func.count(Application.id)))] == left_when_set
    assert admission.cycle.erased_at is None or not left_when_set[0]
