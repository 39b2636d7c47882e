"""Labs as JSON in one block of bytes; each is parsed only when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, overload

import numpy as np

from portal.matching.records import LabDoc, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

_REMEMBERED = 2_048
_KEYS_REMEMBERED = 16_384
"""Labs whose work keys are cached; keys take a tenth of the memory of the texts."""
_USUAL_KEYS = 1_024
"""Bytes that usually hold the work keys of a lab."""


class StoredLabs(Sequence[LabDoc]):
    """The labs of a saved index. `block` holds one text per lab; `offsets` says where each begins, and the last ends.

    A text has two lines: the work keys as JSON, then the lab as JSON.
    """

    def __init__(self, block: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.block = block
        self.offsets = offsets
        self._read: Callable[[int], LabDoc] = lru_cache(maxsize=_REMEMBERED)(self._decode)
        self.work_keys: Callable[[int], Sequence[str]] = lru_cache(maxsize=_KEYS_REMEMBERED)(self._decode_keys)
        self._bytes: memoryview[int] = np.ascontiguousarray(block).data
        self._edges: memoryview[int] = np.ascontiguousarray(offsets).data

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, place: int) -> LabDoc: ...
    @overload
    def __getitem__(self, place: slice) -> list[LabDoc]: ...
    def __getitem__(self, place: int | slice) -> LabDoc | list[LabDoc]:
        if isinstance(place, slice):
            return [self._read(number) for number in range(len(self))[place]]
        return self._read(range(len(self))[place])

    def __getstate__(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        return np.asarray(self.block), np.asarray(self.offsets)

    def __setstate__(self, state: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def _decode(self, place: int) -> LabDoc:
        _, _, lab = self._text(place).partition("\n")
        return lab_from_json(lab)

    def _decode_keys(self, place: int) -> Sequence[str]:
        begin, end = self._edges[place], self._edges[place + 1]
        line, cut, _ = bytes(self._bytes[begin : min(begin + _USUAL_KEYS, end)]).partition(b"\n")
        if not cut:
            line, _, _ = bytes(self._bytes[begin:end]).partition(b"\n")
        return _keys_from_json(line)

    def _text(self, place: int) -> str:
        return self.block[self.offsets[place] : self.offsets[place + 1]].tobytes().decode()


def _keys_from_json(line: bytes) -> Sequence[str]:
    """Parse a list of strings as `json.dumps` writes it; without escapes in a fifth of the time of `json.loads`."""
    if b"\\" in line or len(line) <= len("[]"):
        return tuple(json.loads(line))
    return tuple(line[2:-2].decode("ascii").split('", "'))


def work_keys(labs: Sequence[LabDoc], place: int) -> Sequence[str]:
    """The work keys of one lab, in order. Does not parse the texts of a stored lab."""
    if isinstance(labs, StoredLabs):
        return labs.work_keys(place)
    return tuple(work.key for work in labs[place].works)


def line_of(lab: LabDoc) -> bytes:
    """The stored form of one lab."""
    return f"{json.dumps([work.key for work in lab.works])}\n{lab_to_json(lab)}".encode()


def pack(labs: Iterable[LabDoc]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The block and the offsets of `labs`."""
    if isinstance(labs, StoredLabs):
        return labs.block, labs.offsets
    lines = list(map(line_of, labs))
    offsets = np.zeros(len(lines) + 1, dtype=np.int64)
    np.cumsum([len(line) for line in lines], out=offsets[1:])
    return np.frombuffer(b"".join(lines), dtype=np.uint8), offsets


def lab_to_json(lab: LabDoc) -> str:
    """One lab as ASCII JSON, so that lone surrogates survive."""
    return json.dumps(
        {
            "key": lab.key,
            "profile": lab.profile,
            "works": [
                [work.key, work.title, work.abstract, work.year, list(work.systems), list(work.authors)]
                for work in lab.works
            ],
            "facets": {name: list(values) for name, values in lab.facets.items()},
        }
    )


def lab_from_json(text: str) -> LabDoc:
    """Parse what `lab_to_json` wrote."""
    data = json.loads(text)
    return LabDoc(
        data["key"],
        data["profile"],
        tuple(
            WorkDoc(key, title, abstract, year, tuple(systems), tuple(authors))
            for key, title, abstract, year, systems, authors in data["works"]
        ),
        {name: tuple(values) for name, values in data["facets"].items()},
    )
