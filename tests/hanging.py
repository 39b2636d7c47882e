"""A time limit for hostile input, which must not keep a process busy for minutes. It does not measure speed."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

PATIENCE = 300
"""Seconds. The inputs of these tests take about one in linear time, and many minutes in quadratic time."""


@contextmanager
def no_hanging() -> Iterator[None]:
    """Fail if the block has not ended after a minute. This interrupts regular expressions, too."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still running after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
