"""A hash table of known chunks for compiled kernels, which find them by their bytes in UTF-8, without strings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.compiled import Kernels

    Longs = NDArray[np.int64]

LONGEST = 23
"""Chunks of more bytes are rare and are not in the table."""
SLOT, NUMBER = 4, 3
"""A slot has four 64-bit numbers: three with the chunk's bytes and, in the last byte, their count; then its number."""
_FEWEST = 1 << 12
_BEHIND = " " * (LONGEST + 1)
"""Padding after the pieces, so that kernels can read so many bytes at once wherever a chunk begins."""


class Split(NamedTuple):
    """The chunks of some pieces: their numbers, where they begin and end in `text`, how many each piece has."""

    text: bytes
    numbers: Longs
    begins: Longs
    ends: Longs
    counts: Longs

    def chunk(self, place: int) -> str:
        """A chunk as it is written."""
        return self.text[self.begins[place] : self.ends[place]].decode("utf-8", "surrogatepass")


class ChunkTable:
    """Holds chunks in the order of their numbers. Lookups may miss a chunk that is being added by another thread.

    The kernels hold the GIL, so no lookup sees a half-written chunk.
    """

    def __init__(self) -> None:
        self._entered = 0
        self._slots = np.zeros(SLOT * _FEWEST, np.uint64)
        self._entering = threading.Lock()

    def enter(self, kernels: Kernels, texts: Sequence[str]) -> None:
        """Add those of `texts`, all known chunks, that are not in the table yet."""
        with self._entering:
            count, slots, first = len(texts), self._slots, self._entered
            # At least half of the slots stay empty, so that lookups are short.
            if 2 * SLOT * count > len(slots):
                slots, first = np.zeros(SLOT << (4 * count).bit_length(), np.uint64), 0
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts[first:count]]
            encoded_text = np.frombuffer(b"".join(encoded), np.uint8)
            kernels.enter_chunks(slots, encoded_text, np.array(list(map(len, encoded)), np.int64).cumsum(), first)
            self._slots, self._entered = slots, count

    def split(self, kernels: Kernels, pieces: Sequence[str]) -> Split:
        """The chunks of `pieces`; those that are not in the table have the number -1."""
        joined = " ".join((*pieces, _BEHIND))
        if joined.isascii():
            text, sizes = joined.encode(), list(map(len, pieces))
        else:
            # Kernels know the spaces of ASCII; others become these.
            with_ascii_spaces = (piece if piece.isascii() else " ".join(piece.split()) for piece in pieces)
            encoded = [piece.encode("utf-8", "surrogatepass") for piece in with_ascii_spaces]
            text, sizes = b" ".join((*encoded, _BEHIND.encode())), list(map(len, encoded))
        ends = np.array(sizes, np.int64).cumsum() + np.arange(len(sizes))
        return Split(text, *kernels.number_chunks(np.frombuffer(text, np.uint8), ends, self._slots))
