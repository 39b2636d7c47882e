"""The database: Flask-SQLAlchemy over our own declarative base, naming convention and SQLite pragmas."""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVarTuple

from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, DateTime, MetaData, event, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Engine
from sqlalchemy.orm import DeclarativeBase, registry
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import CursorResult
    from sqlalchemy.engine import Connection
    from sqlalchemy.engine.interfaces import Dialect
    from sqlalchemy.orm import InstrumentedAttribute, Session
    from sqlalchemy.sql.selectable import TypedReturnsRows

Columns = TypeVarTuple("Columns")

NAMING_CONVENTION = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


NEVER_TWICE = {"sqlite_autoincrement": True}
"""For tables whose rows are deleted but whose ids appear in addresses, forms and names of mails: SQLite would otherwise
reuse the highest id.
"""

POSTGRES_WAITS = {
    "connect_timeout": 10,  # seconds
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 30_000,  # milliseconds without an acknowledgement of what was sent
}

_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i"}
    | {"ŋ": "n", "ə": "e", "ĸ": "k"}
)
"""Letters that do not decompose into a letter and an accent, with what people type for them."""


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time: aware datetimes in, UTC datetimes out, on every database. Naive ones are refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; SQLite stores it without the zone, since it has no type for zones."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"A point in time needs its zone: {value!r}")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To an aware datetime in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Base(DeclarativeBase):
    """The base class of all tables of the portal."""

    # On the registry rather than on the class: Flask-SQLAlchemy derives a second base from this one.
    registry = registry(
        metadata=MetaData(naming_convention=NAMING_CONVENTION),
        type_annotation_map={datetime: UtcDateTime(), dict[str, Any]: JSON(), list[str]: JSON()},
    )


def one_of(column: str, values: Iterable[str]) -> str:
    """The SQL of a CHECK that a column holds one of `values`."""
    return f"{column} IN ({', '.join(repr(value) for value in values)})"


db = SQLAlchemy(model_class=Base)
migrate = Migrate()


def columns(
    session: Session, statement: TypedReturnsRows[*Columns], values: Mapping[str, Any]
) -> CursorResult[*Columns]:
    """The rows of a statement that selects columns only, in a third of the time that mapped objects take. Flushes."""
    session.flush()
    return session.connection().execute(statement, values)


def folded_letters(text: str) -> str:
    """The form in which names are stored to be searched: lower case without accents and strokes."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return plain.casefold().translate(_PLAIN)


def insert_into(session: Session, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """An INSERT of the database's own dialect, which can handle conflicts (`on_conflict_do_nothing` …)."""
    return postgresql.insert(table) if session.get_bind().dialect.name == "postgresql" else sqlite.insert(table)


def lock_row(session: Session, column: InstrumentedAttribute[Any], number: int) -> None:
    """Keep other transactions from changing the row with this id until this one ends; wait for one that is changing it.

    Updating a `column` to its own value locks the row on PostgreSQL, and the database on SQLite. Whatever is read
    afterwards is current.
    """
    table = column.class_
    no_op = update(table).where(table.id == number).values({column: column})
    session.execute(no_op.execution_options(synchronize_session=False))


def lock_rows(session: Session, key: InstrumentedAttribute[int], numbers: Collection[int]) -> None:
    """Lock the rows whose primary key `key` is one of `numbers`, in ascending order, so that transactions cannot
    deadlock. SQLite has no row locks; there, the caller has locked the database before.
    """
    session.execute(select(key).where(key.in_(numbers)).order_by(key).with_for_update(key_share=True)).all()


@event.listens_for(Engine, "connect")
def _set_sqlite_pragmas(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own class)
    """Enforce foreign keys, let readers never wait for the writer, have commits on disk when they return, and wait half
    a minute for another writer: SQLite has one at a time, and its waiting knows no order.
    """
    if not type(connection).__module__.startswith("sqlite3"):
        return
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA busy_timeout = 30000")
    cursor.close()


@event.listens_for(Engine, "do_connect")
def _make_sqlite_file_private(
    dialect: Dialect, _record: object, arguments: tuple[Any, ...], _parameters: object
) -> None:
    """Create a SQLite file readable by its owner only. One that exists is not opened: closing would drop its locks."""
    if dialect.name != "sqlite" or not arguments or str(arguments[0]).startswith((":memory:", "file:")):
        return
    if not Path(arguments[0]).exists():
        # Another process has just made it, or SQLite will say what is wrong.
        with suppress(OSError):
            os.close(os.open(arguments[0], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


@event.listens_for(Engine, "do_connect")
def _wait_for_postgres_within_reason(
    dialect: Dialect, _record: object, _arguments: object, parameters: dict[str, Any]
) -> None:
    """Notice within half a minute that the server's host is gone; the system's own limits are a quarter of an hour."""
    if dialect.name == "postgresql":
        for name, value in POSTGRES_WAITS.items():
            parameters.setdefault(name, value)


@event.listens_for(Engine, "savepoint")
def _begin_before_a_savepoint(connection: Connection, _name: str) -> None:
    """SQLite's driver begins a transaction with the first write; a savepoint before it would survive a rollback of the
    one around it. The write lock is taken at once: one requested after a read is refused without waiting.
    """
    driver = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite" and driver is not None and not driver.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
