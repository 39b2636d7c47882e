"""Ctrl-C while a command stores something: between two steps, so that the command can say truly what is stored."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class InterruptedAtOnce(KeyboardInterrupt):
    """Ctrl-C was pressed twice: the command stops within a step, of which nobody knows whether it was committed."""


@contextmanager
def interrupts_between_steps() -> Iterator[Callable[[], None]]:
    """Let Ctrl-C wait for the end of a step; yields the function to call after each one.

    That function raises KeyboardInterrupt if Ctrl-C was pressed. A second Ctrl-C does not wait: it raises
    InterruptedAtOnce wherever the program is. If the work ends without another call, nothing was interrupted.
    Replaces the handler of SIGINT meanwhile. Does nothing outside the main thread, which no signal reaches, or where
    the signal is ignored, as in a script's background.
    """
    pressed = 0

    def press(_number: int, _frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            raise InterruptedAtOnce

    def stop_if_asked() -> None:
        if pressed:
            raise KeyboardInterrupt

    is_reached = threading.current_thread() is threading.main_thread()
    if not is_reached or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield stop_if_asked
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield stop_if_asked
    finally:
        signal.signal(signal.SIGINT, before)
