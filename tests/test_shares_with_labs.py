"""The table of labs that applicants share with, which was of labs that they “named”: on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from flask_migrate import downgrade, upgrade
from sqlalchemy import inspect, select, text

from portal.db import db
from portal.models import LabShare
from tests.databases import application_over
from tests.filled_tables import fill_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.conftest import Settings

BEFORE = "jobs_that_were_refused"
AT = datetime(2026, 11, 3, 21, 55, 7, 123456, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def app(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Flask]:
    with application_over(request, settings) as application:
        yield application


def constraints(name: str) -> dict[str | None, list[str]]:
    """The names of a table's constraints, with the columns of each; what refers to others goes with them."""
    found = inspect(db.engine)
    key, others = found.get_pk_constraint(name), found.get_foreign_keys(name)
    assert {one["options"].get("ondelete") for one in others} == {"CASCADE"}
    return {one["name"]: one["constrained_columns"] for one in (key, *others)}


@pytest.mark.usefixtures("app")
def test_the_rows_of_the_table_go_along_to_its_new_name_and_back() -> None:
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
