"""Jobs that tell many applicants take as many statements as for few."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from portal.admin.cycles import announcements as work
from portal.admin.cycles import service as deadline_work
from portal.applications.missing import lacking, remind_of_lacking
from portal.jobs.registry import JOBS
from portal.models import Announcement, AnnouncementRecipient, Application, OutboxMail
from tests.admission import add_admission
from tests.reviews.crowd import add_crowd
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)


class Steps:
    """Progress of a job, which commits nothing."""

    def step(self, done: int, total: int | None, doing: str = "") -> None:
        """Report nothing."""


def statements(
    app: Flask, kind: str, number: int, prepare: Callable[[Admission, list[int]], Callable[[], object]]
) -> int:
    """How many are sent to tell this number of applicants of a cycle of their own in what way `prepare` returns."""
    admission = add_admission(app, now=NOW - timedelta(days=1))
    session, cycle = admission.session, admission.cycle
    add_crowd(session, cycle, [admission.add_lab(f"Lab {number}")], number, now=NOW)
    session.execute(update(Application).where(Application.cycle_id == cycle.id).values(state="submitted"))
    act = prepare(admission, list(session.scalars(select(Application.id).where(Application.cycle_id == cycle.id))))
    session.commit()
    session.expunge_all()
    before = session.scalar(select(func.count()).where(OutboxMail.kind == kind)) or 0
    with statements_sent(app) as sent:
        act()
    assert session.scalar(select(func.count()).where(OutboxMail.kind == kind)) == before + number
    session.commit()
    return len(sent)


def test_an_announcement_takes_as_many_statements_for_many_as_for_few(app: Flask) -> None:
    def prepare(admission: Admission, ids: list[int]) -> Callable[[], object]:
        row = {"about": "A room", "message": "It moved.", "announced_to": "everybody", "written_at": NOW}
        announcement = Announcement(cycle_id=admission.cycle_id, text_key=f"key-{len(ids)}", recipients=len(ids), **row)
        admission.session.add(announcement)
        admission.session.flush()
        number = announcement.id
        rows = [{"announcement_id": number, "application_id": application_id} for application_id in ids]
        admission.session.execute(insert(AnnouncementRecipient), rows)
        return lambda: JOBS[work.TELL].run(admission.session, {"announcement": number}, Steps())

    with app.app_context():
        assert statements(app, "cycle_announcement", 2, prepare) == statements(app, "cycle_announcement", 9, prepare)


def test_a_new_deadline_takes_as_many_statements_for_many_as_for_few(app: Flask) -> None:
    def prepare(admission: Admission, _ids: list[int]) -> Callable[[], object]:
        cycle = admission.cycle
        arguments = {"cycle": cycle.id, "version": 2, "moved_at": NOW.isoformat()}
        arguments["deadline_at"] = cycle.deadline_at.isoformat()
        return lambda: JOBS[deadline_work.TELL].run(admission.session, arguments, Steps())

    with app.app_context():
        assert statements(app, "deadline_moved", 2, prepare) == statements(app, "deadline_moved", 9, prepare)


def test_reminders_of_what_is_missing_take_as_many_statements_for_many_as_for_few(app: Flask) -> None:
    def prepare(admission: Admission, ids: list[int]) -> Callable[[], object]:
        admission.cycle.referees = 1
        admission.session.commit()
        reminded = lacking(admission.session, admission.cycle)
        assert len(reminded) == len(ids)
        return lambda: remind_of_lacking(admission.session, admission.cycle, reminded, asked_at=NOW)

    with app.app_context():
        assert statements(app, "application_lacks", 2, prepare) == statements(app, "application_lacks", 9, prepare)
