"""What administrators may not do to accounts, cycles and releases: each rule at its edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.forms import values_of
from portal.admin.cycles.releases.service import why_not_approve
from portal.admin.cycles.rules import (
    LONGEST_QUESTION,
    MOST_QUESTIONS,
    why_not_deadline,
    why_not_earlier,
    why_not_most_choices,
    why_not_questions,
    why_not_reply_by,
)
from portal.admin.rules import why_not_suspend, why_not_take_role
from portal.models import Cycle, Lab, Release, Role, User
from portal.models.user import ADMIN, APPLICANT, PROFESSOR
from tests.admission import add_admission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission

MINUTE = timedelta(minutes=1)
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
LAST = "This is the last administrator. Make somebody else an administrator first."


def account(number: int, *roles: str, active: bool = True) -> User:
    return User(id=number, name="Ann", email="a@example.edu", active=active, roles=[Role(name=role) for role in roles])


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        admission = add_admission(app, now=NOW, deadline_in=timedelta(days=30))
        for name in ("Systems", "Theory"):
            admission.add_lab(name)
        yield admission


def test_the_last_administrator_who_acts_keeps_the_role_and_the_account() -> None:
    last, other = account(1, ADMIN), account(2, ADMIN)
    assert why_not_take_role(last, ADMIN, acting_admins=1, labs=()) == LAST
    assert why_not_take_role(last, ADMIN, acting_admins=2, labs=()) is None
    assert why_not_take_role(account(1, ADMIN, active=False), ADMIN, acting_admins=1, labs=()) is None
    assert why_not_suspend(last, actor=other, acting_admins=1) == LAST
    assert why_not_suspend(last, actor=other, acting_admins=2) is None
    assert why_not_suspend(account(1, APPLICANT), actor=other, acting_admins=1) is None


def test_who_reads_for_a_lab_stays_a_professor_but_may_lose_other_roles() -> None:
    reader, labs = account(1, PROFESSOR, APPLICANT), [Lab(name="Systems"), Lab(name="Theory")]
    refused = "Ann is attached to Systems, Theory. Detach them from every lab first."
    assert why_not_take_role(reader, PROFESSOR, acting_admins=1, labs=labs) == refused
    assert why_not_take_role(reader, APPLICANT, acting_admins=1, labs=labs) is None


def test_a_release_needs_a_second_administrator_and_the_only_one_is_told_what_to_do() -> None:
    release = Release(state="prepared", prepared_by_id=1)
    assert why_not_approve(release, account(2, ADMIN), 2) is None
    second = "You prepared this release; another administrator releases it."
    assert why_not_approve(release, account(1, ADMIN), 2) == second
    only = f"{second} You are the only administrator: make somebody else one first."
    assert why_not_approve(release, account(1, ADMIN), 1) == only
    assert why_not_approve(Release(state="done", prepared_by_id=1), account(2, ADMIN), 2) == "This release is done."


def cycle() -> Cycle:
    return Cycle(
        name="Fall 2027",
        zone="Etc/UTC",
        opens_at=NOW,
        deadline_at=NOW + MINUTE,
        reply_by_at=NOW + 2 * MINUTE,
        questions=[],
        rubric={},
    )


def test_a_cycle_opens_before_its_deadline_which_comes_before_the_replies() -> None:
    values = values_of(cycle())
    assert (why_not_deadline(values), why_not_reply_by(values)) == (None, None)
    late_opening = replace(values, opens_at=values.deadline_at)
    assert why_not_deadline(late_opening) == "The deadline comes after the opening. Give a later deadline."
    early_replies = replace(values, reply_by_at=values.deadline_at)
    assert why_not_reply_by(early_replies) == "Replies are due after the deadline. Give a later date for replies."


def test_a_form_has_twenty_questions_of_three_hundred_characters() -> None:
    longest = {"key": "q", "text": "q" * LONGEST_QUESTION}
    values = replace(values_of(cycle()), questions=(longest,) * MOST_QUESTIONS)
    assert why_not_questions(values) is None
    more = replace(values, questions=(longest,) * (MOST_QUESTIONS + 1))
    assert why_not_questions(more) == "The form takes 20 questions; these are 21. Take some out."
    longer = replace(values, questions=({"key": "q", "text": "q" * (LONGEST_QUESTION + 1)},))
    assert why_not_questions(longer) == f"A question may have 300 characters. Shorten “{'q' * 60}…”."


def test_choices_that_were_made_still_fit_into_a_changed_cycle(admission: Admission) -> None:
    admission.draft(admission.add_applicant(), "Systems", "Theory")
    values = values_of(admission.cycle)
    refused = "An applicant has chosen 2 labs already, so it cannot be fewer than 2."
    assert why_not_most_choices(admission.session, admission.cycle, replace(values, most_choices=1)) == refused
    assert why_not_most_choices(admission.session, admission.cycle, replace(values, most_choices=2)) is None


def test_choices_in_another_cycle_do_not_hold_this_one_back(admission: Admission) -> None:
    admission.draft(admission.add_applicant(), "Systems", "Theory")
    other = cycle()
    other.slug, other.created_at = "other", NOW
    other.most_choices, other.referees, other.retention_days = 5, 2, 730
    admission.session.add(other)
    admission.session.flush()
    assert why_not_most_choices(admission.session, other, replace(values_of(other), most_choices=1)) is None


def test_a_deadline_moves_earlier_only_while_nobody_has_submitted_or_with_a_week_left(admission: Admission) -> None:
    applicant = admission.add_applicant()
    admission.draft(applicant, "Systems")
    values = values_of(admission.cycle)
    earlier = replace(values, deadline_at=values.deadline_at - MINUTE)
    close = earlier.deadline_at - timedelta(days=7) + MINUTE
    assert why_not_earlier(admission.session, admission.cycle, earlier, close) is None
    admission.submitted(applicant, "Systems")
    told = "1 applicant was told that the deadline is 24 Dec 2026, 00:00 (Anywhere on Earth)."
    refused = f"{told} It can be moved to a later date, or to one that is at least 7 days from now."
    assert why_not_earlier(admission.session, admission.cycle, earlier, close) == refused
    assert why_not_earlier(admission.session, admission.cycle, earlier, close - MINUTE) is None
    assert why_not_earlier(admission.session, admission.cycle, values, close) is None
