"""Whether something ends at all: hostile input must not hold a process for minutes. No measure of speed."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

PATIENCE = 60
"""Seconds. What is given to these tests takes about one; read again and again for each character, many minutes."""


@contextmanager
def no_hanging() -> Iterator[None]:
    """Fail where the block has not ended after a minute; searches with regular expressions are broken off, too."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still at it after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
