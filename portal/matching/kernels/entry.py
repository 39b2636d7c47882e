"""Compiles the kernels that Python calls, for fixed argument types, and keeps them in numba's cache."""

from __future__ import annotations

import logging
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba import float32, float64, int32, int64, njit, types, uint8, uint64
from numba.core import caching

from portal.matching import floor, formula, scoring
from portal.matching.compiled import Kernels
from portal.matching.explanation import shares
from portal.matching.kernels.chunks import enter_chunks, number_chunks
from portal.matching.kernels.counting import count_terms
from portal.matching.kernels.entries import entries_in_lab
from portal.matching.kernels.ranking import rank_segment
from portal.matching.kernels.shares import shares_in_segment
from portal.matching.kernels.weights import count_sorted, lengths_of_lab, weights_of, weights_of_keys
from portal.matching.language import chunk_records, chunk_table, hashing, words
from portal.matching.segments import bounds, cells, postings

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_LONGS, _DOUBLES = int64[::1], float64[::1]
_NUMBERS = uint64[::1]
_BYTES = types.Array(uint8, 1, "C", readonly=True)
_READ_BY_KERNELS = (
    bounds,
    cells,
    chunk_records,
    chunk_table,
    floor,
    formula,
    hashing,
    postings,
    scoring,
    shares,
    words,
)
_numba_cache: Any = caching.FunctionCache


def compile_all() -> Kernels:
    """Compile the kernels or load them from the cache. Writes newly compiled ones to the cache if possible."""
    return Kernels(
        _compiled(rank_segment, (_LONGS, _LONGS, _DOUBLES, _LONGS, int64, float64, float32[::1])),
        _compiled(shares_in_segment, (_LONGS, _LONGS, _DOUBLES, _LONGS, _LONGS, _DOUBLES)),
        _compiled(entries_in_lab, (_LONGS, _LONGS, int64)),
        _compiled(weights_of, (_LONGS, _NUMBERS, float64, float64)),
        _compiled(weights_of_keys, (_LONGS, _BYTES, int64, float64, float64)),
        _compiled(lengths_of_lab, (_LONGS, int32[::1], uint8[::1], float32[::1], int64)),
        _compiled(count_sorted, (_NUMBERS, int64, uint64)),
        # These two hold the GIL, so that no thread reads the table while another one writes to it.
        _compiled(number_chunks, (_BYTES, _LONGS, _NUMBERS), nogil=False),
        _compiled(count_terms, (_LONGS, _LONGS, _LONGS, _LONGS)),
        _compiled(enter_chunks, (_NUMBERS, _BYTES, _LONGS, int64), nogil=False),
    )


def _sources() -> str:
    """A digest of all sources that are compiled in; numba itself checks only the file of the outermost function."""
    files = [*Path(__file__).parent.glob("*.py"), *(Path(str(module.__file__)) for module in _READ_BY_KERNELS)]
    return sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


class _Cache(_numba_cache):  # type: ignore[misc]  # numba's class has no types
    """numba's cache, with the digest of our sources in its keys."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), _sources())


def _compiled(kernel: Any, signature: tuple[Any, ...], *, nogil: bool = True) -> Callable[..., Any]:
    try:
        return _with_cache(kernel, signature, nogil, _Cache(kernel.py_func))
    except Exception as error:  # noqa: BLE001 - a full disk, a folder that cannot be written, a damaged file: it goes without
        logger.info("The kernel %s is compiled without a cache: %s", kernel.__name__, error)
    return _with_cache(kernel, signature, nogil, None)


def _with_cache(kernel: Any, signature: tuple[Any, ...], nogil: bool, cache: Any) -> Callable[..., Any]:  # noqa: FBT001 - numba's
    dispatcher: Any = njit(nogil=nogil, error_model="numpy")(kernel.py_func)
    if cache is not None:
        dispatcher._cache = cache  # noqa: SLF001 - `njit(cache=True)` puts its own there
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    compiled: Callable[..., Any] = dispatcher
    return compiled
