"""Doing the same several times in the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

T = TypeVar("T")


def at_once(act: Callable[[int], T], times: int, *, app: Flask | None = None) -> list[T]:
    """What `act` returns for each number below `times`, all begun in the same moment; each in a context of `app`, if
    one is given.
    """
    start = threading.Barrier(times)

    def run(number: int) -> T:
        with app.app_context() if app is not None else nullcontext():
            start.wait()
            return act(number)

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))
