"""What SQLite does differently, and the portal evens out."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, func, select

from portal.db import Base, db
from portal.models import Lab

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from sqlalchemy import Engine


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


def _tables(engine: Engine) -> dict[str, set[str]]:
    """The columns and constraints of each table, as SQLite wrote them down."""
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    return {name: set(_parts(sql)) for name, sql in found if name not in {"alembic_version", "sqlite_sequence"}}


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


def test_the_migrations_keep_every_constraint_that_the_tables_have(migrated_database: Path) -> None:
    """Where a migration writes a table anew, what it does not name is lost without a word."""
    migrated = create_engine(f"sqlite:///{migrated_database}", module=sqlite3)
    fresh = create_engine("sqlite://")
    Base.metadata.create_all(fresh)
    assert _tables(migrated) == _tables(fresh)
    migrated.dispose()
