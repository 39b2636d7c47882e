"""Migrations that rename tables keep the rows, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from flask_migrate import downgrade, upgrade
from sqlalchemy import inspect, select, text

from portal.db import db
from portal.models import Impersonation, LabShare, MailPreference
from tests.databases import application_over_each
from tests.filled_tables import fill_tables

BEFORE = "jobs_that_were_refused"
AT = datetime(2026, 11, 3, 21, 55, 7, 123456, tzinfo=UTC)
app = application_over_each()


def constraints(name: str) -> dict[str | None, list[str]]:
    """The names of a table's constraints, with the columns of each; what refers to others goes with them."""
    found = inspect(db.engine)
    key, others = found.get_pk_constraint(name), found.get_foreign_keys(name)
    assert {other["options"].get("ondelete") for other in others} == {"CASCADE"}
    return {one["name"]: one["constrained_columns"] for one in (key, *others)}


@pytest.mark.usefixtures("app")
def test_named_labs_become_lab_shares_and_back() -> None:
    downgrade(revision=BEFORE)
    fill_tables(db.engine, "user_account", "lab", "named_lab")
    with db.engine.begin() as connection:
        zone = "" if db.engine.dialect.name == "sqlite" else "+00"
        connection.execute(text("UPDATE named_lab SET named_at = :at"), {"at": f"2026-11-03 21:55:07.123456{zone}"})
        stored = connection.execute(text("SELECT user_id, lab_id, named_at FROM named_lab")).all()

    upgrade()
    share = db.session.scalars(select(LabShare)).one()
    assert (share.user_id, share.lab_id, share.shared_at) == (1, 1, AT)
    assert not inspect(db.engine).has_table("named_lab")
    assert constraints("lab_share") == {
        "pk_lab_share": ["user_id", "lab_id"],
        "fk_lab_share_user_id_user_account": ["user_id"],
        "fk_lab_share_lab_id_lab": ["lab_id"],
    }
    db.session.remove()

    downgrade(revision=BEFORE)
    assert not inspect(db.engine).has_table("lab_share")
    assert db.session.execute(text("SELECT user_id, lab_id, named_at FROM named_lab")).all() == stored
    assert set(constraints("named_lab")) == {
        "pk_named_lab",
        "fk_named_lab_user_id_user_account",
        "fk_named_lab_lab_id_lab",
    }


@pytest.mark.usefixtures("app")
def test_looks_become_impersonations_and_back() -> None:
    downgrade(revision="shares_with_labs")
    fill_tables(db.engine, "user_account")
    with db.engine.begin() as connection:
        names = [column["name"] for column in inspect(connection).get_columns("user_account") if column["name"] != "id"]
        values = ", ".join("'y'" if name in {"email", "fs_uniquifier"} else name for name in names)
        connection.execute(
            text(f"INSERT INTO user_account (id, {', '.join(names)}) SELECT 2, {values} FROM user_account")  # noqa: S608
        )
        zone = "" if db.engine.dialect.name == "sqlite" else "+00"
        connection.execute(
            text(
                "INSERT INTO look (id, admin_id, person_id, reason, began_at, ends_at, how_ended, pages, refused)"
                " VALUES (7, 1, 2, 'Asked', :at, :at, 'ended', '{\"/me\": 2}', 1)"
            ),
            {"at": f"2026-11-03 21:55:07.123456{zone}"},
        )
        connection.execute(text("INSERT INTO mail_preference (user_id, kind, how) VALUES (2, 'seen_as', 'never')"))

    upgrade()
    moved = db.session.get_one(Impersonation, 7)
    assert (moved.admin_id, moved.person_id, moved.began_at, moved.pages) == (1, 2, AT, {"/me": 2})
    assert db.session.scalars(select(MailPreference.kind)).all() == ["impersonation"]
    assert not inspect(db.engine).has_table("look")
    assert constraints("impersonation") == {
        "pk_impersonation": ["id"],
        "fk_impersonation_admin_id_user_account": ["admin_id"],
        "fk_impersonation_person_id_user_account": ["person_id"],
    }
    later = Impersonation(admin_id=1, person_id=2, reason="Again", began_at=AT, ends_at=AT, pages={}, refused=0)
    db.session.add(later)
    db.session.flush()
    assert later.id == 8
    db.session.commit()
    db.session.remove()

    downgrade(revision="shares_with_labs")
    assert db.session.execute(text("SELECT id, reason FROM look ORDER BY id")).all() == [(7, "Asked"), (8, "Again")]
    assert db.session.execute(text("SELECT kind FROM mail_preference")).all() == [("seen_as",)]
