"""Closing a cycle: what becomes of its applications, and that many of them take few statements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from portal.admin.cycles.service import close_cycle
from portal.models import Application, AuditEntry, Choice, Decision, MoveRecord
from tests.admin.cycles.releases import release
from tests.admission import add_admission
from tests.people import submit
from tests.reviews.crowd import add_crowd
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask

    from tests.admission import Admission


def test_what_was_not_eligible_is_read_by_no_lab_in_a_closed_cycle_and_keeps_its_reason(admission: Admission) -> None:
    person = admission.add_applicant("Zoe Hidden")
    refused = admission.submitted(person, "Systems")
    admission.after_deadline()
    admission.one_move(refused, "mark_ineligible", "admin", message="The degree is missing.")
    read = admission.eligible(admission.add_applicant("Ann Readable"), "Systems")
    for move_name in ("start_review", "decline"):
        admission.one_move(admission.choice(read, "Systems"), move_name, "leader")
    release(admission, *admission.session.scalars(select(Decision.id)))
    submit(admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/close", {})
    admission.session.expire_all()
    assert (admission.cycle.closed_at is not None, refused.state, read.state) == (True, "ineligible", "closed")
    professor, queue = admission.leaders["Systems"].sign_in(), "/reviews/systems"
    statuses = [
        professor.get(f"{queue}/choices/{admission.choice(application, 'Systems').id}").status_code
        for application in (refused, read)
    ]
    assert statuses == [404, 200]
    for page in ("/", "/board", "/applicants.csv"):
        text = professor.get(queue + page).text
        assert ("Ann Readable" in text, "Zoe Hidden" in text) == (True, False), page
    assert "The degree is missing." in person.sign_in().get(f"/me/application/{admission.cycle.slug}/").text


NOW = datetime.now(UTC).replace(microsecond=0)


def test_closing_a_cycle_takes_no_more_statements_for_more_applications(app: Flask) -> None:
    """SQLite adds rows one by one where their ids are asked for, so that adding them is left out of the count."""

    def closed_with(applications: int) -> int:
        admission = add_admission(app, now=NOW - timedelta(days=40), deadline_in=timedelta(days=1))
        session, cycle = admission.session, admission.cycle
        add_crowd(session, cycle, [admission.add_lab(f"Lab {applications}")], applications, now=NOW)
        replied = {"state": "declined", "shown_state": "declined", "released_at": NOW, "replied_at": NOW}
        session.execute(update(Choice).where(Choice.listed_in_id == cycle.id).values(replied))
        session.commit()
        with statements_sent(app) as statements:
            close_cycle(session, admission.cycle, actor=admission.user(admission.admin), now=NOW)
            session.commit()
        of_cycle = select(Application.id).where(Application.cycle_id == cycle.id)
        closed = of_cycle.where(Application.state == "closed")
        assert len(session.scalars(closed).all()) == applications
        moves = select(func.count()).where(MoveRecord.move == "close", MoveRecord.application_id.in_(of_cycle))
        assert session.scalar(moves) == applications
        keys = [str(number) for number in session.scalars(of_cycle)]
        acts = select(func.count()).where(AuditEntry.act == "application.close", AuditEntry.object_key.in_(keys))
        assert session.scalar(acts) == applications
        return sum(not statement.startswith("INSERT") for statement in statements)

    with app.app_context():
        assert closed_with(2) == closed_with(7)
