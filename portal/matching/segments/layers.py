"""Edits beside a fitted base: layers of labs, each an immutable segment.

The base keeps what was fitted. An edited lab goes into a new layer; a few such layers are merged at once, with those
below that are of like size, so that n edits make about log n layers and every lab is copied about log n times. A lab
that was replaced or removed is masked in the layer below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
_WAITING = 4
"""So many labs stay in layers of their own: if each edit merged its lab with those below, all would be copied."""


class UnknownLab(KeyError):  # noqa: N818 - reads as what it is: index.explain raises UnknownLab
    """No lab of the index has this key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def __str__(self) -> str:
        return f"no lab of the index has the key {self.key!r}"


@dataclass(frozen=True)
class Layer:
    """A segment, and the keys of those of its labs that are gone."""

    segment: Segment
    gone: frozenset[str] = frozenset()

    def has(self, key: str) -> bool:
        """Whether the lab is in this layer and not gone."""
        return key in self.segment.positions and key not in self.gone

    @cached_property
    def gone_positions(self) -> NDArray[np.int64]:
        """Where the labs that are gone stand in the segment."""
        return np.array([self.segment.positions[key] for key in self.gone], dtype=np.int64)

    def kept(self) -> list[str]:
        """The keys of the labs that are there."""
        return [key for key in self.segment.keys if key not in self.gone]

    def __len__(self) -> int:
        return len(self.segment.keys) - len(self.gone)


@dataclass(frozen=True)
class State:
    """What one query sees, from beginning to end."""

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
        """The labs that are not as they were fitted."""
        return [layer.segment.labs[layer.segment.positions[key]] for layer in self.layers[1:] for key in layer.kept()]

    def uses(self, key: str) -> bool:
        """Whether the term with this key occurs, in the base or in an edit (of labs that are gone too)."""
        return any(layer.segment.uses(key) for layer in self.layers)

    def stand_together(self, keys: Sequence[str]) -> bool:
        """Whether one work, or one profile, has all the terms with these keys."""
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
        """Key → spellings of every system. Those of labs that are gone stay until the next fit, without effect."""
        return ManyNames([layer.segment.names for layer in self.layers if layer.segment.names])

    def without(self, key: str) -> State:
        """The labs but one."""
        layers = [replace(layer, gone=layer.gone | {key}) if layer.has(key) else layer for layer in self.layers]
        return State((layers[0], *(layer for layer in layers[1:] if len(layer))))

    def with_lab(self, lab: Segment) -> State:
        """The labs with the one of the segment `lab` in the place of that with its key."""
        layers = [*self.without(lab.keys[0]).layers, Layer(lab)]
        waiting = sum(1 for _ in takewhile(lambda layer: len(layer.segment.keys) == 1, reversed(layers[1:])))
        if waiting <= _WAITING:
            return State(tuple(layers))
        count = waiting
        while len(layers) > count + 1 and _are_merged(len(layers[-count - 1]), sum(map(len, layers[-count:]))):
            count += 1
        return State((*layers[:-count], _merged(layers[-count:])))


def _are_merged(below: int, above: int) -> bool:
    """Whether layers of so many labs become one: a query asks each, but merging copies all that is in them."""
    return below <= _GROWTH * above or below + above <= FEW_LABS


def _merged(layers: Iterable[Layer]) -> Layer:
    """Layers as one, without the labs that are gone. What is known of rows and terms is copied, not computed anew."""
    keys: list[str] = []
    labs: list[LabDoc] = []
    works: list[NDArray[np.int64]] = []
    lengths: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    parts: list[Entries] = []
    rows = 0
    for layer in layers:
        segment = layer.segment
        kept = np.array([key not in layer.gone for key in segment.keys])
        keys += layer.kept()
        labs += [segment.labs[position] for position in np.flatnonzero(kept).tolist()]
        works.append(np.diff(segment.rows.first)[kept] - 1)
        stays = kept[segment.rows.lab]
        lengths.append((segment.inverse_length[stays], segment.inverse_focus[kept]))
        places, in_rows, counts = segment.entries()
        if not kept.all():
            entries = np.flatnonzero(stays[in_rows])
            places, in_rows, counts = places[entries], in_rows[entries], counts[entries]
        new_row = (np.cumsum(stays) - 1 + rows).astype(np.int32)
        parts.append((segment.postings.table.numbers[places], new_row[in_rows], counts, segment.idf[places]))
        rows += int(stays.sum())
    postings, idf = merged(parts)
    of_all = Rows.of(np.concatenate(works))
    known = Lengths.of(of_all, *map(np.concatenate, zip(*lengths, strict=True)))
    return Layer(build(labs, keys, collect_names(labs), of_all, postings, idf, lengths=known))
