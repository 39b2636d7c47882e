"""Ranks a whole pool: many queries against all labs, in chunks, through joblib.

Uses threads by default; inside `joblib.parallel_config(backend=…)`, processes ("loky") or a cluster ("dask"). The
answers to a chunk depend on its queries alone, so the numbers are the same, bit for bit, for every backend, number of
jobs and chunk size.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from portal.matching.records import Query
    from portal.matching.results import Match

    Rank = Callable[[Query, int], list[Match]]
    Keyed = list[tuple[str, Query]]
    Ranked = list[tuple[str, list[Match]]]

CHUNK = 64


def numbered(queries: Iterable[Query]) -> Iterator[tuple[str, Query]]:
    """Queries without keys, each with its number from 0 as its key."""
    return ((str(number), query) for number, query in enumerate(queries))


def rank_stream(
    rank: Rank, queries: Iterable[tuple[str, Query]], k: int, *, n_jobs: int = -1, chunk: int = CHUNK
) -> Iterator[tuple[str, list[Match]]]:
    """Yield (key, ranked labs) for each of `queries`, in their order, as soon as they are ready.

    Consumes `queries` as needed, so the pool need not fit into memory. A job ranks `chunk` queries at a time. To
    interrupt, stop iterating. If workers do not share this process's memory, `rank` is sent to each of them once.

    Raises:
        ValueError: `chunk` is less than 1.
        Exception: whatever iterating over `queries` raises, after the answers to the queries before.
    """
    if chunk < 1:
        raise ValueError(f"a chunk has at least 1 query, not {chunk}")
    return _rank_stream(rank, queries, k, n_jobs, chunk)


def _rank_stream(
    rank: Rank, queries: Iterable[tuple[str, Query]], k: int, n_jobs: int, chunk: int
) -> Iterator[tuple[str, list[Match]]]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer="threads")
    shares_memory = getattr(backend, "supports_sharedmem", False)
    job, leading_arguments = (_rank_chunk, (rank,)) if shares_memory else (_rank_pickled, _pickled(rank))
    chunks = _Chunks(queries, chunk)
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    outputs = parallel(delayed(job)(*leading_arguments, keyed, k) for keyed in chunks)
    try:
        for ranked in outputs:
            yield from ranked
    finally:
        with warnings.catch_warnings():
            # joblib warns about results that were not taken, which is what an interruption means.
            warnings.simplefilter("ignore", UserWarning)
            outputs.close()
    if chunks.error is not None:
        raise chunks.error


class _Chunks:
    """`queries` in lists of `size`. Keeps errors for later; joblib iterates in a thread, where they would be lost."""

    def __init__(self, queries: Iterable[tuple[str, Query]], size: int) -> None:
        self.error: Exception | None = None
        self._queries = iter(queries)
        self._size = size

    def __iter__(self) -> Iterator[Keyed]:
        while chunk := list(islice(self._until_error(), self._size)):
            yield chunk

    def _until_error(self) -> Iterator[tuple[str, Query]]:
        while self.error is None:
            try:
                yield next(self._queries)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 - raised again where it can be caught
                self.error = error


def _rank_chunk(rank: Rank, keyed: Keyed, k: int) -> Ranked:
    return [(key, rank(query, k)) for key, query in keyed]


def _pickled(rank: Rank) -> tuple[str, NDArray[np.uint8]]:
    """The digest of `rank`, and `rank` pickled into an array.

    joblib memory-maps arrays into processes, and Dask keeps them at its workers.
    """
    content = pickle.dumps(rank, protocol=5)
    return hashlib.sha256(content).hexdigest(), np.frombuffer(content, dtype=np.uint8)


_unpacked: dict[str, Rank] = {}
"""In a worker: the last `rank` it received, by digest."""


def _rank_pickled(digest: str, content: NDArray[np.uint8], keyed: Keyed, k: int) -> Ranked:
    """`_rank_chunk` in a worker, with what `_pickled` returns. Unpickles `rank` once."""
    rank = _unpacked.get(digest)
    if rank is None:
        rank = pickle.loads(content.data)  # noqa: S301 - our own, from the process that started this worker
        _unpacked.clear()
        _unpacked[digest] = rank
    return _rank_chunk(rank, keyed, k)
