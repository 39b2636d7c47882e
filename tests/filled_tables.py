"""Fills each table of a database of any revision with a row, for tests of migrations and backups."""

from __future__ import annotations

import itertools
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Boolean, DateTime, Float, Integer, MetaData, inspect

if TYPE_CHECKING:
    from sqlalchemy import Column, Engine

_FITTING = {"minutes": 30}
_DAYS = itertools.count()
_ONE_OF = re.compile(r"(\w+) IN \('(\w+)'")  # a CHECK on a column, with the first value it allows


def fill_tables(engine: Engine, *names: str) -> None:
    """Insert a row into each table, or into those named; foreign keys refer to the first rows."""
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for table in tables.sorted_tables:
            if table.name == "alembic_version" or (names and table.name not in names):
                continue
            row = {
                column.name: _anything(column) for column in table.columns if not column.nullable or column.foreign_keys
            }
            row |= {name: value for name, value in _FITTING.items() if name in row}
            for check in inspect(connection).get_check_constraints(table.name):
                if found := _ONE_OF.match(check["sqltext"]):
                    row[found[1]] = found[2]
            connection.execute(table.insert().values(row))


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
