"""Live edits: layers of labs on top of a fitted base, each an immutable segment.

The base stays as fitted. Each edited lab becomes a new layer. Every few edits these layers are merged, together with
layers of similar size below, so n edits make about log n layers and copy every lab about log n times. A lab that was
replaced or removed is masked in the layer below.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.names import ManyNames, name_key
from portal.matching.scoring import has_row_with, labs_with
from portal.matching.segments.common import FEW_LABS
from portal.matching.segments.lengths import Lengths
from portal.matching.segments.postings import merged
from portal.matching.segments.rows import Rows
from portal.matching.segments.segment import build, collect_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.records import LabDoc, WorkDoc
    from portal.matching.segments.postings import Entries
    from portal.matching.segments.segment import Segment


_GROWTH = 4
"""A layer is merged with those above it unless it has more than so many times their labs."""
_WAITING = 4
"""So many edited labs stay in layers of their own; merging at every edit would copy all of them each time."""


class UnknownLab(KeyError):
    """The index has no lab with this key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def __str__(self) -> str:
        return f"no lab of the index has the key {self.key!r}"


@dataclass(frozen=True)
class Layer:
    """A segment, and the keys of its labs that were replaced or removed."""

    segment: Segment
    gone: frozenset[str] = frozenset()

    def has(self, key: str) -> bool:
        """Whether the lab is in this layer and not gone."""
        return key in self.segment.positions and key not in self.gone

    @cached_property
    def gone_positions(self) -> NDArray[np.int64]:
        """The positions of the labs that are gone."""
        return np.array([self.segment.positions[key] for key in self.gone], dtype=np.int64)

    def kept(self) -> list[str]:
        """The keys of the labs that are not gone."""
        return [key for key in self.segment.keys if key not in self.gone]

    def __len__(self) -> int:
        return len(self.segment.keys) - len(self.gone)


@dataclass(frozen=True)
class State:
    """The labs as one query sees them, from beginning to end. Immutable."""

    layers: tuple[Layer, ...]

    def __len__(self) -> int:
        return self._labs

    @cached_property
    def _labs(self) -> int:
        return sum(map(len, self.layers))

    def place(self, key: str) -> tuple[Segment, int]:
        """The segment and the position of a lab.

        Raises:
            UnknownLab: no lab has this key.
        """
        for layer in self.layers:
            if layer.has(key):
                return layer.segment, layer.segment.positions[key]
        raise UnknownLab(key)

    def keys(self) -> tuple[str, ...]:
        """The keys of all labs, in order."""
        return tuple(sorted(key for layer in self.layers for key in layer.kept()))

    def edited(self) -> list[LabDoc]:
        """The labs that were added or replaced since the fit."""
        return [layer.segment.labs[layer.segment.positions[key]] for layer in self.layers[1:] for key in layer.kept()]

    def uses(self, key: str) -> bool:
        """Whether the term with this key occurs in any layer, including in labs that are gone."""
        return any(layer.segment.uses(key) for layer in self.layers)

    def adds(self, key: str) -> bool:
        """Whether the term with this key occurs in a lab that was added or replaced since the fit."""
        return any(layer.segment.uses(key) for layer in self.layers[1:])

    def stand_together(self, keys: Sequence[str]) -> bool:
        """Whether a single work or profile contains all the terms with these keys."""
        return any(has_row_with(layer.segment, keys, layer.gone_positions) for layer in self.layers)

    def works_on(self, name: str) -> Iterator[WorkDoc]:
        """The works on systems whose name has the key `name`."""
        for layer in self.layers:
            for lab in labs_with(layer.segment, name, layer.gone_positions).tolist():
                for work in layer.segment.labs[lab].works:
                    if name in map(name_key, work.systems):
                        yield work

    @cached_property
    def names(self) -> ManyNames:
        """Key → spellings of every system. Names of labs that are gone remain until the next fit, without effect."""
        return ManyNames([layer.segment.names for layer in self.layers if layer.segment.names])

    def without(self, key: str) -> State:
        """A state without the lab `key`."""
        layers = [Layer(layer.segment, layer.gone | {key}) if layer.has(key) else layer for layer in self.layers]
        return State((layers[0], *(layer for layer in layers[1:] if len(layer))))

    def with_lab(self, lab: Segment) -> State:
        """A state in which the only lab of the segment `lab` replaces the one with its key, or is added."""
        layers = [*self.without(lab.keys[0]).layers, Layer(lab)]
        waiting = sum(1 for _ in takewhile(lambda layer: len(layer.segment.keys) == 1, reversed(layers[1:])))
        if waiting <= _WAITING:
            return State(tuple(layers))
        count = waiting
        while len(layers) > count + 1 and _are_merged(len(layers[-count - 1]), sum(map(len, layers[-count:]))):
            count += 1
        return State((*layers[:-count], _merged(layers[-count:])))


def _are_merged(below: int, above: int) -> bool:
    """Whether to merge layers of so many labs: each layer costs every query, merging copies all entries."""
    return below <= _GROWTH * above or below + above <= FEW_LABS


def _merged(layers: Iterable[Layer]) -> Layer:
    """Merge layers into one, without the labs that are gone. Lengths and weights are copied, not recomputed."""
    keys: list[str] = []
    labs: list[LabDoc] = []
    works: list[NDArray[np.int64]] = []
    lengths: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    parts: list[Entries] = []
    rows = 0
    for layer in layers:
        segment = layer.segment
        is_kept = np.array([key not in layer.gone for key in segment.keys])
        keys += layer.kept()
        labs += [segment.labs[position] for position in np.flatnonzero(is_kept).tolist()]
        works.append(np.diff(segment.rows.first)[is_kept] - 1)
        row_is_kept = is_kept[segment.rows.lab]
        lengths.append((segment.inverse_length[row_is_kept], segment.inverse_focus[is_kept]))
        places, in_rows, counts = segment.entries()
        if not is_kept.all():
            entries = np.flatnonzero(row_is_kept[in_rows])
            places, in_rows, counts = places[entries], in_rows[entries], counts[entries]
        new_row = (np.cumsum(row_is_kept) - 1 + rows).astype(np.int32)
        parts.append((segment.postings.table.numbers[places], new_row[in_rows], counts, segment.idf[places]))
        rows += int(row_is_kept.sum())
    postings, idf = merged(parts)
    all_rows = Rows.of(np.concatenate(works))
    known_lengths = Lengths.of(all_rows, *map(np.concatenate, zip(*lengths, strict=True)))
    return Layer(build(labs, keys, collect_names(labs), all_rows, postings, idf, lengths=known_lengths))
