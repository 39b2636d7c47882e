"""Interleaves two transactions at a given statement: a race that tests would otherwise meet by luck."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import event

from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from sqlalchemy import URL

GIVE_UP = 60.0  # seconds
WRITES = ("INSERT", "UPDATE", "DELETE", "BEGIN IMMEDIATE")
LOCKED = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


class _Locks:
    """Whether the other transaction waits for a lock, as the database says: no clock is asked."""

    def __init__(self, url: URL) -> None:
        """To be made before the other transaction begins."""
        self._is_sqlite = url.get_backend_name() == "sqlite"
        self._address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._is_held = self._is_sqlite and _is_locked(str(url.database))

    def block(self, sent: list[str]) -> bool:
        """Whether it waits, having sent this statement that has not returned."""
        if self._is_sqlite:  # has one lock for all who write
            return self._is_held and any(statement.startswith(WRITES) for statement in sent)
        with psycopg.connect(self._address, autocommit=True) as connection:
            return connection.execute(LOCKED).fetchone() != (0,)


def _is_locked(file: str) -> bool:
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as probe:
        try:
            probe.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False


@contextmanager
def meanwhile(app: Flask, statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Run `act` in another thread and transaction, right before the first SQL statement that begins with `statement`.

    The statement waits until `act` has committed, or waits itself for a lock that the first transaction holds.

    Raises:
        AssertionError: No statement began with `statement`, or `act` failed.
    """
    failures: list[BaseException] = []
    begun: list[threading.Thread] = []
    sent_by_act: list[str] = []  # the statement that has not returned yet

    def run() -> None:
        with app.app_context():
            try:
                act()
                db.session.commit()
            except Exception as failure:  # noqa: BLE001  (reported below, in the test's own thread)
                failures.append(failure)
            finally:
                db.session.remove()

    def before(_connection: Any, _cursor: Any, sent: str, *_more: object) -> None:  # noqa: ANN401  (the driver's)
        if begun and threading.current_thread() is begun[0]:
            sent_by_act.append(sent)
        elif not begun and sent.startswith(statement):
            locks, give_up_at = _Locks(db.engine.url), time.monotonic() + GIVE_UP
            begun.append(threading.Thread(target=run))
            begun[0].start()
            while begun[0].is_alive() and time.monotonic() < give_up_at and not locks.block(sent_by_act):
                begun[0].join(0.01)

    def after(*_statement: object) -> None:
        if begun and threading.current_thread() is begun[0]:
            sent_by_act.clear()

    engine = db.engine
    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "after_cursor_execute", after)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", before)
        event.remove(engine, "after_cursor_execute", after)
        for thread in begun:
            thread.join()
    assert (bool(begun), failures) == (True, [])
