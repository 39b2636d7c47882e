"""One lab's entries of a query's terms; see `portal.matching.segments.common` and `portal.matching.scoring`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.kernels.layout import (
    S_CELL_BYTES,
    S_CELLS,
    S_COMMON_MOST,
    S_COMMON_STARTS,
    S_FIRST_ROW,
    S_INVERSE_LENGTH,
    S_LARGE,
    S_LARGE_COUNT,
    S_LARGE_PLACES,
    S_LOW_BITS,
    S_ROW_BITS,
    S_WITHIN,
    S_WITHIN_BYTES,
    S_WITHIN_WIDTH,
)
from portal.matching.kernels.memory import bytes_at, fetch, floats_at, kernel, longs_at, number_at, shorts_at, words_at
from portal.matching.kernels.terms import bisected, find_terms, first_rare
from portal.matching.segments.cells import LARGE
from portal.matching.segments.postings import LOG_COUNT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.kernels.memory import Whole
    from portal.matching.kernels.terms import Terms

    Longs = NDArray[np.int64]
    Doubles = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Unsigned = NDArray[np.uint16] | NDArray[np.uint32]
    Words = NDArray[np.uint32]

_FEW = 32
"""Up to so many terms are prefetched; with more, the entries read are dense and the processor prefetches by itself."""


class Entries(NamedTuple):
    """Room for the entries of one lab: term, row within the lab, coordinate. Rows rise within each term."""

    query_terms: Words
    rows: Words
    values: Doubles


@kernel
def room_for(segment: Longs, terms: Terms) -> Entries:
    """Room for the entries of any lab of a segment."""
    most = segment[S_COMMON_MOST] + len(terms.rare_query_terms)
    return Entries(np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.float64))


@kernel
def _large_count(segment: Longs, place: Whole) -> np.int64:
    """The count of an entry that is too large for its cell; see `portal.matching.segments.cells`."""
    large = bisected(longs_at(segment[S_LARGE_PLACES], segment[S_LARGE_COUNT]), place)
    return np.int64(bytes_at(segment[S_LARGE], 1)[large])


@kernel
def fetch_labs(segment: Longs, terms: Terms, labs: Longs) -> None:
    """Prefetch what `gather` will read of a few terms in some labs, for all of them at once."""
    if len(terms.places) > _FEW:
        return
    within, size, width = segment[S_WITHIN], segment[S_WITHIN_BYTES], segment[S_WITHIN_WIDTH]
    low_bits = segment[S_LOW_BITS]
    for lab in labs:
        fetch(segment[S_FIRST_ROW] + 8 * lab)
        fetch(segment[S_COMMON_STARTS] + 4 * lab)
        for at in terms.places:
            fetch(within + size * (lab * width + (at >> low_bits)))
    first, starts = longs_at(segment[S_FIRST_ROW], 1), words_at(segment[S_COMMON_STARTS], 1)
    for lab in labs:
        fetch(segment[S_INVERSE_LENGTH] + 4 * first[lab])
        fetch(segment[S_INVERSE_LENGTH] + 4 * first[lab + 1])
        for at in terms.places:
            place = np.int64(starts[lab]) + number_at(within, size, lab * width + (at >> low_bits))
            fetch(segment[S_CELLS] + segment[S_CELL_BYTES] * place)


@kernel
def _add_run(
    segment: Longs,
    cells: Unsigned,
    place: Whole,
    terms: Terms,
    term: int,
    lengths: Floats,
    entries: Entries,
    count: int,
) -> int:
    """Append a term's entries, from the `cells` of its bucket in a lab, to the `count` ones. Returns the new number.

    The bucket begins at `place`; `lengths` belong to the lab's rows.
    """
    low_bits, row_bits = segment[S_LOW_BITS], segment[S_ROW_BITS]
    term_mask, row_mask = (1 << low_bits) - 1, (1 << row_bits) - 1
    wanted = terms.places[term] & term_mask
    query_term, weight = terms.query_terms[term], terms.weights[term]
    # Unsigned indices: for signed ones it would be checked each time whether they count from the end.
    cell_place, end = np.uint64(0), np.uint64(len(cells))
    while cell_place < end and cells[cell_place] & term_mask < wanted:
        cell_place += np.uint64(1)
    target = np.uint64(count)
    while cell_place < end and cells[cell_place] & term_mask == wanted:
        cell = np.int64(cells[cell_place]) >> low_bits
        row, term_count = cell & row_mask, cell >> row_bits
        if term_count == LARGE:
            term_count = _large_count(segment, place + np.int64(cell_place))
        entries.query_terms[target], entries.rows[target] = query_term, row
        entries.values[target] = weight * LOG_COUNT[np.uint64(term_count)] * lengths[np.uint64(row)]
        cell_place += np.uint64(1)
        target += np.uint64(1)
    return int(target)


@kernel
def gather(segment: Longs, terms: Terms, lab: int, entries: Entries) -> int:
    """Write a lab's entries of the terms into `entries`. Returns their number."""
    first = longs_at(segment[S_FIRST_ROW], 1)[lab]
    lengths = floats_at(segment[S_INVERSE_LENGTH], 1)
    count = 0
    entry = first_rare(terms, lab)
    while entry >= 0:
        row = terms.rare_rows[entry]
        entries.query_terms[count], entries.rows[count] = terms.rare_query_terms[entry], row - first
        entries.values[count] = terms.rare_weights[entry] * lengths[row]
        count += 1
        entry = terms.following[entry]
    if not len(terms.places):
        return count
    row_lengths = floats_at(segment[S_INVERSE_LENGTH] + 4 * first, 1)
    start = np.int64(words_at(segment[S_COMMON_STARTS], 1)[lab])
    within, size, cell_size = segment[S_WITHIN], segment[S_WITHIN_BYTES], segment[S_CELL_BYTES]
    bucket_at = lab * segment[S_WITHIN_WIDTH]
    for term in range(len(terms.places)):
        bucket = bucket_at + (terms.places[term] >> segment[S_LOW_BITS])
        begin = number_at(within, size, bucket)
        cell_count = number_at(within, size, bucket + 1) - begin
        place = start + begin
        address = segment[S_CELLS] + cell_size * place
        if cell_size == 2:  # noqa: PLR2004 - bytes
            count = _add_run(segment, shorts_at(address, cell_count), place, terms, term, row_lengths, entries, count)
        else:
            count = _add_run(segment, words_at(address, cell_count), place, terms, term, row_lengths, entries, count)
    return count


@kernel
def entries_in_lab(segment: Longs, ints: Longs, lab: int) -> tuple[Longs, Longs, Doubles]:
    """A lab's entries of a query's terms: term, row within the lab, coordinate."""
    terms = find_terms(segment, ints)
    entries = room_for(segment, terms)
    count = gather(segment, terms, lab, entries)
    return (
        entries.query_terms[:count].astype(np.int64),
        entries.rows[:count].astype(np.int64),
        entries.values[:count].copy(),
    )
