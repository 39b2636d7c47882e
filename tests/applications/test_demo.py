from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.accounts.demo import ensure_demo_people
from portal.admin.cycles.announcements import ensure_demo_announcements
from portal.applications.demo import ensure_demo_admission, ensure_demo_interests
from portal.applications.files import file_store
from portal.applications.interests import service
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.sharing import shares_of
from portal.config import RESOURCES
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.seeding import seed_labs
from portal.matching import Topic
from portal.models import Announcement, AuditEntry, Choice, MatchRecord, MoveRecord, Notification, User

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PEOPLE = """
[[people]]
email = "{email}"
[people.interests]
statement = "I like queues."
topics = [{{ text = "LLM serving", weight = 2.0 }}]
discoverable = true
shares_with = ["{lab}"]
[people.resume]
text = "I wrote a scheduler."
"""


@pytest.fixture
def user(session: Session, applicant: Person) -> User:
    return session.get_one(User, applicant.id)


@pytest.fixture
def state(app: Flask, session: Session, tmp_path: Path, labs: None) -> Callable[..., None]:  # noqa: ARG001  (the labs are there)
    def run(email: str, lab: str = "serving-lab") -> None:
        (tmp_path / "demo_people.toml").write_text(PEOPLE.format(email=email, lab=lab), encoding="utf-8")
        ensure_demo_interests(session, file_store(app), tmp_path, NOW)
        session.commit()

    return run


def test_the_demo_applicant_has_stated_what_the_file_says(
    session: Session, user: User, state: Callable[..., None]
) -> None:
    state(user.email)
    stated = stated_in(interests_of(session, user))
    assert stated.topics == (Topic("LLM serving", 2.0),)
    assert (stated.statement, stated.discoverable) == ("I like queues.", True)
    assert [share.lab.slug for share in shares_of(session, user)] == ["serving-lab"]
    resume = resume_of(session, user)
    assert resume is not None
    assert (resume.text, resume.confirmed_at) == ("I wrote a scheduler.", NOW)


def test_what_was_changed_in_the_demo_stays(session: Session, user: User, state: Callable[..., None]) -> None:
    state(user.email)
    changed = replace(stated_in(interests_of(session, user)), statement="Changed.")
    service.save_interests(session, user, changed, base=1, now=NOW)
    session.commit()
    state(user.email)
    assert stated_in(interests_of(session, user)).statement == "Changed."


def test_a_person_or_lab_that_is_not_there_is_named(user: User, state: Callable[..., None]) -> None:
    with pytest.raises(LookupError, match=r"nobody@example\.edu has no account"):
        state("nobody@example.edu")
    with pytest.raises(LookupError, match="no lab has the address no-such-lab"):
        state(user.email, lab="no-such-lab")


SEEDS = RESOURCES / "seeds"


def test_the_demo_has_applications_in_many_states_made_by_legal_moves_and_only_once(app: Flask) -> None:
    with app.app_context():
        session, now = db.session(), datetime.now(UTC)
        seed_labs(session, SEEDS, now=now)
        ensure_demo_people(session, "demo-password-1", now)
        ensure_demo_interests(session, file_store(app), SEEDS, now)
        for _ in range(2):
            ensure_demo_admission(session, live_index(app).current(session), SEEDS, now)
            ensure_demo_announcements(session, SEEDS, now)
            session.commit()
        announcement = session.scalars(select(Announcement)).one()
        told = session.scalars(select(Notification).where(Notification.kind == "cycle_announcement")).all()
        assert (announcement.about, announcement.recipients) == ("When you hear from the labs", len(told))
        assert len(told) > 2
        shown = session.execute(select(Choice.state, Choice.shown_state).order_by(Choice.id)).all()
        assert {state for state, _ in shown} >= {
            "pending",
            "in_review",
            "shortlisted",
            "interview",
            "ranked",
            "offered",
        }
        assert [tuple(pair) for pair in shown].count(("offered", "offered")) == 1
        assert [tuple(pair) for pair in shown].count(("offered", "in_review")) == 1
        moves = session.scalars(select(MoveRecord.at).order_by(MoveRecord.id)).all()
        assert len(moves) == 32
        assert max(moves) < now
        assert moves == sorted(moves)
        acts = session.scalars(select(AuditEntry.at).where(AuditEntry.at < now).order_by(AuditEntry.id)).all()
        assert acts
        assert acts == sorted(acts)
        submitted = session.scalar(select(func.count()).select_from(Choice).where(Choice.score > 0))
        assert session.scalar(select(func.count()).select_from(MatchRecord)) == submitted == len(shown) - 1
