"""The labs as fitted and the edits since, in layers. A state never changes; an edit makes a new one.

The first layer is what was fitted. An edited lab becomes a layer of its own on top; layers of edits are
merged when they are of like size, so that n edits make about log n layers and every lab is copied about
log n times. A lab that was replaced or removed is masked in the layer below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.matrices import stacked
from portal.matching.postings import bound_postings
from portal.matching.segment import Segment, collect_names, segment_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.matching.matrices import Rows
    from portal.matching.records import LabDoc
    from portal.matching.vocabulary import Vocabulary


class UnknownLab(KeyError):  # noqa: N818 - reads as what it is: index.explain raises UnknownLab
    """No lab of the index has this key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def __str__(self) -> str:
        return f"no lab of the index has the key {self.key!r}"


@dataclass(frozen=True, slots=True)
class Layer:
    """A segment, and the keys of those of its labs that are gone."""

    segment: Segment
    gone: frozenset[str] = frozenset()

    def has(self, key: str) -> bool:
        """Whether the lab is in this layer and not gone."""
        return key in self.segment.positions and key not in self.gone

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
        return sum(len(layer) for layer in self.layers)

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

    @cached_property
    def names(self) -> Mapping[str, frozenset[str]]:
        """Key → spellings of every system. Those of labs that are gone stay until the next fit, without effect."""
        first, *others = (layer.segment.names for layer in self.layers)
        if not any(others):
            return first
        names = dict(first)
        for more in others:
            for key, spellings in more.items():
                names[key] = names.get(key, frozenset()) | spellings
        return names

    def without(self, key: str) -> State:
        """The labs but one."""
        layers = [replace(layer, gone=layer.gone | {key}) if layer.has(key) else layer for layer in self.layers]
        return State((layers[0], *(layer for layer in layers[1:] if len(layer))))

    def with_lab(self, lab: LabDoc, vocabulary: Vocabulary) -> State:
        """The labs with `lab` in the place of the one with its key; the vocabulary gains its terms."""
        layers = [*self.without(lab.key).layers, Layer(segment_of([lab], vocabulary))]
        while len(layers) > 2 and len(layers[-2]) <= 2 * len(layers[-1]):  # noqa: PLR2004 - the base and one more
            top = layers.pop()
            layers[-1] = _merged(layers[-1], top, len(vocabulary))
        return State(tuple(layers))


def _merged(one: Layer, other: Layer, columns: int) -> Layer:
    """Both layers as one, without the labs that are gone."""
    found = sorted(((key, layer.segment) for layer in (one, other) for key in layer.kept()), key=itemgetter(0))
    places = [(segment, segment.positions[key]) for key, segment in found]
    works = stacked([_works_of(segment, place) for segment, place in places])
    focus = stacked([segment.focus.between(place, place + 1) for segment, place in places])
    counts = [int(segment.first_work[place + 1] - segment.first_work[place]) for segment, place in places]
    first_work = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    labs = tuple(segment.labs[place] for segment, place in places)
    keys = tuple(lab.key for lab in labs)
    return Layer(
        Segment(
            keys,
            labs,
            first_work,
            works,
            focus,
            bound_postings(first_work, works, focus, columns),
            collect_names(labs),
            {key: position for position, key in enumerate(keys)},
        )
    )


def _works_of(segment: Segment, place: int) -> Rows:
    return segment.works.between(int(segment.first_work[place]), int(segment.first_work[place + 1]))
