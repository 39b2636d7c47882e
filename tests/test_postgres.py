"""The portal on PostgreSQL: the same migrations, the same saves, one winner of two."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from flask_migrate import check, downgrade, upgrade
from sqlalchemy import create_engine, select, text

from portal import create_app
from portal.accounts.service import create_person
from portal.db import db
from portal.labs import service
from portal.models import AuditEntry, Lab
from portal.seeding.records import LabRecord, WorkRecord
from tests.at_once import at_once
from tests.people import PASSWORD, add_person, csrf_token
from tests.revisions import revisions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 20, tzinfo=UTC)
PROFILE = LabRecord("ada-lab", "Ada Lab", works=(WorkRecord("loom", "A Loom"),))


@pytest.fixture
def app(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    application = create_app(
        {
            "PORTAL_MODE": "testing",
            "PORTAL_INSTANCE": str(tmp_path_factory.mktemp("instance")),
            "PORTAL_MAIL_URL": "memory:",
            "PORTAL_DATABASE_URL": postgres_url,
        }
    )
    with application.app_context():
        yield application
        db.session.remove()
        db.engine.dispose()


def test_the_migrations_make_what_the_tables_say_and_can_be_taken_back(app: Flask) -> None:
    assert app.config["SQLALCHEMY_DATABASE_URI"].startswith("postgresql+psycopg://")
    check()
    downgrade(revision="base")
    upgrade()
    check()


def test_of_many_simultaneous_saves_from_one_revision_exactly_one_wins(app: Flask) -> None:
    lab = service.create_lab(db.session(), PROFILE, author=None, reason="first", now=NOW)
    db.session.commit()
    lab_id = lab.id

    def save(number: int) -> str:
        mine = db.session.get_one(Lab, lab_id)
        edited = replace(PROFILE, about=f"Edit {number}")
        try:
            service.save_profile(db.session(), mine, edited, base=1, author=None, reason="race", now=NOW)
            db.session.commit()
        except service.StaleEdit as stale:
            db.session.rollback()
            return stale.merge.conflicts[0].path
        return "saved"

    assert sorted(at_once(save, 8, app=app)) == ["about"] * 7 + ["saved"]
    db.session.expire_all()
    assert [revision.number for revision in revisions_of(db.session(), lab)] == [2, 1]


def test_the_longest_address_has_an_account_and_is_in_the_audit_log(app: Flask) -> None:
    del app
    address = f"{'a' * 64}@{'b' * 63}.{'c' * 63}.{'d' * 48}.example.edu"
    assert len(address) == 253
    create_person(db.session(), address, PASSWORD, ["applicant"], name="", confirmed=True, now=NOW)
    db.session.commit()
    assert db.session.scalars(select(AuditEntry.object_key).where(AuditEntry.object_type == "account")).all() == [
        address
    ]


def test_an_address_with_a_nul_is_no_page(app: Flask) -> None:
    client = add_person(app, "admin", "professor", "applicant").sign_in()
    urls = ("/labs/%00", "/admin/labs/%00", "/admin/labs/a%00b/edit", "/reviews/%00/", "/me/labs/%00")
    assert [client.get(url).status_code for url in urls] == [404] * len(urls)


def test_a_form_that_names_a_lab_with_a_nul_names_none(app: Flask) -> None:
    person = add_person(app, "admin", "professor")
    client, page = person.sign_in(), f"/admin/people/{person.id}"
    sent = {"csrf_token": csrf_token(client, page), "lab": "a\0b", "slug": "a\0b", "position": "leader", "reason": "x"}
    answers = [client.post(f"{page}/{act}", data=sent).status_code for act in ("attach", "detach")]
    assert [status for status in answers if status >= 500] == []


def test_connections_that_the_server_closed_are_replaced_before_they_are_used(app: Flask, postgres_url: str) -> None:
    client = app.test_client()
    assert client.get("/readyz").status_code == 200
    db.session.remove()
    outside = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with outside.begin() as connection:
        ended = connection.execute(
            text("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        ).scalar_one()
    outside.dispose()
    assert ended > 0
    assert client.get("/labs/").status_code == 200
