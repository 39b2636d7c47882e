"""Holds the texts of labs while an index is fitted: in memory while they are few, else in a memory-mapped file."""

from __future__ import annotations

import mmap
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import numpy as np

from portal.matching.segments.stored_labs import StoredLabs, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.records import LabDoc

_IN_MEMORY = 100_000_000
"""Texts of so many characters stay in memory."""


def characters_of(lab: LabDoc) -> int:
    """The length of a lab's texts."""
    return sum(len(work.title) + len(work.abstract) for work in lab.works) + len(lab.profile)


class Shelf:
    """Collects labs one by one and returns them as a sequence."""

    def __init__(self) -> None:
        self._labs: list[LabDoc] = []
        self._characters = 0
        self._file: IO[bytes] | None = None
        self._offsets = [0]
        self._keys: list[bytes] = []

    def put(self, lab: LabDoc) -> None:
        """Add a lab."""
        self._labs.append(lab)
        self._characters += characters_of(lab)
        if self._characters > _IN_MEMORY:
            self._write()

    def labs(self) -> Sequence[LabDoc]:
        """All labs, in the order in which they were added."""
        if self._file is None:
            return tuple(self._labs)
        self._write()
        self._append(self._file, self._keys)
        self._file.flush()
        # The mapping outlives the file, which has no name and is deleted with the mapping.
        block = np.frombuffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)
        self._file.close()
        return StoredLabs(block, np.array(self._offsets, dtype=np.int64))

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 - lives until `labs`
        for text, keys in map(stored, self._labs):
            self._append(self._file, (text,))
            self._keys.append(keys)
        self._labs.clear()
        self._characters = 0

    def _append(self, file: IO[bytes], parts: Iterable[bytes]) -> None:
        """Write what `StoredLabs` reads next."""
        for part in parts:
            file.write(part)
            self._offsets.append(self._offsets[-1] + len(part))
