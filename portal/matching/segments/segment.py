"""A set of labs as postings and lengths. Immutable.

A row's vector has the coordinate (1 + ln count) × idf for each term, divided by the row's length. A lab's focus is the
sum of its rows' vectors, the profile's taken `PROFILE_WEIGHT` times, scaled to length 1. Neither is stored: both are
computed from the postings and the lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.hashing import term_number
from portal.matching.language.names import Names, names_of
from portal.matching.language.word_cache import LONGEST_WORD
from portal.matching.recent_cache import RecentCache
from portal.matching.segments import common
from portal.matching.segments.bounds import Bounds, bounds_of
from portal.matching.segments.common import Common, common_by_lab, common_terms
from portal.matching.segments.kernel_arrays import ArraysCache
from portal.matching.segments.lengths import lengths_of
from portal.matching.segments.singles import Singles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.explanation.lab_phrases import LabPhrases
    from portal.matching.explanation.lab_reading import LabReading
    from portal.matching.records import LabDoc
    from portal.matching.segments.lengths import Lengths
    from portal.matching.segments.postings import Postings
    from portal.matching.segments.rows import Rows

_CACHED_TERMS = 32_768
_CACHED_READINGS, _CACHED_PHRASES = 4, 1_024


@dataclass(frozen=True, slots=True)
class Segment:
    """Labs with their rows and the entries of their terms, each term in one of three places.

    - `singles` holds the terms that occur once in a single work; all of them weigh `idf_of_singles`.
    - The postings' `table` has all other terms, with their weights in `idf`. `common` holds the entries of the terms
      in many rows, the postings the entries of the rest.

    `inverse_length` is 1 / length of every row (0 for empty ones), `inverse_focus` 1 / length of every lab's sum of
    rows. `names` maps the keys of the systems' names to their spellings.
    """

    keys: Sequence[str]
    labs: Sequence[LabDoc]
    rows: Rows
    postings: Postings
    idf: NDArray[np.float32]
    common: Common
    singles: Singles
    idf_of_singles: float
    inverse_length: NDArray[np.float32]
    inverse_focus: NDArray[np.float32]
    bounds: Bounds
    names: Names
    positions: Mapping[str, int]
    # Not arguments of __init__, so that a copy made with `replace` starts with empty caches.
    readings: RecentCache[LabReading] = field(
        init=False, default_factory=partial(RecentCache, _CACHED_READINGS), repr=False, compare=False
    )
    """The last readings of labs by position: evidence and gaps of a lab are usually wanted together."""
    phrases: RecentCache[LabPhrases] = field(
        init=False, default_factory=partial(RecentCache, _CACHED_PHRASES), repr=False, compare=False
    )
    """The typical phrases of labs, by position."""
    _used: dict[str, bool] = field(init=False, default_factory=dict, repr=False, compare=False)
    kernel_cache: ArraysCache = field(init=False, default_factory=ArraysCache, repr=False, compare=False)
    """The segment as compiled kernels read it."""

    def uses(self, key: str) -> bool:
        """Whether the term with this key occurs. Caches answers."""
        occurs = self._used.get(key)
        if occurs is None:
            number = term_number(key)
            occurs = self.postings.table.find(number) >= 0 or self.singles.find(number) >= 0
            if len(key) <= LONGEST_WORD:
                if len(self._used) >= _CACHED_TERMS:
                    self._used.clear()
                self._used[key] = occurs
        return occurs

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
        """The place in the table, row and count of every entry except the singles. Rows rise within each term."""
        places = np.repeat(np.arange(len(self.idf)), np.diff(self.postings.starts))
        if not len(self.common.terms):
            return places, self.postings.rows, self.postings.counts
        of_common = self.common.all_entries(self.rows)
        return (
            np.concatenate((places, of_common[0])),
            np.concatenate((self.postings.rows, of_common[1])),
            np.concatenate((self.postings.counts, of_common[2])),
        )


def build(
    labs: Sequence[LabDoc],
    keys: Sequence[str],
    names: Names,
    rows: Rows,
    postings: Postings,
    idf: NDArray[np.float32],
    idf_of_singles: float | None = None,
    lengths: Lengths | None = None,
) -> Segment:
    """A segment of `labs` from their postings and the weights `idf` of the terms.

    Given `idf_of_singles`, the weight of all terms that occur once in a single work, these terms are stored apart if
    there are many. `lengths` are those of rows and labs, if known already.
    """
    lengths = lengths or lengths_of(rows, postings, idf)
    if rows.labs <= common.FEW_LABS and idf_of_singles is None:
        stored = postings, idf, Common.none(), Singles.none(), Bounds.of_no_terms(lengths.of_row)
    else:
        stored = _divided(rows, postings, idf, lengths, with_singles=idf_of_singles is not None)
    postings, idf, common_entries, singles, bounds = stored
    return Segment(
        keys,
        labs,
        rows,
        postings,
        idf,
        common_entries,
        singles,
        idf_of_singles or 0.0,
        lengths.inverse_length,
        lengths.inverse_focus,
        bounds,
        names,
        {key: position for position, key in enumerate(keys)},
    )


def _divided(
    rows: Rows, postings: Postings, idf: NDArray[np.float32], lengths: Lengths, *, with_singles: bool
) -> tuple[Postings, NDArray[np.float32], Common, Singles, Bounds]:
    """Divide the terms among the three places of a segment, the singles only if wanted.

    Returns the remaining postings, the weights of the terms in their table, the common terms, the singles, and the
    bounds of the common terms.
    """
    terms = common_terms(postings, rows)
    bounds = bounds_of(terms, rows, postings, idf, lengths)
    sizes = np.diff(postings.starts)
    is_common = np.zeros(len(sizes), dtype=bool)
    is_common[terms] = True
    common_entries = common_by_lab(terms, np.repeat(is_common, sizes), postings, rows)
    singles, is_kept = Singles.none(), np.ones(len(sizes), dtype=bool)
    if with_singles:
        single_terms = np.flatnonzero(sizes == 1)
        places = postings.starts[single_terms]
        is_single = (postings.counts[places] == 1) & rows.is_work(postings.rows[places])
        single_terms, places = single_terms[is_single], places[is_single]
        if Singles.is_worth_it(len(single_terms), len(rows)):
            singles = Singles.of(postings.table.numbers[single_terms], postings.rows[places], len(rows))
            is_kept[single_terms] = False
            common_entries = replace(common_entries, terms=(np.cumsum(is_kept) - 1)[terms])
    return postings.without(is_common, is_kept), idf[is_kept], common_entries, singles, bounds


def collect_names(labs: Iterable[LabDoc]) -> Names:
    """The keys of all systems' names of `labs`, with their spellings."""
    names = Names()
    for lab in labs:
        add_names(names, lab)
    return names


def add_names(names: Names, lab: LabDoc) -> None:
    """Add the names of one lab's systems to `names`."""
    for key, spelling in names_of(lab).items():
        names[key] = names.get(key, frozenset()) | {spelling}
