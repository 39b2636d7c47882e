"""What submitted applications lack and reminding of it; and how long closed cycles are kept."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.cycles.applications import service as reminder_work
from portal.admin.cycles.applications.service import REMIND, begin_reminding
from portal.applications.erasure import erase_application, erase_what_is_due
from portal.applications.files import file_store
from portal.db import db
from portal.jobs.registry import JOBS, STARTED
from portal.models import (
    Application,
    AuditEntry,
    Choice,
    Cycle,
    Job,
    Notification,
    OutboxMail,
    Referee,
    Resume,
    Submission,
)
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that wants one letter and an answer, with two submitted applications; Ada's letter has arrived."""
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(app, now=now, questions=[{"key": "why", "text": "Why?", "help": "", "required": True}])
        one.add_lab("Systems")
        for name in ("Zzada", "Zzbob"):
            one.submitted(one.add_applicant(name), "Systems")
        one.cycle.referees = 1
        first = db.session.scalars(select(Application).order_by(Application.id)).first()
        assert first is not None
        referee = Referee(application_id=first.id, name="Rea", email="r@example.edu", created_at=now, received_at=now)
        db.session.add(referee)
        db.session.commit()
        yield one
        db.session.remove()


def _reminders() -> int:
    return db.session.scalar(select(func.count(OutboxMail.id)).where(OutboxMail.kind == "application_lacks")) or 0


def test_only_who_lacks_something_is_listed_and_reminded_once_a_day_after_a_preview(admission: Admission) -> None:
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/missing"
    ada, bob = (application.id for application in db.session.scalars(select(Application).order_by(Application.id)))
    shown = client.get(page).text
    assert "Zzbob" in shown
    assert "1 referee to ask for a letter" in shown
    assert "Zzada" not in shown
    ticked = {"application": [str(ada), str(bob)]}
    preview = submit(client, f"{page}/remind", ticked, page=page).text
    assert "Send 1 reminder" in preview
    assert _reminders() == 0
    for _again in range(2):
        submit(client, f"{page}/remind", {**ticked, "confirmed": "yes"}, page=page)
        said = client.get(page).text
        assert "1 applicant is reminded; at most once a day each." in said
        assert re.search(r'href="/jobs/\d+">See how far the mails are</a>', said) is not None
    db.session.expire_all()
    assert _reminders() == 1
    assert db.session.scalars(select(Notification.path).where(Notification.kind == "application_lacks")).one() == (
        f"/me/application/{admission.cycle.slug}"
    )
    acts = db.session.scalars(select(AuditEntry.after).where(AuditEntry.act == "cycle.remind_of_missing")).all()
    assert acts == [{"applications": [bob]}] * 2


def test_a_killed_job_goes_on_reminding_and_only_who_still_lacks_something(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminder_work, "AT_ONCE", 1)
    admission.cycle.referees = 0
    for number in range(2):
        admission.submitted(admission.add_applicant(f"Zzcem {number}"), "Systems")
    admission.cycle.referees = 1
    db.session.commit()
    ids = list(db.session.scalars(select(Application.id).order_by(Application.id)))
    reminding = begin_reminding(
        db.session(), admission.cycle, ids, by=admission.user(admission.admin), now=admission.now
    )
    assert reminding is not None
    assert reminding.applicants == 3  # all but Ada
    arguments = db.session.get_one(Job, reminding.job_id).arguments
    db.session.info.pop(STARTED)  # else it would be done at once
    db.session.commit()

    class Killed:
        """Progress of a process that is killed after its first step."""

        def step(self, _done: int, _total: int | None, _doing: str = "") -> None:
            raise SystemExit

    class Steps(list[tuple[int, int | None]]):
        def step(self, done: int, total: int | None, _doing: str = "") -> None:
            self.append((done, total))

    with pytest.raises(SystemExit):
        JOBS[REMIND].run(db.session(), arguments, Killed())
    db.session.commit()
    assert _reminders() == 1
    letter = {"name": "Ron", "email": "x@example.edu", "created_at": admission.now, "received_at": admission.now}
    db.session.add(Referee(application_id=ids[-1], **letter))
    db.session.commit()
    steps = Steps()
    assert JOBS[REMIND].run(db.session(), arguments, steps).text.startswith("2 applicants are reminded;")
    assert (steps, _reminders()) == ([(1, 2), (2, 2)], 2)


def test_awaited_letters_and_answers_that_became_required_are_named(admission: Admission) -> None:
    bob = db.session.scalars(select(Application).order_by(Application.id.desc())).first()
    assert bob is not None
    db.session.add(
        Referee(application_id=bob.id, name="Ron", email="x@example.edu", created_at=admission.now, token_hash="t" * 64)
    )
    admission.cycle.questions = [
        *admission.cycle.questions,
        {"key": "new", "text": "Since when?", "help": "", "required": True},
    ]
    db.session.commit()
    shown = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/missing").text
    assert "the letter of Ron, who was asked" in shown
    assert shown.count("an answer to “Since when?”") == 2


def test_a_long_list_has_pages_and_all_of_them_or_the_ticked_of_one_are_reminded(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.admin.cycles.applications.pages.ROWS", 1)
    monkeypatch.setattr("portal.admin.cycles.applications.pages.MOST_REMINDED_NAMED", 1)
    admission.cycle.referees = 0
    for number in range(2):
        admission.submitted(admission.add_applicant(f"Zzcem {number}"), "Systems")
    admission.cycle.referees = 1
    db.session.commit()
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/missing"
    first, last = client.get(page).text, client.get(f"{page}?page=99").text
    assert "1–1 of 3 submitted applications lack something" in first
    assert "Zzbob" in first
    assert "Zzcem" not in first
    assert "Zzcem 1" in last
    assert "Preview reminders<" in first
    assert "Preview for all 3<" in first

    bob = re.findall(r'name="application" value="(\d+)"', first)
    place = {"page": "2"}
    sent = submit(client, f"{page}/remind", {"application": bob, "whom": "ticked", **place}, page=page).text
    assert re.findall(r'name="application" value="(\d+)"', sent) == bob
    submit(client, f"{page}/remind", {"application": bob, "confirmed": "yes"}, page=page)
    assert _reminders() == 1
    preview = submit(client, f"{page}/remind", {"application": bob, "whom": "all", **place}, page=page).text
    assert "Send 3 reminders" in preview
    assert "And 2 other applicants" in preview
    everybody = re.findall(r'name="application" value="([\d,]+)"', preview)
    assert len(everybody[0].split(",")) == 3
    answer = submit(client, f"{page}/remind", {"application": everybody, "confirmed": "yes", **place}, page=page)
    assert answer.location.endswith("/missing?page=2")
    assert _reminders() == 3


def test_a_resume_of_spaces_is_none(admission: Admission) -> None:
    submission = db.session.scalars(select(Submission).order_by(Submission.id)).first()
    assert submission is not None
    submission.resume_text, submission.storage_key = " \n\t", ""
    db.session.commit()
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/missing"
    assert "a resume" in client.get(page).text
    submission.storage_key = "resumes/one"
    db.session.commit()
    assert "a resume" not in client.get(page).text.partition("<tbody>")[2]


def test_nobody_is_reminded_in_a_closed_cycle(admission: Admission) -> None:
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/missing"
    number = db.session.scalars(select(func.max(Application.id))).one()
    admission.cycle.closed_at = admission.now
    db.session.commit()
    sent = submit(client, f"{page}/remind", {"application": str(number), "confirmed": "yes"}, page=page)
    assert sent.status_code == 403
    assert _reminders() == 0


def _close(admission: Admission, days_ago: int) -> datetime:
    """Close the cycle so long ago; now."""
    now = datetime.now(UTC)
    admission.cycle.closed_at, admission.cycle.retention_days = now - timedelta(days=days_ago), 100
    db.session.commit()
    return now


def _left() -> int:
    db.session.expire_all()
    return db.session.scalar(select(func.count(Application.id))) or 0


def test_what_is_over_is_erased_with_everything_but_counts_and_other_cycles_stay(
    app: Flask, admission: Admission
) -> None:
    other = add_admission(app)
    other.labs = admission.labs
    keeps = other.submitted(admission.add_applicant("Zzcem"), "Systems").id
    referee = db.session.scalars(select(Referee)).one()
    referee.storage_key = "letters/one"
    file_store(app).put("letters/one", b"a letter")
    now = _close(admission, 100)
    slug, numbers = (
        admission.cycle.slug,
        [application.id for application in admission.session.scalars(select(Application))],
    )
    assert erase_what_is_due(db.session(), file_store(app), now - timedelta(minutes=1)) == 0
    assert erase_what_is_due(db.session(), file_store(app), now + timedelta(minutes=1)) == 2
    assert [application.id for application in db.session.scalars(select(Application))] == [keeps]
    assert len(numbers) == 3
    for table in (Choice, Submission):
        assert db.session.scalar(select(func.count(table.id))) == 1
    assert db.session.scalars(select(Referee)).all() == []
    assert list(file_store(app).list("letters")) == []
    assert db.session.scalar(select(func.count(Resume.user_id))) == 3  # what people keep for themselves
    paths = db.session.scalars(select(Notification.path).where(Notification.kind == "application_submitted")).all()
    assert paths == [f"/me/application/{other.cycle.slug}"]
    cycle = db.session.scalars(select(Cycle).where(Cycle.slug == slug)).one()
    assert cycle.kept_counts == {"applications": {"submitted": 2}, "choices": {"pending": 2}}
    assert cycle.erased_at is not None
    entry = db.session.scalars(select(AuditEntry).where(AuditEntry.act == "cycle.erase_applications")).one()
    assert (entry.actor_label, entry.object_key, entry.after) == ("retention", slug, cycle.kept_counts)
    shown = admission.admin.sign_in().get(f"/admin/cycles/{slug}").text
    assert "2 submitted" in shown
    assert "Zzada" not in shown


def test_of_an_erased_cycle_the_figures_say_how_everything_ended(app: Flask, admission: Admission) -> None:
    now = _close(admission, 200)
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/figures"
    assert "Median days in each state" in client.get(page).text
    assert erase_what_is_due(db.session(), file_store(app), now) == 2
    shown = client.get(page).text
    assert "Figures were erased with the applications." in shown
    assert [words in shown for words in ("Nobody has begun an application", "Median days")] == [False, False]
    kept = client.get(f"/admin/cycles/{admission.cycle.slug}").text
    assert ("2 submitted" in kept, "2 waiting for review" in kept) == (True, True)


def test_erasing_that_was_stopped_goes_on_with_the_counts_of_its_beginning(
    app: Flask, admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, erase, calls = _close(admission, 200), erase_application, []

    def once(*arguments: object, **more: object) -> None:
        calls.append(1)
        if len(calls) > 1:
            raise RuntimeError("stopped")
        erase(*arguments, **more)  # type: ignore[arg-type]  # as they came

    with monkeypatch.context() as patch:
        patch.setattr("portal.applications.erasure.erase_application", once)
        assert erase_what_is_due(db.session(), file_store(app), now) == 1
    assert admission.cycle.erased_at is None
    assert erase_what_is_due(db.session(), file_store(app), now) == 1
    assert admission.cycle.kept_counts["applications"] == {"submitted": 2}
    assert _left() == 0


@pytest.mark.parametrize(("days_ago", "announced"), [(60, False), (71, True)])
def test_the_overview_announces_it_thirty_days_before(admission: Admission, *, days_ago: int, announced: bool) -> None:
    _close(admission, days_ago)
    client = admission.admin.sign_in()
    assert ("2 applications, erased" in client.get("/admin/").text) is announced
    assert _left() == 2
