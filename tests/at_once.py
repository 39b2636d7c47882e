"""Runs a function several times concurrently."""

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
    """Call `act` with each number below `times`, in as many threads that begin at the same moment; returns the results.

    With `app`, each thread has an application context of its own.
    """
    start = threading.Barrier(times)

    def run(number: int) -> T:
        with app.app_context() if app is not None else nullcontext():
            start.wait()
            return act(number)

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))
