"""The demo's admission: every role finds something to do in it, and starting the demo again changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.accounts.demo import ensure_demo_people
from portal.admin.cycles.announcements.service import ensure_demo_announcements
from portal.applications.demo import ensure_demo_admission, ensure_demo_interests
from portal.applications.files import file_store
from portal.config import RESOURCES
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.seeding import seed_labs
from portal.models import Announcement, AuditEntry, Choice, MatchRecord, MoveRecord, Notification

if TYPE_CHECKING:
    from flask import Flask

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
