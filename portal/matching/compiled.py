"""Whether compiled kernels answer: they need numba (the extra `compiled`), and a while to be compiled.

Until then, and without numba, NumPy answers, with the same numbers. Nothing is compiled while somebody waits:
`start` has a thread do it, or load what an earlier process left in numba's cache.
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
"""Works and profiles; an index of so many has the kernels compiled by itself, a smaller one answers soon enough."""


class Kernels(NamedTuple):
    """The kernels that are called from Python."""

    rank_segment: Callable[[Longs, Longs, Doubles, Longs, int, float, Floats], tuple[Doubles, Longs]]
    shares_in_segment: Callable[
        [Longs, Longs, Doubles, Longs, Longs, Doubles], tuple[Longs, Doubles, Longs, Longs, Longs]
    ]
    entries_in_lab: Callable[[Longs, Longs, int], tuple[Longs, Longs, Doubles]]
    weights_of: Callable[[Longs, Numbers, float, float], Floats]
    lengths_of_lab: Callable[[Longs, Ints, Bytes, Floats, int], tuple[Floats, Floats, Floats]]
    count_sorted: Callable[[Numbers, int, int], tuple[Numbers, Longs, Ints, Bytes]]
    number_chunks: Callable[[Bytes, Longs, Numbers], tuple[Longs, Longs, Longs, Longs]]
    count_terms: Callable[[Longs, Longs, Longs, Longs], tuple[Numbers, Ints]]
    enter_chunks: Callable[[Numbers, Bytes, Longs, int], None]


class _Compiler:
    """Compiles the kernels once for a process, in a thread."""

    def __init__(self) -> None:
        self.kernels: Kernels | None = None
        self.wanted = True
        self.renew()

    def renew(self) -> None:
        """As it is in a process whose thread, if any, stayed behind in the one that forked it."""
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
        except Exception:  # whatever a host lacks to compile, NumPy answers as well
            logger.exception("The kernels of the matcher could not be compiled; NumPy answers")


_compiler = _Compiler()
os.register_at_fork(after_in_child=_compiler.renew)


def start() -> None:
    """Begin to compile in a thread, unless that was done; nothing without numba, or where kernels are not wanted."""
    if _compiler.wanted:
        _compiler.start()


def start_for(rows: int) -> None:
    """`start` for an index of so many rows, if it is large enough."""
    if rows >= MANY_ROWS:
        start()


def ready(*, wait: bool = False) -> bool:
    """Whether kernels answer. With `wait` they are compiled first if numba is there, which may take a minute."""
    if wait:
        _compiler.start()
        _compiler.wait()
    return kernels() is not None


def use(wanted: bool) -> None:  # noqa: FBT001 - a switch
    """Whether kernels answer once they are compiled; at first they do. For comparing both ways."""
    _compiler.wanted = wanted


def kernels() -> Kernels | None:
    """The kernels, if they are compiled and wanted."""
    return _compiler.kernels if _compiler.wanted else None
