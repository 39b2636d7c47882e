"""Interleaves two transactions at a given statement: a race that tests would otherwise meet by luck."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import event

from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

LONG_ENOUGH = 2.0  # seconds after which the other transaction is over, or waits for a lock
LOCKED_OUT = 0.5  # seconds that a single statement takes only if it waits for a lock


@contextmanager
def meanwhile(app: Flask, statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Run `act` in another thread and transaction, right before the first SQL statement that begins with `statement`.

    The statement waits until `act` has committed, or waits itself for a lock that the first transaction holds.

    Raises:
        AssertionError: No statement began with `statement`, or `act` failed.
    """
    failures: list[BaseException] = []
    begun: list[threading.Thread] = []
    sent_at: list[float] = []  # when `act` sent the statement that has not returned yet

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
            sent_at.append(time.monotonic())
        elif not begun and sent.startswith(statement):
            begun.append(threading.Thread(target=run))
            begun[0].start()
            until = time.monotonic() + LONG_ENOUGH
            while begun[0].is_alive() and time.monotonic() < min([until, *(at + LOCKED_OUT for at in sent_at)]):
                begun[0].join(0.01)

    def after(*_statement: object) -> None:
        if begun and threading.current_thread() is begun[0]:
            sent_at.clear()

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
