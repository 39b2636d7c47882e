"""Switches between NumPy and compiled kernels, which need numba (the extra `compiled`) and some time to compile.

Until they are compiled, and without numba, NumPy computes the same numbers. Nobody waits for the compilation: `start`
runs it in a thread, or loads the kernels from numba's cache.
"""

from __future__ import annotations

import logging
import os
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Ints = NDArray[np.int32]
    Numbers = NDArray[np.uint64]
    Bytes = NDArray[np.uint8]

logger = logging.getLogger(__name__)

MANY_ROWS = 10_000
"""Works and profiles. An index with at least so many starts the compilation; smaller ones are fast enough without."""
MANY_QUERIES = 5_000
"""A process that ranks so many queries for pools starts it as well: NumPy took about as long for them as it takes."""


class Kernels(NamedTuple):
    """The kernels that Python code calls."""

    rank_segment: Callable[[Longs, Longs, Doubles, Longs, int, float, Floats], tuple[Doubles, Longs]]
    shares_in_segment: Callable[
        [Longs, Longs, Doubles, Longs, Longs, Doubles], tuple[Longs, Doubles, Longs, Longs, Longs]
    ]
    entries_in_lab: Callable[[Longs, Longs, int], tuple[Longs, Longs, Doubles]]
    weights_of: Callable[[Longs, Numbers, float, float], Floats]
    weights_of_keys: Callable[[Longs, Bytes, int, float, float], tuple[Numbers, Floats]]
    lengths_of_lab: Callable[[Longs, Ints, Bytes, Floats, int], tuple[Floats, Floats, Floats]]
    count_sorted: Callable[[Numbers, int, int], tuple[Numbers, Longs, Ints, Bytes]]
    number_chunks: Callable[[Bytes, Longs, Numbers], tuple[Longs, Longs, Longs, Longs]]
    count_terms: Callable[[Longs, Longs, Longs, Longs], tuple[Numbers, Ints]]
    enter_chunks: Callable[[Numbers, Bytes, Longs, int], None]


class _Compiler:
    """Compiles the kernels once per process, in a thread."""

    def __init__(self) -> None:
        self.kernels: Kernels | None = None
        self.wanted = True
        self.pool_queries = 0
        self.renew()

    def renew(self) -> None:
        """Start over in a forked process, which does not inherit the compiling thread."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._begun = self.kernels is not None

    def start(self) -> None:
        if self._begun:
            return
        with self._lock:
            if not self._begun:
                self._begun = True
                if find_spec("numba") is not None:
                    self._thread = threading.Thread(target=self._compile, name="matching kernels", daemon=True)
                    self._thread.start()

    def wait(self) -> None:
        thread = self._thread
        if thread is not None:
            thread.join()

    def _compile(self) -> None:
        try:
            from portal.matching.kernels.entry import compile_all

            self.kernels = compile_all()
        except Exception:  # whatever a host lacks for compiling, NumPy gives the same answers
            logger.exception("The kernels of the matcher could not be compiled; NumPy answers")


_compiler = _Compiler()
os.register_at_fork(after_in_child=_compiler.renew)


def start() -> None:
    """Start the compilation in a thread, once. Does nothing without numba or if kernels are switched off."""
    if _compiler.wanted:
        _compiler.start()


def start_for(rows: int) -> None:
    """Call `start` if an index with `rows` rows is large enough."""
    if rows >= MANY_ROWS:
        start()


def start_after(queries: int) -> None:
    """Call `start` if this process has ranked many queries for pools, with these `queries` that it ranks next."""
    _compiler.pool_queries += queries
    if _compiler.pool_queries >= MANY_QUERIES:
        start()


def ready(*, wait: bool = False) -> bool:
    """Whether kernels are in use. With `wait`, compiles them first if numba is installed, which may take a minute."""
    if wait:
        _compiler.start()
        _compiler.wait()
    return kernels() is not None


def use(wanted: bool) -> None:  # noqa: FBT001 - a switch
    """Switch kernels on (the default) or off, to compare them with NumPy."""
    _compiler.wanted = wanted


def kernels() -> Kernels | None:
    """The kernels, if they are compiled and switched on."""
    return _compiler.kernels if _compiler.wanted else None
