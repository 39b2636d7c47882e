"""Profiles are confirmed with one click, marked where that is too long ago, and asked about once in that time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.jobs.registry import CLOCKWORK
from portal.labs.freshness import remind
from portal.labs.queries import lab_by_slug
from portal.models import AuditEntry, Lab, Notification, OutboxMail
from portal.seeding.records import LabRecord
from tests.admin.desk import PROFILE, Desk, store
from tests.admin.labs.test_own_lab import HOME, attach, professor

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

__all__ = ["professor"]

DAYS = 180
TODAY = datetime.now(UTC).date()


def confirmed_on(app: Flask) -> date | None:
    with app.app_context():
        lab = lab_by_slug(db.session(), PROFILE.key)
        assert lab is not None
        return lab.confirmed_on


def set_confirmed(app: Flask, days_ago: int) -> None:
    with app.app_context():
        db.session.query(Lab).update({"confirmed_on": TODAY - timedelta(days=days_ago)})
        db.session.commit()


def reminded(app: Flask, now: datetime) -> tuple[int, int]:
    """How many labs were found, and how many mails there are."""
    with app.app_context():
        found = remind(db.session(), DAYS, now)
        db.session.commit()
        return found, len(db.session.scalars(select(OutboxMail).where(OutboxMail.kind == "profile_stale")).all())


@pytest.mark.parametrize("who", ["desk", "professor"])
def test_one_click_confirms_what_was_seen(app: Flask, request: pytest.FixtureRequest, who: str) -> None:
    one: Desk = request.getfixturevalue(who)
    home = HOME if who == "professor" else "/admin/labs/relaxed-lab"
    desk: Desk = request.getfixturevalue("desk")
    desk.saves(about="Changed meanwhile.")
    one.post(f"{home}/confirm", {"base": 1}, page=home)
    assert confirmed_on(app) is None
    assert "was saved since you opened this page" in one.client.get(home).text
    for _ in range(2):
        one.post(f"{home}/confirm", {"base": 2}, page=home)
    assert confirmed_on(app) == TODAY
    page = one.client.get(home).text
    assert "Confirmed: the profile of Relaxed Lab is marked as true until" in page
    with app.app_context():
        acts = db.session.scalars(select(AuditEntry).where(AuditEntry.act == "lab.confirm")).all()
        assert [act.after for act in acts] == [{"confirmed_on": TODAY.isoformat(), "revision": 2}]
    assert one.revision_number() == 2


@pytest.mark.parametrize(("days_ago", "stale"), [(0, False), (DAYS, False), (DAYS + 1, True)])
def test_a_profile_is_marked_from_the_day_after_its_last(
    app: Flask, desk: Desk, professor: Desk, days_ago: int, *, stale: bool
) -> None:
    set_confirmed(app, days_ago)
    assert ("May be out of date:" in app.test_client().get("/labs/relaxed-lab").text) is stale
    assert ("Profile •" in professor.client.get("/reviews/relaxed-lab/").text) is stale
    assert ("Relaxed Lab" in desk.client.get("/admin/labs/?confirmed=no").text) is stale
    assert ("too long ago" in desk.client.get("/admin/labs/?sort=confirmed").text) is stale
    assert ("too long ago" in professor.client.get(HOME).text) is stale


def test_the_setting_says_how_long(app: Flask, desk: Desk) -> None:
    set_confirmed(app, 200)
    assert "May be out of date:" in desk.client.get("/labs/relaxed-lab").text
    app.config["PORTAL"] = replace(app.config["PORTAL"], confirm_days=300)
    assert "May be out of date:" not in desk.client.get("/labs/relaxed-lab").text
    store(app, LabRecord(key="never", name="Never Lab"))
    assert "the lab has not confirmed this profile yet" in desk.client.get("/labs/never").text


def test_leaders_are_asked_once_in_each_period_and_not_after_they_confirmed(
    app: Flask, professor: Desk, person: Callable[..., Person]
) -> None:
    attach(app, person("professor"), PROFILE.key, "reviewer")
    store(app, LabRecord(key="nobody", name="Nobody leads"))
    now = datetime.now(UTC)
    assert [reminded(app, now), reminded(app, now + timedelta(days=1))] == [(1, 1), (0, 1)]
    assert reminded(app, now + timedelta(days=DAYS)) == (0, 1)
    assert reminded(app, now + timedelta(days=DAYS + 1)) == (1, 2)
    with app.app_context():
        (told,) = {(news.text, news.path) for news in db.session.scalars(select(Notification))}
        assert told == ("Relaxed Lab: please look over the profile and confirm that it is still up to date.", HOME)
    professor.post(f"{HOME}/confirm", {"base": 1}, page=HOME)
    with app.app_context():
        assert db.session.scalars(select(Notification)).all() == []
    later = now + timedelta(days=2 * DAYS + 2)
    assert [reminded(app, later), reminded(app, later)] == [(1, 3), (0, 3)]


def test_the_clock_asks(app: Flask, professor: Desk) -> None:
    del professor
    with app.app_context():
        CLOCKWORK["reminders of profiles"].run(db.session(), datetime.now(UTC))
        db.session.commit()
        assert len(db.session.scalars(select(Notification)).all()) == 1
