"""A whole pool: many queries against all labs, in chunks, through joblib.

Threads by default; inside `joblib.parallel_config(backend="dask")` the chunks go to a cluster. A chunk's
answers depend on nothing but its queries, so the numbers are the same for every backend and number of jobs.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from portal.matching.records import Query
    from portal.matching.results import Match

    Rank = Callable[[Query, int], list[Match]]

CHUNK = 64


def rank_chunks(
    rank: Rank, queries: Mapping[str, Query], k: int, n_jobs: int, done: Container[str]
) -> Iterator[tuple[str, list[Match]]]:
    """(key, ranked labs) of every query whose key is not in `done`, in the order of the keys, as they are ready."""
    from sklearn.utils.parallel import Parallel, delayed

    waiting = ((key, queries[key]) for key in sorted(queries) if key not in done)
    chunks: Iterable[list[list[Match]]]
    keyed = list(_chunks(waiting))
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    chunks = parallel(delayed(_rank_chunk)(rank, [query for _, query in chunk], k) for chunk in keyed)
    for chunk, ranked in zip(keyed, chunks, strict=True):
        for (key, _), matches in zip(chunk, ranked, strict=True):
            yield key, matches


def _chunks(items: Iterator[tuple[str, Query]]) -> Iterator[list[tuple[str, Query]]]:
    while chunk := list(islice(items, CHUNK)):
        yield chunk


def _rank_chunk(rank: Rank, queries: list[Query], k: int) -> list[list[Match]]:
    return [rank(query, k) for query in queries]
