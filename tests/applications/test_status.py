"""Nothing that is not released shows on any page of its applicant, in their export or in their mail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.applications.cycles import last_submission
from portal.applications.match_records import keep_records
from portal.applications.states import STAGING
from portal.labs.live_index.live import live_index
from portal.models import InterviewSlot, OutboxMail
from tests.applications.admission_pages import LABS, RANKED, Applying, main_text, pages_of, past_admission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from flask import Flask

    from portal.models import Application, Choice
    from tests.admission import Admission

MARKER = "Zebrafinch says nobody may read this yet."


@pytest.fixture
def past(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        yield past_admission(app)


def everything_shown(me: Applying) -> dict[str, str]:
    """The words of every page that an applicant has, and what is exported."""
    overview = ("/me/", "/me/", "/me/compare?lab=systems&lab=vision", "/accounts/news", "/me/labs")
    own = [me.page + below for below in ("", "receipt", "labs/systems/match", "labs/vision/match")]
    own += [me.page + below for below in ("labs/systems/accept", "labs/systems/decline", "interview", "withdraw")]
    shown = {address: main_text(me.client.get(address).text) for address in (*overview, *own)}
    bundle = json.loads(me.client.get("/me/export").text)
    return {**shown, "export": json.dumps({**bundle, "exported_at": ""})}


@pytest.mark.parametrize("decision", sorted(STAGING))
def test_nothing_of_a_decision_shows_anywhere_before_its_release(past: Admission, decision: str) -> None:
    person = past.add_applicant()
    application = past.eligible(person, *LABS)
    with_record(past, application)
    choice = past.choice(application, "Systems")
    past.move(choice, "start_review", as_="leader")
    me = pages_of(person, past)
    in_review = everything_shown(me)
    assert "In review" in in_review[me.page]
    past.later(hours=1)
    past.move(choice, "shortlist", as_="leader", message=MARKER)
    assert everything_shown(me) == in_review
    past.move(choice, "invite_to_interview", as_="leader")
    past.session.add(interview_of(choice, past.later(hours=1)))
    past.later(hours=1)
    past.move(choice, "mark_interviewed", as_="leader")
    before = everything_shown(me)
    assert "Interviewed" in before[me.page]
    past.later(hours=1)
    past.move(choice, "rank", decision, as_="leader", message=MARKER)
    assert everything_shown(me) == before
    mails = past.session.scalars(select(OutboxMail).where(OutboxMail.user_id == person.id)).all()
    assert all(MARKER not in json.dumps(mail.context) for mail in mails)
    past.one_move(choice, "release", "admin")
    after = everything_shown(me)
    assert MARKER in after[me.page]
    assert MARKER in after["export"]


def interview_of(choice: Choice, at: datetime) -> InterviewSlot:
    """The time at which an interview took place."""
    return InterviewSlot(
        lab_id=choice.lab_id,
        cycle_id=choice.application.cycle_id,
        choice_id=choice.id,
        uid=f"interview-{choice.id}",
        starts_at=at,
        zone="UTC",
        created_at=at,
    )


def with_record(admission: Admission, application: Application) -> None:
    """Keep the match records, as the index does when it is there."""
    submission = last_submission(admission.session, application)
    assert submission is not None
    labs = live_index(admission.app).current(admission.session)
    keep_records(admission.session, labs, submission, application.choices, now=admission.now)
    admission.session.commit()


def test_when_it_ends_a_choice_that_was_secretly_declined_looks_like_any_other(past: Admission) -> None:
    seen, start = [], past.now
    for decline in (False, True):
        past.now = start
        person = past.add_applicant("Same Name")
        application = past.eligible(person, *LABS)
        systems, vision = (past.choice(application, lab) for lab in LABS)
        past.move(systems, *RANKED, "offer", as_="leader")
        past.one_move(systems, "release", "admin")
        past.move(vision, "start_review", as_="leader")
        if decline:
            past.one_move(vision, "decline", "leader", message=MARKER)
        me = pages_of(person, past)
        confirmation = me.read("labs/systems/accept")
        assert "What this closes Vision" in main_text(confirmation)
        past.one_move(systems, "accept", "applicant")
        seen.append((main_text(me.read()).replace(person.email, "…"), [one["what"] for one in timeline(me)]))
    assert seen[0] == seen[1]
    assert "Vision Closed since" in seen[1][0]


def timeline(me: Applying) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(me.client.get("/me/export").text)["applications"][0]["timeline"]
    return found
