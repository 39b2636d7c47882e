"""How Alembic runs the migrations: inside the application, over its engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import context
from flask import current_app

import portal.models
from portal.db import Base, db

if TYPE_CHECKING:
    from sqlalchemy import MetaData
    from sqlalchemy.engine import Connection

assert portal.models  # importing the tables fills the metadata  # noqa: S101


def _metadata() -> MetaData:
    return Base.metadata


def _migrate(connection: Connection) -> None:
    options = current_app.extensions["migrate"].configure_args
    # Of SQLite, Alembic does not believe that what makes tables can be taken back.
    context.configure(connection=connection, target_metadata=_metadata(), transactional_ddl=True, **options)
    with context.begin_transaction():
        context.run_migrations()


def run_offline() -> None:
    """Print the SQL instead of running it."""
    context.configure(
        url=db.engine.url.render_as_string(hide_password=False), target_metadata=_metadata(), literal_binds=True
    )
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run the migrations in one transaction: an upgrade that is killed has changed nothing.

    SQLite's driver begins none before tables are made or dropped, so it is told to; whoever upgrades at the same time
    waits.

    SQLite changes a table by writing it anew and dropping the old one, and a drop takes along, by ON DELETE CASCADE,
    every row that refers to it. So references are not enforced meanwhile; that can only be said outside a transaction.
    """
    with db.engine.connect() as connection:
        if connection.dialect.name != "sqlite":
            _migrate(connection)
            return
        cursor = connection.connection.cursor()
        cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute("BEGIN IMMEDIATE")
        try:
            _migrate(connection)
        finally:
            connection.rollback()
            # What was begun without SQLAlchemy is not ended by it where nothing else was done.
            connection.connection.rollback()
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.close()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
