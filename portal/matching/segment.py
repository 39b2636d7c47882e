"""A set of labs as postings and lengths. Immutable.

The vector of a row has for every term (1 + ln count) × idf, divided by the row's length; the focus of a lab is the
sum of its rows' vectors, the profile's `PROFILE_WEIGHT` times, scaled to length 1. Neither is stored: both follow
from the postings and the lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.bounds import Bounds, bounds_of
from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.grouping import blocks, by_lab
from portal.matching.names import names_of
from portal.matching.postings import LOG_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.postings import Postings
    from portal.matching.records import LabDoc
    from portal.matching.rows import Rows
    from portal.matching.typical import TypicalTerm


@dataclass(frozen=True, slots=True)
class Segment:
    """Labs with their rows and the postings of their terms.

    `idf` has the weight of every term of the postings, `inverse_length` one over the length of every row (0 for
    empty ones), `inverse_focus` one over the length of every lab's sum of rows. `names` maps the keys of the
    systems' names to how they are written.
    """

    keys: Sequence[str]
    labs: Sequence[LabDoc]
    rows: Rows
    postings: Postings
    idf: NDArray[np.float32]
    inverse_length: NDArray[np.float32]
    inverse_focus: NDArray[np.float32]
    bounds: Bounds
    names: Mapping[str, frozenset[str]]
    positions: Mapping[str, int]
    typical: dict[int, tuple[TypicalTerm, ...]] = field(default_factory=dict)
    """What was found to be typical of labs, by position: kept as long as the segment is."""


def build(
    labs: Sequence[LabDoc],
    keys: Sequence[str],
    names: Mapping[str, frozenset[str]],
    rows: Rows,
    postings: Postings,
    idf: NDArray[np.float32],
) -> Segment:
    """The segment of `labs` with these postings, their terms weighing `idf`."""
    inverse_length = _inverse(_squares(rows, postings, idf))
    inverse_focus = _inverse(_focus_squares(rows, postings, idf, inverse_length))
    bounds = bounds_of(rows, postings, idf, inverse_length, inverse_focus)
    positions = {key: position for position, key in enumerate(keys)}
    return Segment(keys, labs, rows, postings, idf, inverse_length, inverse_focus, bounds, names, positions)


def _squares(rows: Rows, postings: Postings, idf: NDArray[np.float32]) -> NDArray[np.float64]:
    squares = np.zeros(len(rows))
    for block in blocks(postings.starts):
        weights = LOG_COUNT[postings.counts[block.entries]] * block.spread(idf)
        np.add.at(squares, postings.rows[block.entries], weights * weights)
    return squares


def _focus_squares(
    rows: Rows, postings: Postings, idf: NDArray[np.float32], inverse_length: NDArray[np.float32]
) -> NDArray[np.float64]:
    squares = np.zeros(rows.labs)
    for block in blocks(postings.starts):
        grouped = by_lab(block, rows, postings, idf, inverse_length)
        np.add.at(squares, grouped.labs, grouped.sums(PROFILE_WEIGHT) ** 2)
    return squares


def _inverse(squares: NDArray[np.float64]) -> NDArray[np.float32]:
    found = np.zeros(len(squares), dtype=np.float32)
    filled = squares > 0
    found[filled] = 1 / np.sqrt(squares[filled])
    return found


def collect_names(labs: Iterable[LabDoc]) -> dict[str, frozenset[str]]:
    """The keys of all systems' names of `labs`, with how they are written."""
    names: dict[str, frozenset[str]] = {}
    for lab in labs:
        add_names(names, lab)
    return names


def add_names(names: dict[str, frozenset[str]], lab: LabDoc) -> None:
    """Put the names of one lab's systems into `names`."""
    for key, spelling in names_of(lab).items():
        names[key] = names.get(key, frozenset()) | {spelling}
