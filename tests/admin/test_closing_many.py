"""A cycle of many applications is closed with as many statements as one of few."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from portal.admin.cycles.service import close_cycle
from portal.models import Application, AuditEntry, Choice, MoveRecord
from tests.admission import add_admission
from tests.reviews.crowd import add_crowd
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask

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
