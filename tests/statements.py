"""Records the SQL statements that are sent to the database."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import event

from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@contextmanager
def statements_sent(app: Flask) -> Iterator[list[str]]:
    """Within the block, add each statement that is sent to the list."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        sent.append(statement)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
