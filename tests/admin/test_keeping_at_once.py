"""Ten who confirm or remind at the same moment do it once, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.db import db
from portal.labs.freshness import confirm, remind
from portal.labs.queries import lab_by_slug
from portal.models import AuditEntry, Lab, Notification, User
from tests.admin.desk import PROFILE, store
from tests.admin.labs.test_own_lab import attach
from tests.at_once import at_once
from tests.databases import application_over_each
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
app = application_over_each()


def test_each_is_done_once(app: Flask) -> None:
    store(app, PROFILE)
    leader = add_person(app, "professor")
    attach(app, leader, PROFILE.key, "leader")

    def ten_at_once(act: Callable[[Lab, User], object]) -> None:
        def run(_number: int) -> None:
            lab, user = lab_by_slug(db.session(), PROFILE.key), db.session.get(User, leader.id)
            assert lab is not None
            assert user is not None
            act(lab, user)
            db.session.commit()

        at_once(run, 10, app=app)

    session = db.session
    ten_at_once(lambda _lab, _user: remind(session(), 180, NOW))
    assert session.scalar(select(func.count(Notification.id))) == 1
    ten_at_once(lambda lab, user: confirm(session(), lab, revision_number=1, author=user, now=NOW))
    ten_at_once(lambda _lab, _user: remind(session(), 180, NOW + timedelta(days=180)))
    acts = dict(session.execute(select(AuditEntry.act, func.count()).group_by(AuditEntry.act)).all())
    assert session.scalar(select(func.count(Notification.id))) == 0
    assert session.scalar(select(Lab.confirmed_on)) == NOW.date()
    assert acts["lab.confirm"] == 1
