"""What happens because a time has come: by itself, once, and one failure keeps nothing else from being done."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import delete, func, select, text

from portal.applications import clock
from portal.applications.locks import Refusal
from portal.applications.match_records import keep_records
from portal.applications.referees import service as referees
from portal.db import db
from portal.jobs.clock import GAP, claim_due
from portal.jobs.registry import CLOCKWORK
from portal.mail.outbox import prefer
from portal.models import ClockMark, MatchRecord, Notification, OutboxMail, Referee
from portal.moments import ANYWHERE_ON_EARTH, end_of_day
from tests.admission import Admission, admission_of
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Choice, Submission

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Ada Lab", now=NOW) as made:
        yield made


def offered(admission: Admission) -> Choice:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Ada Lab"), "Ada Lab")
    admission.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader")
    return choice


def news(kind: str) -> list[tuple[int, str]]:
    """Who was told a kind of news, and where it leads."""
    found = db.session.execute(
        select(Notification.user_id, Notification.path).where(Notification.kind == kind).order_by(Notification.id)
    )
    return [(user, path) for user, path in found]


@pytest.mark.sqlite
def test_offers_are_reminded_of_once_and_expire_though_one_of_them_cannot(admission: Admission) -> None:
    choices = [offered(admission) for _ in range(3)]
    assert clock.remind_of_offers(db.session(), admission.now + timedelta(days=13)) == 0
    admission.move(choices[0], "release", as_="admin")
    admission.move(choices[1], "release", as_="admin")
    ids = [choice.id for choice in choices]
    soon = admission.now + timedelta(days=13)
    assert [clock.remind_of_offers(db.session(), soon) for _ in range(2)] == [2, 2]
    assert len(news("offer_reminder")) == 2
    refuse = f"BEFORE UPDATE OF state ON choice WHEN OLD.id = {ids[0]} BEGIN SELECT RAISE(ABORT, 'broken'); END"
    db.session.execute(text(f"CREATE TRIGGER broken {refuse}"))
    db.session.commit()
    late = admission.now + timedelta(days=15)
    assert [clock.expire_offers(db.session(), late) for _ in range(2)] == [1, 0]
    assert [choice.state for choice in choices] == ["offered", "expired", "offered"]
    db.session.execute(text("DROP TRIGGER broken"))
    assert clock.expire_offers(db.session(), late) == 1


def test_an_offer_is_due_at_the_end_of_its_last_day_in_the_zone_of_its_cycle(admission: Admission) -> None:
    admission.cycle.zone = ANYWHERE_ON_EARTH
    choice = offered(admission)
    admission.move(choice, "release", as_="admin")
    due = choice.offer_reply_by_at
    assert due is not None
    last = (admission.now.astimezone(ZoneInfo(ANYWHERE_ON_EARTH)) + timedelta(days=14)).date()
    assert due == datetime(last.year, last.month, last.day, 11, 59, tzinfo=UTC) + timedelta(days=1)
    assert [clock.expire_offers(db.session(), at) for at in (due - timedelta(seconds=1), due)] == [0, 1]


@pytest.mark.parametrize(
    ("released", "zone", "due"),
    [
        ("2026-12-01T17:59", ANYWHERE_ON_EARTH, "2026-12-16T11:59"),  # released at 05:59, due on 15 Dec at 23:59
        ("2026-12-01T11:59", ANYWHERE_ON_EARTH, "2026-12-15T11:59"),  # released at 23:59 on 30 Nov
        ("2026-10-20T22:30", "Europe/Berlin", "2026-11-04T22:59"),  # released on 21 Oct; summer time ends meanwhile
        ("2026-10-10T12:00", "Asia/Beirut", "2026-10-24T21:59"),  # clocks show 23:59 twice
    ],
)
def test_a_day_ends_at_its_last_2359(released: str, zone: str, due: str) -> None:
    at, expected = (datetime.fromisoformat(stamp).replace(tzinfo=UTC) for stamp in (released, due))
    assert end_of_day(at, zone, days_later=14) == expected


def test_a_draft_that_was_opened_again_counts_as_it_was_submitted(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Ada Lab")
    admission.one_move(application, "edit", "applicant")
    assert clock.restore_drafts(db.session(), admission.now) == 0
    assert [clock.restore_drafts(db.session(), admission.after_deadline()) for _ in range(2)] == [1, 0]
    assert application.state == "submitted"


def test_labs_hear_of_replies_that_are_due_and_administrators_of_late_ones_once(admission: Admission) -> None:
    waits = admission.choice(admission.eligible(admission.add_applicant(), "Ada Lab"), "Ada Lab")
    replied = admission.choice(admission.eligible(admission.add_applicant(), "Ada Lab"), "Ada Lab")
    admission.move(replied, "start_review", "shortlist", "invite_to_interview", as_="leader")
    by = waits.reply_by_at
    assert by is not None
    assert clock.remind_labs(db.session(), by - timedelta(days=4)) == 0
    for _ in range(2):
        assert clock.remind_labs(db.session(), by - timedelta(days=1)) == 1
    lab = [
        (person.id, "/reviews/ada-lab/") for person in (admission.leaders["Ada Lab"], admission.reviewers["Ada Lab"])
    ]
    assert (news("reply_due"), news("reply_late")) == (lab, [])
    for _ in range(2):
        assert clock.remind_labs(db.session(), by) == 1
    assert news("reply_late") == [(admission.admin.id, f"/admin/cycles/{admission.cycle.slug}/replies")]


def test_drafts_hear_of_the_deadline_seven_two_days_and_one_day_before_once_each(admission: Admission) -> None:
    waits = admission.draft(admission.add_applicant(), "Ada Lab")
    admission.submitted(admission.add_applicant(), "Ada Lab")
    deadline = admission.cycle.deadline_at
    hours = [24 * 8, 24 * 7 + 1, 24 * 7, 24 * 7 - 5, 24 * 5, 48, 47, 24, 1, 0]
    for before in hours:
        clock.remind_of_deadlines(db.session(), deadline - timedelta(hours=before))
    told = db.session.scalars(select(Notification).where(Notification.kind == "deadline_reminder")).all()
    assert [one.user_id for one in told] == [waits.applicant_id] * 3
    assert [deadline - one.created_at for one in told] == [timedelta(days=days) for days in (7, 2, 1)]
    assert {one.path for one in told} == {f"/me/application/{admission.cycle.slug}"}


def test_a_deadline_that_is_moved_is_told_of_again_and_whoever_wants_no_mail_gets_none(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Ada Lab")
    prefer(db.session(), application.applicant, {"deadline_reminder": "never"})
    for _ in range(2):
        assert clock.remind_of_deadlines(db.session(), admission.cycle.deadline_at - timedelta(hours=20)) == 1
        admission.cycle.deadline_at += timedelta(days=3)
        db.session.commit()
    kinds = db.session.scalars(select(OutboxMail.kind).where(OutboxMail.user_id == application.applicant_id))
    assert "deadline_reminder" not in set(kinds)


def test_referees_are_reminded_once_in_the_last_week(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Ada Lab")
    actor = application.applicant
    for number in range(2):
        one = referees.ask(
            db.session(), application, f"R{number}", f"r{number}@x.example.edu", "", actor=actor, now=NOW
        )
    referees.decline(db.session(), one, now=NOW)
    db.session.commit()
    deadline = admission.cycle.deadline_at
    times = [deadline - timedelta(days=8), *(deadline + timedelta(days=days) for days in (-6, -5, 0, 6, 12, 15))]
    assert [clock.remind_referees(db.session(), at) for at in times] == [0, 1, 0, 0, 0, 0, 0]
    reminded = [row.reminded_at for row in db.session.scalars(select(Referee).order_by(Referee.id))]
    assert reminded == [deadline - timedelta(days=6), None]


def test_referees_who_were_written_to_lately_cost_one_statement_however_many_they_are(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Ada Lab")
    for number in range(3):
        referees.ask(
            db.session(),
            application,
            f"R{number}",
            f"r{number}@x.example.edu",
            "",
            actor=application.applicant,
            now=NOW,
        )
    db.session.commit()
    admission.cycle.deadline_at = NOW + timedelta(days=4)
    db.session.commit()
    with statements_sent(admission.app) as sent:
        assert clock.remind_referees(db.session(), NOW + timedelta(days=5) - timedelta(seconds=1)) == 0
    assert len(sent) == 1
    assert clock.remind_referees(db.session(), NOW + timedelta(days=5)) == 3


def test_nobody_is_asked_for_a_letter_to_what_was_not_submitted_by_the_deadline(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Ada Lab")
    one = referees.ask(db.session(), application, "R", "r@x.example.edu", "", actor=application.applicant, now=NOW)
    db.session.commit()
    deadline = admission.cycle.deadline_at
    times = [deadline - timedelta(days=6), *(deadline + timedelta(days=days) for days in (0, 6))]
    assert [clock.remind_referees(db.session(), at) for at in times] == [1, 0, 0]
    actor, later, unneeded = application.applicant, deadline + timedelta(days=6), "so no letter is needed for it"
    with pytest.raises(Refusal, match=unneeded):
        referees.ask(db.session(), application, "S", "s@x.example.edu", "", actor=actor, now=later)
    referees.remove(db.session(), one, actor=actor, now=later)  # who is told that the letter is no longer needed


def test_the_clock_of_the_portal_starts_all_of_it(app: Flask, admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Ada Lab")
    for name in (
        "offers that expire",
        "drafts at the deadline",
        "missing match records",
        "reminders of offers",
        "reminders of replies",
        "reminders of letters",
    ):
        CLOCKWORK[name].run(db.session(), NOW)
    assert app.name == "portal"
    kept = db.session.scalars(select(MatchRecord)).all()
    assert [record.choice_id for record in kept] == [choice.id for choice in application.choices]


def test_one_run_computes_some_records_and_those_that_fail_do_not_keep_the_others_from_their_turn(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "RECORDS_AT_MOST", 2)
    applications = [admission.submitted(admission.add_applicant(), "Ada Lab") for _ in range(6)]
    tried, broken = list[int](), {application.id for application in applications[:3]}

    def keep_unless_broken(
        session: Session, labs: IndexedLabs, submission: Submission, choices: Sequence[Choice], *, now: datetime
    ) -> None:
        tried.append(submission.application_id)
        if submission.application_id in broken:
            raise ValueError("broken")
        keep_records(session, labs, submission, choices, now=now)

    monkeypatch.setattr(clock, "keep_records", keep_unless_broken)
    runs = 0
    while db.session.scalar(select(func.count(MatchRecord.id))) != 3:
        CLOCKWORK["missing match records"].run(db.session(), NOW + timedelta(minutes=5 * runs))
        runs += 1
        assert (len(tried), runs < 30) == (2 * runs, True)
    kept = {record.choice.application_id for record in db.session.scalars(select(MatchRecord))}
    assert kept == {application.id for application in applications[3:]}


def test_a_place_counts_those_whom_the_lab_could_read(admission: Admission) -> None:
    read = admission.eligible(admission.add_applicant(), "Ada Lab")
    not_read = [admission.submitted(admission.add_applicant(), "Ada Lab") for _ in range(2)]
    CLOCKWORK["missing match records"].run(db.session(), NOW)
    among = {record.choice.application_id: record.applicants for record in db.session.scalars(select(MatchRecord))}
    assert among == {read.id: 1, not_read[0].id: 2, not_read[1].id: 2}


def test_administrators_are_told_once_of_a_clock_that_jumped_and_see_what_is_held(
    admission: Admission, app: Flask
) -> None:
    now = datetime.now(UTC)
    claim_due(db.session(), now - timedelta(days=9))
    CLOCKWORK["word of a gap of the clock"].run(db.session(), now)
    assert news("clock_gap") == []
    claim_due(db.session(), now)
    for minutes in (0, 5):
        CLOCKWORK["word of a gap of the clock"].run(db.session(), now + timedelta(minutes=minutes))
        db.session.commit()
    told = {user for user, path in news("clock_gap") if path == "/admin/operations#clock"}
    assert (len(news("clock_gap")), admission.admin.id in told) == (len(told), True)
    page = admission.admin.sign_in().get("/admin/operations").text
    assert "nothing irrevocable happens by itself" in page
    with app.app_context():
        db.session.execute(delete(ClockMark).where(ClockMark.name == GAP))
        db.session.commit()
    page = admission.admin.sign_in().get("/admin/operations").text
    assert "nothing irrevocable happens by itself" not in page
