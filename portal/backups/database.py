"""A database of the portal at any revision, as tables with typed columns; read as of one moment."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alembic.migration import MigrationContext
from sqlalchemy import JSON, Text, bindparam, cast, column, func, insert, inspect, select, table, text

from portal.backups.manifest import TYPES, Kind, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Engine, TableClause

ALEMBIC = "alembic_version"  # its content is in the manifest
AT_ONCE = 200  # rows in memory at a time


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table: its columns with their kinds, and which of them form its primary key."""

    name: str
    columns: tuple[tuple[str, Kind], ...]
    key: tuple[str, ...]

    @property
    def clause(self) -> TableClause:
        """The table, for statements."""
        return table(self.name, *(column(name, TYPES[kind]) for name, kind in self.columns))


@contextmanager
def as_of_now(engine: Engine) -> Iterator[Connection]:
    """A connection that sees the database as of its first read, whatever others write meanwhile. Writes nothing.

    Nobody waits for it: SQLite serves the snapshot from the write-ahead log, PostgreSQL from its old row versions.
    """
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    is_sqlite = engine.dialect.name == "sqlite"
    with (engine if is_sqlite else engine.execution_options(**options)).connect() as connection:
        if is_sqlite:
            connection.exec_driver_sql("BEGIN")
        try:
            yield connection
        finally:
            connection.rollback()


def revision_of(connection: Connection) -> str | None:
    """The migration that the tables are at; None if there are none."""
    return MigrationContext.configure(connection).get_current_revision()


def shapes_of(connection: Connection) -> list[TableShape]:
    """All tables, each after those that it refers to.

    Raises:
        UnknownKindError: A column has an unknown kind.
    """
    inspector = inspect(connection)
    return [
        TableShape(
            name,
            tuple((reflected["name"], kind_of(reflected["type"])) for reflected in inspector.get_columns(name)),
            tuple(inspector.get_pk_constraint(name)["constrained_columns"]),
        )
        for name, _references in inspector.get_sorted_table_and_fkc_names()
        if name not in {None, ALEMBIC}
    ]


def count_rows(connection: Connection, shape: TableShape) -> int:
    """How many rows a table has."""
    return connection.execute(select(func.count()).select_from(shape.clause)).scalar_one()


def rows_of(connection: Connection, shape: TableShape) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of a table in the order of its primary key, in batches."""
    clause = shape.clause
    on_postgres = connection.dialect.name == "postgresql"
    columns = [
        cast(clause.c[name], Text) if kind == "json" and on_postgres else clause.c[name] for name, kind in shape.columns
    ]
    statement = select(*columns).order_by(*(clause.c[name] for name in shape.key))
    with connection.execute(statement, execution_options={"yield_per": AT_ONCE}) as result:
        yield from result.partitions()


def add_rows(connection: Connection, shape: TableShape, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows into a table; values in the order of the columns of `shape`."""
    on_postgres = connection.dialect.name == "postgresql"
    values = {}
    for index, (name, kind) in enumerate(shape.columns):
        value = bindparam(f"value_{index}", type_=TYPES[kind])
        values[name] = cast(value, JSON) if kind == "json" and on_postgres else value
    connection.execute(
        insert(shape.clause).values(values),
        [{f"value_{index}": value for index, value in enumerate(row)} for row in rows],
    )


def last_ids_given(connection: Connection, shapes: Sequence[TableShape]) -> dict[str, int]:
    """The last id that each table gave, for the tables that never give an id twice."""
    if connection.dialect.name == "sqlite":
        last_ids = _sqlite_last_ids(connection)
        return {shape.name: last_ids[shape.name] for shape in shapes if shape.name in last_ids}
    last_ids_by_table = {}
    for shape, sequence in _sequences(connection, shapes):
        last, is_given = connection.execute(text(f"SELECT last_value, is_called FROM {sequence}")).one()  # noqa: S608
        last_ids_by_table[shape.name] = int(last) if is_given else 0
    return last_ids_by_table


def continue_ids_after(connection: Connection, shapes: Sequence[TableShape], last: dict[str, int]) -> None:
    """Have each table give new ids above its highest one and above the one in `last`."""
    if connection.dialect.name == "sqlite":
        counting = set(connection.scalars(text("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")))
        for name in sorted(counting & last.keys()):
            values = {"name": name, "last": last[name]}
            updated = connection.execute(
                text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = :name"), values
            )
            if not updated.rowcount:
                connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), values)
        return
    for shape, sequence in _sequences(connection, shapes):
        highest = connection.scalar(select(func.max(shape.clause.c[shape.key[0]]))) or 0
        last_id = max(highest, last.get(shape.name, 0))
        connection.execute(select(func.setval(sequence, max(last_id, 1), last_id > 0)))


def _sqlite_last_ids(connection: Connection) -> dict[str, int]:
    """The last id that SQLite remembers of each table with AUTOINCREMENT; older versions of the portal had none."""
    if not connection.scalar(text("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'")):
        return {}
    return {str(name): int(last) for name, last in connection.execute(text("SELECT name, seq FROM sqlite_sequence"))}


def _sequences(connection: Connection, shapes: Sequence[TableShape]) -> Iterator[tuple[TableShape, str]]:
    """The tables whose primary key is a PostgreSQL sequence, with the sequence's name."""
    for shape in shapes:
        if len(shape.key) == 1:
            query = select(func.pg_get_serial_sequence(f'"{shape.name}"', shape.key[0]))
            sequence = connection.scalar(query)
            if sequence is not None:
                yield shape, str(sequence)
