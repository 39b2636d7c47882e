"""Ten who propose, confirm or remind at the same moment do it once, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.db import db
from portal.labs.freshness import confirm, remind
from portal.labs.own_proposals import propose
from portal.labs.queries import lab_by_slug
from portal.models import AuditEntry, Lab, LabProposal, Notification, User
from portal.seeding.changes import Change
from tests.admin.desk import PROFILE, store
from tests.admin.test_at_once import at_once
from tests.admin.test_own_lab import attach
from tests.databases import application_over_each
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TEN = 10
app = application_over_each()


def test_each_is_done_once(app: Flask) -> None:
    store(app, PROFILE)
    leader = add_person(app, "professor")
    attach(app, leader, PROFILE.key, "leader")

    def in_request(act: Callable[[Lab, User], object]) -> Callable[[], None]:
        def run() -> None:
            with app.app_context():
                lab, user = lab_by_slug(db.session(), PROFILE.key), db.session.get(User, leader.id)
                assert lab is not None
                assert user is not None
                act(lab, user)
                db.session.commit()

        return run

    change = Change("name", "changed", PROFILE.name, "Other Lab")
    session = db.session
    at_once([in_request(lambda lab, user: propose(session(), lab, [change], author=user, reason="Why", now=NOW))] * TEN)
    assert session.scalar(select(func.count(LabProposal.id))) == 1
    at_once([in_request(lambda _lab, _user: remind(session(), 180, NOW))] * TEN)
    assert session.scalar(select(func.count(Notification.id))) == 1
    at_once([in_request(lambda lab, user: confirm(session(), lab, revision_number=1, author=user, now=NOW))] * TEN)
    at_once([in_request(lambda _lab, _user: remind(session(), 180, NOW + timedelta(days=180)))] * TEN)
    acts = dict(session.execute(select(AuditEntry.act, func.count()).group_by(AuditEntry.act)).all())
    assert (acts["lab.propose"], session.scalar(select(func.count(Notification.id)))) == (1, 0)
    assert session.scalar(select(Lab.confirmed_on)) == NOW.date()
    assert acts["lab.confirm"] == 1
