"""A background thread, one per process and purpose, for work that no request should wait for."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

FIRST_PAUSE = 1.0  # seconds after a failure; doubled with each one that follows
LONGEST_PAUSE = 300.0
JOIN_TIMEOUT = 2.0  # seconds that the end of the process waits for a running step


class Caretaker:
    """Calls `step` repeatedly: when woken, and after the pause that `step` returned.

    An error is logged, kept in `failure` until a step succeeds, and the step retried after a growing pause. The thread
    ends with the process; a forked process starts its own.
    """

    def __init__(self, name: str, step: Callable[[], float], renew: Callable[[], None]) -> None:
        """`renew` is called in a forked process, to replace locks that the thread may have held."""
        self._name = name
        self._step = step
        self._renew_owner = renew
        self._renew()
        _all.add(self)

    def _renew(self) -> None:
        """Reset to the state of a process without the thread."""
        self._renew_owner()
        self._lock = threading.Lock()
        self._awake = threading.Event()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.failure = ""

    @property
    def is_running(self) -> bool:
        """Whether the thread is alive."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def start(self) -> None:
        """Start the thread, unless it is running or was ended for good."""
        if self.is_running or self._ended.is_set():
            return
        with self._lock:
            if not self.is_running:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Run the next step soon. After a failure, its pause is kept."""
        self._awake.set()

    def end(self) -> None:
        """End the thread after the running step, waiting only a moment for it."""
        self._ended.set()
        self._awake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(JOIN_TIMEOUT)

    def _run(self) -> None:
        failures = 0
        while not self._ended.is_set():
            self._awake.clear()
            try:
                pause = self._step()
            except Exception as error:  # log it: the next try may succeed
                self.failure = f"{type(error).__name__}: {error}"
                pause = min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE)
                failures += 1
                logger.exception("%s failed; it is tried again in %d s", self._name, pause)
                self._ended.wait(pause)
            else:
                self.failure, failures = "", 0
                self._awake.wait(pause)


_all: WeakSet[Caretaker] = WeakSet()


def _renew_all() -> None:
    for caretaker in tuple(_all):
        caretaker._renew()  # noqa: SLF001  (same module)


def _end_all() -> None:
    for caretaker in tuple(_all):
        caretaker.end()


os.register_at_fork(after_in_child=_renew_all)
atexit.register(_end_all)
