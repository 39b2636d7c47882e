"""Two who write to applicants at once, a form that is sent twice, and an application that is erased meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.cycles import announcements as work
from portal.admin.cycles.announcements import NewAnnouncement, announce
from portal.applications.erasure import erase_application
from portal.applications.files import file_store
from portal.db import db
from portal.jobs.registry import JOBS, STARTED
from portal.mail.outbox import WRITTEN
from portal.models import Announcement, Application, AuditEntry, Job, Notification, OutboxMail, User
from tests.admission import add_admission
from tests.databases import application_over
from tests.meanwhile import meanwhile
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.admission import Admission

KIND = "cycle_announcement"
TYPED = {"about": "An hour for questions", "message": "On 3 December."}
NEW = NewAnnouncement(TYPED["about"], TYPED["message"], "everybody")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def admission(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Admission]:
    """One lab, over each database."""
    with application_over(request, settings) as app:
        made = add_admission(app)
        made.add_lab("Systems")
        yield made


def mails() -> int:
    waiting = OutboxMail.kind == KIND, OutboxMail.state != "cancelled"
    return db.session.scalar(select(func.count(OutboxMail.id)).where(*waiting)) or 0


class Steps:
    """Progress that leaves the mails waiting."""

    def step(self, _done: int, _total: int | None, _doing: str = "") -> None:
        db.session.info.pop(WRITTEN, None)
        db.session.commit()


def written(admission: Admission) -> int:
    """An announcement whose job has not begun."""
    announced = announce(db.session(), admission.cycle, NEW, by=admission.user(admission.admin), now=admission.now)
    assert announced is not None
    db.session.info.pop(STARTED, None)  # else it would be done at once
    db.session.commit()
    return db.session.scalars(select(Announcement.id)).one()


def page_of(admission: Admission) -> str:
    return f"/admin/cycles/{admission.cycle.slug}/announcements"


def test_an_application_that_is_erased_while_its_applicant_is_told_leaves_no_news_and_no_mail(
    admission: Admission,
) -> None:
    for name in ("Zzada", "Zzbob"):
        admission.draft(admission.add_applicant(name), "Systems")
    number = written(admission)
    erased_id = db.session.scalars(select(Application.id).order_by(Application.id)).all()[-1]

    def erase() -> None:
        application = db.session.get_one(Application, erased_id)
        erase_application(db.session(), file_store(admission.app), application, now=admission.now)

    db.session.rollback()
    with meanwhile(admission.app, "INSERT INTO notification", erase):
        JOBS[work.TELL].run(db.session(), {"announcement": number}, Steps())
        Steps().step(0, 0)
    assert db.session.scalars(select(Application.id)).all() != [erased_id]
    assert mails() == 1
    paths = db.session.scalars(select(Notification.dedupe_key).where(Notification.kind == KIND)).all()
    assert [path for path in paths if f"application:{erased_id}:" in str(path)] == []


def test_a_second_click_at_the_same_moment_writes_nothing(admission: Admission) -> None:
    admission.draft(admission.add_applicant("Zzada"), "Systems")
    by, slug = admission.admin.id, admission.cycle.slug
    second: list[object] = []

    def click() -> None:
        cycle = db.session.scalars(select(type(admission.cycle)).filter_by(slug=slug)).one()
        second.append(announce(db.session(), cycle, NEW, by=db.session.get_one(User, by), now=admission.now))

    with meanwhile(admission.app, "INSERT INTO announcement_recipient", click):
        announce(db.session(), admission.cycle, NEW, by=admission.user(admission.admin), now=admission.now)
        db.session.info.pop(STARTED, None)
        db.session.commit()
    assert second == [None]
    assert db.session.scalar(select(func.count(Announcement.id))) == 1
    assert db.session.scalar(select(func.count(Job.id)).where(Job.kind == work.TELL)) == 1
    assert db.session.scalar(select(func.count(AuditEntry.id)).where(AuditEntry.act == "cycle.announce")) == 1


def test_the_same_words_are_sent_once_and_others_are_another_announcement(admission: Admission) -> None:
    admission.draft(admission.add_applicant("Zzada"), "Systems")
    client, page = admission.admin.sign_in(), page_of(admission)
    sent = {**TYPED, "announced_to": "everybody", "confirmed": "yes"}
    for expected, changed in (
        (1, {}),
        (1, {}),
        (2, {"message": "On 4 December."}),
        (3, {"announced_to": "not_submitted"}),
    ):
        assert submit(client, f"{page}/new", {**sent, **changed}, page=page).status_code == 302
        assert mails() == expected


def test_a_second_click_says_what_the_first_one_did_though_the_group_is_empty_now(admission: Admission) -> None:
    person = admission.add_applicant("Zzada")
    application = admission.draft(person, "Systems")
    client, page = admission.admin.sign_in(), page_of(admission)
    form = {**TYPED, "announced_to": "not_submitted", "confirmed": "yes"}
    submit(client, f"{page}/new", form, page=page)
    client.get(page)
    admission.move(application, "withdraw", as_="applicant")
    db.session.commit()
    assert submit(client, f"{page}/new", form, page=page).status_code == 302
    assert "1 applicant is told of" in client.get(page).text
    assert mails() == 1
