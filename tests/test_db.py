"""What SQLite does differently, and the portal evens out."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from alembic.ddl.sqlite import SQLiteImpl
from flask_migrate import check, downgrade, upgrade
from sqlalchemy import (
    create_engine,
    func,
    inspect,
    select,
    table,
    text,
)

from portal.app import create_app
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.backups.database import revision_of
from portal.db import Base, db
from portal.models import Lab
from tests.admission import add_admission
from tests.filled_tables import fill_tables

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from sqlalchemy import Engine, Table


def _labs() -> int:
    return db.session.scalar(select(func.count()).select_from(Lab)) or 0


def test_what_a_savepoint_wrote_goes_with_the_transaction_around_it(app: Flask) -> None:
    """Also where nothing was written before it."""
    with app.app_context():
        assert _labs() == 0
        with db.session.begin_nested():
            db.session.add(Lab(slug="ada", name="Ada Lab", changed_at=datetime.now(UTC)))
        db.session.rollback()
        assert _labs() == 0
        with db.session.begin_nested():
            db.session.add(Lab(slug="ada", name="Ada Lab", changed_at=datetime.now(UTC)))
        db.session.commit()
        assert _labs() == 1


def test_the_number_of_an_application_that_was_erased_is_not_given_to_another(app: Flask) -> None:
    """It stands in addresses, forms, the audit log and the names of mails, which would then be about another one."""
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Systems")
        ada, bob = (admission.add_applicant(name) for name in ("Ada", "Bob"))
        first = admission.draft(ada, "Systems")
        numbers = [first.id, first.choices[0].id]
        erase_everything(db.session(), file_store(app), admission.user(ada), now=admission.now)
        db.session.commit()
        second = admission.draft(bob, "Systems")
        assert [second.id, second.choices[0].id] == [number + 1 for number in numbers]


def _tables(engine: Engine) -> dict[str, set[str]]:
    """The columns and constraints of each table and each index, as SQLite wrote them down."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all()
    own = {"alembic_version", "sqlite_sequence"}
    return {name: {sql} if "INDEX" in sql else set(_parts(sql)) for name, sql in found if name not in own}


def _parts(sql: str) -> list[str]:
    """What stands between the commas of the outermost brackets; whether ids are given once only comes first."""
    parts, depth = [""], 0
    for sign in sql[sql.index("(") + 1 : sql.rindex(")")]:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [str("AUTOINCREMENT" in sql), *(re.sub(r"\s+", " ", part.replace('"', "")).strip() for part in parts)]


def test_the_migrations_make_every_constraint_and_index_that_the_tables_have(migrated_database: Path) -> None:
    """Of which Alembic compares only some."""
    migrated = create_engine(f"sqlite:///{migrated_database}", module=sqlite3)
    fresh = create_engine("sqlite://")
    Base.metadata.create_all(fresh)
    assert _tables(migrated) == _tables(fresh)
    migrated.dispose()


def test_the_migrations_make_what_the_tables_say_and_can_be_taken_back(app: Flask) -> None:
    with app.app_context():
        check()
        downgrade(revision="base")
        assert inspect(db.engine).get_table_names() == ["alembic_version"]
        upgrade()
        check()


@pytest.mark.sqlite
def test_a_writer_waits_half_a_minute_for_another_one(app: Flask) -> None:
    """So that in a deadline hour saves are late rather than refused."""
    with app.app_context():
        assert db.session.execute(text("PRAGMA busy_timeout")).scalar_one() == 30_000


def _filled(settings: dict[str, str], folder: Path) -> Flask:
    """An application over a database with the first tables, each with a row."""
    app = create_app({**settings, "PORTAL_INSTANCE": str(folder)})
    with app.app_context():
        upgrade(revision="first")
        fill_tables(db.engine)
        assert set(_counts(db.engine).values()) == {1}
    return app


@pytest.mark.sqlite
@pytest.mark.usefixtures("later_version")
def test_an_upgrade_keeps_every_row(settings: dict[str, str], tmp_path: Path) -> None:
    """Where a table is written anew, the rows that refer to it stay."""
    with _filled(settings, tmp_path).app_context():
        before = _counts(db.engine)
        upgrade()
        assert _counts(db.engine) == before
        assert db.session.execute(text("PRAGMA foreign_key_check")).all() == []
        db.engine.dispose()


@pytest.mark.sqlite
def test_an_upgrade_that_breaks_off_has_changed_nothing(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later_version: str
) -> None:
    """As where its process is killed: with a table dropped and its copy not yet in its place, none could follow."""
    with _filled(settings, tmp_path).app_context():
        before = _counts(db.engine)
        drop = SQLiteImpl.drop_table

        def break_off(self: SQLiteImpl, table: Table, **options: Any) -> None:  # noqa: ANN401  (as Alembic has it)
            drop(self, table, **options)
            raise OSError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(SQLiteImpl, "drop_table", break_off)
            with pytest.raises(OSError, match="the disk is full"):
                upgrade()
        assert _counts(db.engine) == before
        upgrade()
        assert _counts(db.engine) == before
        with db.engine.connect() as connection:
            assert revision_of(connection) == later_version
        db.engine.dispose()


def _counts(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table(name))).scalar_one()
            for name in inspect(engine).get_table_names()
            if name != "alembic_version"
        }
