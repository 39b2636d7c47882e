"""The form of a cycle: its dates, its questions and the texts of the scorecard."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.cycles import service as deadline_work
from portal.admin.cycles.forms import local_time, next_values, questions_from_text
from portal.admin.cycles.service import TELL, begin_telling
from portal.jobs.registry import JOBS, JobRefused
from portal.models import Cycle, Job, OutboxMail, Scorecard
from portal.moments import format_in_zone
from tests.admin.cycles.test_cycles import FORM, beside
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from werkzeug.test import TestResponse

    from tests.admission import Admission


def test_the_dates_of_a_first_cycle_begin_tomorrow_and_end_with_their_days() -> None:
    now = datetime(2026, 11, 27, 6, 30, tzinfo=UTC)
    values = next_values(None, now)
    dates = [local_time(date, values.zone) for date in (values.opens_at, values.deadline_at, values.reply_by_at)]
    assert [f"{date:%Y-%m-%d %H:%M}" for date in dates] == ["2026-11-28 00:00", "2027-01-26 23:59", "2027-04-26 23:59"]


@pytest.mark.parametrize(
    ("opens", "deadline", "says"),
    [
        ("2031-10-01T09:00", "2031-12-15T23:59", "Opens 1 Oct 2031, 09:00 (Berlin, UTC+02:00)"),
        ("2026-01-01T09:00", "2031-12-15T23:59", "Open until 15 Dec 2031, 23:59"),
        ("2020-01-01T09:00", "2020-12-15T23:59", "Deadline passed 15 Dec 2020, 23:59 (Berlin, UTC+01:00)"),
    ],
)
def test_whoever_makes_a_cycle_reads_whether_it_is_open(
    admission: Admission, opens: str, deadline: str, says: str
) -> None:
    client = admission.admin.sign_in()
    form = FORM | {"opens_at": opens, "deadline_at": deadline, "reply_by_at": "2032-03-01T12:00"}
    page = client.get(submit(client, "/admin/new-cycle", form).location).text
    assert "Fall 2027 is created." in page
    assert says in re.sub(r"<[^>]+>", "", page)


def test_whoever_moves_a_date_reads_that_nobody_is_told_by_mail(admission: Admission) -> None:
    client = admission.admin.sign_in()
    address = submit(client, "/admin/new-cycle", FORM).location
    client.get(address)
    says = "Fall 2027 is saved. The new dates stand on every page; nobody is told by mail."
    submit(client, address, FORM | {"referees": "3", "version": "1"})
    assert says not in client.get(address).text
    submit(client, address, FORM | {"referees": "3", "deadline_at": "2026-12-20T23:59", "version": "2"})
    assert says in client.get(address).text


def test_a_wrong_deadline_moves_to_an_earlier_day_that_everybody_is_told(admission: Admission) -> None:
    submitted, eligible, drafting = (admission.add_applicant(name) for name in ("Ada", "Bo", "Cy"))
    admission.submitted(submitted, "Systems")
    admission.eligible(eligible, "Systems")
    admission.draft(drafting)
    cycle, client, now = admission.cycle, admission.admin.sign_in(), datetime.now(UTC)
    cycle.opens_at, cycle.deadline_at = now - timedelta(days=60), now + timedelta(days=400)
    cycle.reply_by_at = now + timedelta(days=460)
    admission.session.commit()
    page = f"/admin/cycles/{cycle.slug}"

    def save(**dates: int) -> TestResponse:
        """Send the form with its dates these days from now."""
        typed = {
            name: f"{local_time(now + timedelta(days=days), FORM['zone']):%Y-%m-%dT%H:%M}"
            for name, days in {"opens_at": -60, "reply_by_at": 460, **dates}.items()
        }
        return submit(client, page, FORM | typed | {"version": "1", "questions": ""})

    refused = save(deadline_at=6)
    assert (refused.status_code, "at least 7 days from now" in refused.text) == (422, True)
    assert save(deadline_at=8).status_code == 302
    said = client.get(page).text
    assert "2 applicants are told the new deadline by mail." in said
    job = re.search(r'href="(/jobs/\d+)">See how far the mails are</a>', said)
    assert job is not None
    assert "2 applicants are told the new deadline by mail." in client.get(job[1]).text
    told = select(OutboxMail.address).where(OutboxMail.kind == "deadline_moved").order_by(OutboxMail.id)
    assert admission.session.scalars(told).all() == [submitted.email, drafting.email]
    news = submitted.sign_in().get("/accounts/news").text
    admission.session.expire_all()
    assert f"is now {format_in_zone(admission.cycle.deadline_at, FORM['zone'])}" in news


def test_the_job_that_tells_a_deadline_tells_it_once_and_ends_where_it_has_moved_again(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline_work, "AT_ONCE", 2)
    session, people = admission.session, [admission.add_applicant() for _ in range(5)]
    for person in people:
        admission.draft(person)
    moved_at = admission.later(seconds=1)
    admission.later(seconds=1)
    admission.draft(admission.add_applicant())  # began with the new deadline in view
    telling = begin_telling(session, admission.cycle, by=admission.user(admission.admin), now=moved_at)
    assert telling is not None
    assert telling.applicants == 5
    arguments, job = session.get_one(Job, telling.job_id).arguments, JOBS[TELL]
    session.rollback()  # else it would be done at once
    told = select(OutboxMail.address).where(OutboxMail.kind == "deadline_moved").order_by(OutboxMail.id)

    class Killed:
        """Progress of a process that is killed after its first step."""

        def step(self, _done: int, _total: int | None, _doing: str = "") -> None:
            raise SystemExit

    class Steps:
        def __init__(self) -> None:
            self.done: list[tuple[int, int | None]] = []

        def step(self, done: int, total: int | None, _doing: str = "") -> None:
            self.done.append((done, total))

    with pytest.raises(SystemExit):
        job.run(session, arguments, Killed())
    session.commit()
    assert len(session.scalars(told).all()) == 2
    steps = Steps()
    assert job.run(session, arguments, steps).text == "5 applicants are told the new deadline by mail."
    assert steps.done == [(2, 5), (4, 5), (5, 5)]
    assert session.scalars(told).all() == [person.email for person in people]
    admission.cycle.deadline_at += timedelta(days=1)
    session.commit()
    with pytest.raises(JobRefused, match="The deadline has moved again"):
        job.run(session, arguments, steps)


def test_a_deadline_that_applicants_were_told_leaves_them_some_days(admission: Admission) -> None:
    admission.submitted(admission.add_applicant(), "Systems")
    slug = admission.cycle.slug
    form = {**FORM, "opens_at": "2026-01-01T09:00", "deadline_at": "2026-01-02T09:00", "version": "1"}
    response = submit(admission.admin.sign_in(), f"/admin/cycles/{slug}", form)
    assert response.status_code == 422
    assert "or to one that is at least 7 days from now." in beside(response.text, "deadline_at")


BOX = 'name="are_reworded"'


def texts(questions: tuple[dict[str, object], ...]) -> dict[str, object]:
    return {str(question["key"]): question["text"] for question in questions}


def test_a_question_that_was_answered_can_be_put_into_better_words_and_keeps_its_answers(admission: Admission) -> None:
    client = admission.admin.sign_in()
    before = questions_from_text("Wich projects? *\nAnything else?")
    application = admission.submitted(admission.add_applicant(), "Systems")
    application.answers = {str(before[0]["key"]): "A store."}
    cycle = admission.cycle
    cycle.questions = list(before)
    admission.session.commit()
    dates = {"opens_at": "2026-01-01T09:00", "deadline_at": "2031-12-15T23:59", "reply_by_at": "2032-03-01T12:00"}
    address = f"/admin/cycles/{cycle.slug}"
    form = FORM | dates | {"version": "1", "questions": "Which projects? *\nAnything else?"}
    assert BOX not in client.get(address).text
    refused = submit(client, address, form)
    assert (refused.status_code, BOX in refused.text) == (422, True)
    assert "Applicants have answered “Wich projects?” already." in refused.text
    assert submit(client, address, form | {"are_reworded": "y"}).status_code == 302
    admission.session.expire_all()
    assert [(question["key"], question["text"]) for question in admission.cycle.questions] == [
        (before[0]["key"], "Which projects?"),
        (before[1]["key"], "Anything else?"),
    ]


def test_only_as_many_new_questions_as_are_missing_take_their_keys() -> None:
    before = questions_from_text("One?\nTwo?\nThree?")
    first, _, third = (question["key"] for question in before)
    reworded = questions_from_text("First?\nTwo?\nThird?", before, are_reworded=True)
    assert {first: "First?", third: "Third?"}.items() <= texts(reworded).items()
    more = questions_from_text("First?\nTwo?\nThird?\nFourth?", before, are_reworded=True)
    assert {first, third}.isdisjoint(texts(more))


def test_the_old_words_of_a_question_make_another_one_beside_it() -> None:
    before = questions_from_text("Why?")
    reworded = questions_from_text("Why a Ph.D.?", before, are_reworded=True)
    both = questions_from_text("Why a Ph.D.?\nWhy?", reworded)
    assert [question["text"] for question in both] == ["Why a Ph.D.?", "Why?"]
    assert (both[0]["key"] == before[0]["key"], both[1]["key"] == before[0]["key"]) == (True, False)


@pytest.fixture
def past(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app, now=datetime.now(UTC) - timedelta(days=400))
        one.add_lab("Systems")
        yield one


def test_the_texts_of_the_scorecard_are_a_cycle_s_own_until_a_card_is_locked(past: Admission) -> None:
    client = past.admin.sign_in()
    long = submit(client, "/admin/new-cycle", FORM | {"rubric-fit_2": "zz" * 200, "rubric-fit_3": "Zz kept"})
    assert long.status_code == 422
    field = long.text.split('id="rubric-fit_2"', 1)[1].split('id="rubric-fit_3"', 1)[0]
    assert "Keep it to 300 characters." in field
    assert 'value="Zz kept"' in long.text
    assert submit(client, "/admin/new-cycle", FORM | {"rubric-fit_2": " Zz  second "}).status_code == 302
    made = past.session.scalars(select(Cycle).where(Cycle.slug == "fall-2027")).one()
    assert made.rubric == {"fit": ["", "Zz second", "", "", ""]}
    assert 'value="Zz second"' in client.get("/admin/new-cycle").text  # the next cycle begins with it
    choice = past.choice(past.eligible(past.add_applicant(), "Systems"), "Systems")
    choice.application.cycle_id = made.id
    leader = past.leaders["Systems"]
    card = Scorecard(choice_id=choice.id, reviewer_id=leader.id, changed_at=past.now)
    past.session.add(card)
    past.session.commit()
    page = "/admin/cycles/fall-2027"
    assert submit(client, page, FORM | {"rubric-fit_2": "", "version": "1"}).status_code == 302
    past.session.expire_all()
    assert made.rubric == {}
    card.abstained, card.abstain_reason, card.locked_at = True, "I know them.", past.now
    past.session.commit()
    refused = submit(client, page, FORM | {"rubric-fit_2": "Other", "version": "2"})
    assert (refused.status_code, refused.text.count("A scorecard of this cycle is locked,")) == (422, 2)
    past.session.expire_all()
    assert made.rubric == {}
    assert submit(client, page, FORM | {"name": "Fall", "version": "2"}).status_code == 302
