"""Many applicants who pick one time at the same moment, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.admin.cycles.replies import lab_replies
from portal.applications import clock
from portal.applications.interviews.queries import free_slots
from portal.applications.interviews.service import pick_slot
from portal.applications.locks import Refusal
from portal.db import db
from portal.labs.cycles import reply_days
from portal.models import Application, Choice, InterviewSlot, Lab, OutboxMail, User
from portal.reviews.interviews.service import Place, Plan, offer_slots
from tests.admission import Admission, add_admission
from tests.at_once import at_once
from tests.databases import application_over_each

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = date(2027, 1, 11)
AT_ONCE = 40
app = application_over_each()


def offer(admission: Admission, times: tuple[time, ...]) -> list[int]:
    leader = admission.user(admission.leaders["Ada Lab"])
    slots = offer_slots(
        db.session(),
        db.session.get_one(Lab, admission.labs["Ada Lab"]),
        admission.cycle,
        Plan([datetime.combine(DAY, one, UTC) for one in times], 30, "UTC"),
        Place(leader),
        actor=leader,
        organizer="portal@example.edu",
        now=NOW,
    )
    db.session.commit()
    return [slot.id for slot in slots]


def test_of_forty_who_pick_one_time_exactly_one_gets_it_and_the_others_see_what_is_left(app: Flask) -> None:
    admission = add_admission(app, now=NOW)
    lab = admission.add_lab("Ada Lab")
    person = admission.add_applicant()
    choices = [admission.choice(admission.eligible(person, "Ada Lab"), "Ada Lab")]
    for _ in range(AT_ONCE - 1):
        application = Application(
            cycle_id=admission.cycle_id,
            applicant_id=_another_person(admission),
            state="eligible",
            state_since=NOW,
            submitted_at=NOW,
            submissions=1,
            created_at=NOW,
        )
        choice = Choice(lab_id=lab.id, position=1, state_since=NOW, shown_since=NOW, created_at=NOW)
        application.choices.append(choice)
        db.session.add(application)
        choices.append(choice)
    for choice in choices:
        choice.state = choice.shown_state = "interview"
    db.session.commit()
    ids = [choice.id for choice in choices]
    wanted, left = offer(admission, (time(10), time(11)))

    def pick(number: int) -> str:
        session = db.session()
        choice = session.get_one(Choice, ids[number])
        try:
            pick_slot(session, choice, wanted, actor=choice.application.applicant, now=NOW)
            session.commit()
        except Refusal:
            session.rollback()
            return str([slot.id for slot in free_slots(session, session.get_one(Choice, ids[number]), NOW)])
        return "picked"

    assert sorted(at_once(pick, AT_ONCE, app=app)) == [str([left])] * (AT_ONCE - 1) + ["picked"]
    db.session.expire_all()
    slot = db.session.get_one(InterviewSlot, wanted)
    assert (slot.choice_id in ids, slot.sequence) == (True, 1)
    told = db.session.scalars(select(OutboxMail).where(OutboxMail.kind == "interview_picked")).all()
    assert len(told) == 2  # the applicant and the interviewer


def test_of_several_who_offer_the_same_time_of_one_interviewer_one_does(app: Flask) -> None:
    admission = add_admission(app, now=NOW)
    admission.add_lab("Ada Lab")

    def offer_one(_number: int) -> str:
        try:
            offer(admission, (time(10),))
        except Refusal:
            db.session.rollback()
            return "refused"
        return "offered"

    assert sorted(at_once(offer_one, 6, app=app)) == ["offered"] + ["refused"] * 5


def test_figures_read_the_same_on_both_databases(app: Flask) -> None:
    admission = add_admission(app, now=NOW)
    admission.add_lab("Ada Lab")
    person = admission.add_applicant("Li Wei 李伟")
    application = admission.eligible(person, "Ada Lab")
    admission.eligible(admission.add_applicant(), "Ada Lab")
    choice = admission.choice(application, "Ada Lab")
    admission.move(choice, "start_review", "shortlist", "invite_to_interview", as_="leader")
    slot, _later = offer(admission, (time(10), time(11)))
    pick_slot(db.session(), choice, slot, actor=application.applicant, now=NOW)
    db.session.commit()
    (row,) = lab_replies(db.session(), admission.cycle, admission.now)
    assert (row.waiting, row.late, row.replied, row.next_due) == (1, 0, 1, admission.cycle.reply_by_at)
    assert reply_days(db.session(), choice.lab_id, admission.now) is None
    assert clock.remind_labs(db.session(), admission.cycle.reply_by_at) == 1
    assert clock.remind_referees(db.session(), admission.now) == 0


def _another_person(admission: Admission) -> int:
    number = len(db.session.scalars(select(User.id)).all())
    user = User(email=f"many{number}@example.edu", active=True, fs_uniquifier=f"many{number}", confirmed_at=NOW)
    admission.session.add(user)
    admission.session.flush()
    return user.id
