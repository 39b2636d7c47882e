"""Fills tables with a row each, for tests of migrations and backups."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Boolean, DateTime, Float, Integer, MetaData

if TYPE_CHECKING:
    from sqlalchemy import Column, Engine

_FILLED = {"alembic_version", "audit_head"}  # by the migrations
_DAYS = itertools.count()


def fill_tables(engine: Engine, *names: str) -> None:
    """Insert a row into each table of a SQLite database, or into those named. Foreign keys refer to the first rows, and
    what else a table checks is not.
    """
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        for table in tables.sorted_tables:
            if table.name not in _FILLED and (not names or table.name in names):
                needed = [column for column in table.columns if not column.nullable or column.foreign_keys]
                connection.execute(table.insert().values({column.name: _anything(column) for column in needed}))
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")


def _anything(column: Column[Any]) -> object:
    match column.type:
        case Integer() | Boolean():
            return 1
        case Float():
            return 0.5
        case DateTime():
            # SQLite stores no zone; of two moments the column that comes later is the later one.
            return datetime(2026, 1, 1) + timedelta(days=next(_DAYS))  # noqa: DTZ001
        case JSON():
            return {}
        case _:
            return "x"
