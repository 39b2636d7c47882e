"""Whether the queue's server or file answers: logs the beginning and end of an outage, and asks ever less often."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

FIRST_PAUSE = 1.0  # seconds until a queue that does not answer is asked again; doubled each time
LONGEST_PAUSE = 30.0


class Reachability:
    """Tracks for one process whether its queue answers. Its threads share it, so that only one of them tries at a time.

    Args:
        name: Name of the queue in the log.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = 0.0
        self._ask_at = 0.0

    def may_ask(self) -> bool:
        """Whether to ask it now. While it does not answer, one thread may after each pause, which doubles the next."""
        if not self._pause:
            return True
        with self._lock:
            now = self._clock()
            if now < self._ask_at:
                return False
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            self._ask_at = now + self._pause
            return True

    def failed(self, error: Exception) -> None:
        """Note that it did not answer. Logs the first failure."""
        with self._lock:
            is_new = not self._pause
            if is_new:
                self._pause = FIRST_PAUSE
                self._ask_at = self._clock() + FIRST_PAUSE
        if is_new:
            logger.error(
                "%s does not answer (%s: %s). Nothing is lost: the clock finds jobs and mail",
                self._name,
                type(error).__name__,
                error,
            )

    def answered(self) -> None:
        """Note that it answered. Logs the end of an outage."""
        if not self._pause:
            return
        with self._lock:
            was_away, self._pause = bool(self._pause), 0.0
        if was_away:
            logger.warning("%s answers again", self._name)
