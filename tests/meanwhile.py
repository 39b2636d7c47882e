"""Something else that happens right before a statement of a request: what otherwise takes luck to meet."""

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

LONG_ENOUGH = 2.0  # seconds: it is over by then, or waits for a lock of the request
LOCKED_OUT = 0.5  # seconds that a statement of it takes only where it waits for such a lock


@contextmanager
def meanwhile(app: Flask, statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Let `act` happen in a transaction of its own right before the first statement that begins so.

    Raises:
        AssertionError: No statement began so, or `act` failed.
    """
    failures: list[BaseException] = []
    begun: list[threading.Thread] = []
    sent_at: list[float] = []  # when `act` sent the statement that it waits for

    def run() -> None:
        with app.app_context():
            try:
                act()
                db.session.commit()
            except Exception as failure:  # noqa: BLE001  (told below, in the test's own thread)
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
