"""Reads all texts of a lab at once: its terms by number, each with its row of the index and its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.placing import PART, PlacedTerms
from portal.matching.segments.postings import MOST_ROWS_AT_ONCE
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from portal.matching.records import LabDoc
    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]


class LabReading:
    """The terms in some rows of a lab: row i is its work i, the last row its profile.

    `order` sorts the terms of `placed` by number and row; `numbers` and `rows` are in this order. `shown` marks the
    terms that can be shown to people; those of systems' names, which count with their works, cannot.
    """

    def __init__(self, lab: LabDoc, rows: Iterable[int]) -> None:
        self.row_of_text: list[int] = []
        texts: list[str] = []
        names: list[str] = []
        of_names: list[int] = []
        for row in rows:
            if row == len(lab.works):
                texts.append(lab.profile)
                self.row_of_text.append(row)
                continue
            work = lab.works[row]
            texts += (work.title, work.abstract)
            self.row_of_text += (row, row)
            names += work.systems
            of_names += [row] * len(work.systems)
        self.row_of_text += of_names
        self.placed = placed = PlacedTerms.of([*texts, *names])
        row_of_term = np.array(self.row_of_text, dtype=np.int64)[placed.text]
        if len(lab.works) < MOST_ROWS_AT_ONCE:
            # Packed into one number each, which sorts faster.
            packed = placed.numbers * np.uint64(MOST_ROWS_AT_ONCE) + row_of_term.astype(np.uint64)
            self.order: Ints = np.argsort(packed)
        else:
            self.order = np.lexsort((row_of_term, placed.numbers))
        self.numbers = placed.numbers[self.order]
        self.rows: Ints = row_of_term[self.order]
        self.shown: NDArray[np.bool_] = (placed.kind != PART)[self.order]
        if names:
            self.shown &= placed.text[self.order] < len(texts)
        self.texts = len(texts)

    def terms_in(self, row: int, numbers: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
        """The terms with these numbers in the texts of a row, without systems' names: (which number, the term)."""
        begins = self.numbers.searchsorted(numbers)
        sizes = self.numbers.searchsorted(numbers, side="right") - begins
        places = ranges(begins, sizes)
        terms = self.order[places]
        in_row = np.flatnonzero((self.rows[places] == row) & (self.placed.text[terms] < self.texts))
        ordinals = np.arange(len(numbers)).repeat(sizes)
        return zip(ordinals[in_row].tolist(), terms[in_row].tolist(), strict=True)


def reading_of(segment: Segment, position: int) -> LabReading:
    """The reading of a whole lab; the segment caches the last ones."""
    lab = segment.labs[position]
    return segment.readings.of(position, lambda: LabReading(lab, range(len(lab.works) + 1)))
