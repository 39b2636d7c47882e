"""Fits an index: weights, segment and words from labs, in one pass over any iterable and in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import compiled
from portal.matching.language.abbreviations import bracketed, learn_abbreviations
from portal.matching.language.counting import Forms, occurrences
from portal.matching.language.hashing import term_numbers
from portal.matching.language.names import Names, name_key
from portal.matching.language.spelling import Speller
from portal.matching.language.terms import compact
from portal.matching.records import LabDoc
from portal.matching.segments.grouping import blocks
from portal.matching.segments.postings import MOST_ROWS_AT_ONCE, Collector, postings_of
from portal.matching.segments.rows import Rows
from portal.matching.segments.segment import add_names, build, collect_names
from portal.matching.segments.shelf import Shelf, characters_of
from portal.matching.segments.weights import Weights, idf_of_singles, smoothed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.language.abbreviations import Abbreviation
    from portal.matching.language.counting import Occurrences
    from portal.matching.segments.postings import Postings
    from portal.matching.segments.segment import Segment

_KEY = attrgetter("key")
_CHARACTERS_PER_BATCH = 2_000_000


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is learned from labs."""

    weights: Weights
    segment: Segment
    speller: Speller
    abbreviations: Mapping[str, tuple[Abbreviation, ...]]


class _Reader:
    """Reads labs in batches; row numbers continue from batch to batch.

    Collects the occurrences of terms, the number of works of every lab and, with `counts_forms`, counts of words.
    """

    def __init__(self, *, counts_forms: bool) -> None:
        self._counts_forms = counts_forms
        self.collector = Collector()
        self.forms = Forms()
        self.works: list[int] = []
        self.rows = 0
        self._labs: list[LabDoc] = []
        self._characters = 0

    def add(self, lab: LabDoc) -> None:
        """Add a lab to the batch; read the batch once it is large enough."""
        self._labs.append(lab)
        self._characters += characters_of(lab)
        if self._characters > _CHARACTERS_PER_BATCH:
            self.finish()

    def finish(self) -> None:
        """Read the current batch."""
        batch, numbers, in_rows = _read(self._labs)
        self.collector.add(numbers, in_rows + np.int32(self.rows))
        if self._counts_forms:
            self.forms.add(batch)
        works = [len(lab.works) for lab in self._labs]
        self.works += works
        self.rows += sum(works) + len(works)
        compiled.start_for(self.rows)  # while the rest is read
        self._labs.clear()
        self._characters = 0


def fit(labs: Iterable[LabDoc], progress: Callable[[int], None] | None = None) -> Fitted:
    """Learn everything from `labs`, with the idf over their works. `progress` is called with the number read so far.

    Raises:
        ValueError: two labs have the same key.
    """
    reader, shelf = _Reader(counts_forms=True), Shelf()
    names = Names()
    positions: dict[str, None] = {}
    may_define: list[str] = []
    for lab_as_given in labs:
        lab = _works_in_order(lab_as_given)
        if lab.key in positions:
            raise ValueError(f"more than one lab has the key {lab.key}")
        positions[lab.key] = None
        reader.add(lab)
        shelf.put(lab)
        add_names(names, lab)
        may_define += _bracketed(lab)
        if progress is not None:
            progress(len(positions))
    reader.finish()
    rows = Rows.of(reader.works)
    postings = reader.collector.postings(reader.rows)
    works = len(rows) - rows.labs
    idf = smoothed(_frequency(rows, postings), works)
    segment = build(shelf.labs(), tuple(positions), names, rows, postings, idf, idf_of_singles(works))
    weights = Weights(segment.postings.table, segment.idf, segment.singles, works)
    return Fitted(weights, segment, Speller(reader.forms.counted(), len(rows)), learn_abbreviations(may_define))


def segment_of(labs: Iterable[LabDoc], weights: Weights) -> Segment:
    """A segment of `labs`, weighted with the weights of an existing index."""
    ordered = [_works_in_order(lab) for lab in labs]
    rows = Rows.of([len(lab.works) for lab in ordered])
    if len(rows) <= MOST_ROWS_AT_ONCE:
        postings = postings_of(*_read(ordered)[1:], len(rows))
    else:
        reader = _Reader(counts_forms=False)
        for lab in ordered:
            reader.add(lab)
        reader.finish()
        postings = reader.collector.postings(reader.rows)
    keys = tuple(lab.key for lab in ordered)
    idf = weights.of_all(postings.table.numbers)
    return build(ordered, keys, collect_names(ordered), rows, postings, idf)


def _works_in_order(lab: LabDoc) -> LabDoc:
    """`lab` with its works sorted by key, so that nothing depends on their original order."""
    works = tuple(sorted(lab.works, key=_KEY))
    return lab if lab.works == works else LabDoc(lab.key, lab.profile, works, lab.facets)


def _read(labs: Sequence[LabDoc]) -> tuple[Occurrences, NDArray[np.uint64], NDArray[np.int32]]:
    """The occurrences in the texts of labs; then the term numbers and rows of these and of the systems' names."""
    texts, names, row_of_name = _texts(labs)
    batch = occurrences(texts)
    if not names:
        return batch, batch.numbers, batch.rows
    numbers = np.concatenate((batch.numbers, term_numbers(names)))
    return batch, numbers, np.concatenate((batch.rows, np.array(row_of_name, dtype=np.int32)))


def _texts(labs: Sequence[LabDoc]) -> tuple[list[tuple[str, ...]], list[str], list[int]]:
    """The texts of every row, and the keys of the systems' names with the rows they are in."""
    texts: list[tuple[str, ...]] = []
    names: list[str] = []
    row_of_name: list[int] = []
    for lab in labs:
        for work in lab.works:
            for name in work.systems:
                if compact(name):
                    names.append(name_key(name))
                    row_of_name.append(len(texts))
            texts.append((work.title, *work.systems, work.abstract))
        texts.append((lab.profile,))
    return texts, names, row_of_name


def _frequency(rows: Rows, postings: Postings) -> NDArray[np.int64]:
    """The number of works that contain each term."""
    frequency = np.zeros(len(postings.table), dtype=np.int64)
    for block in blocks(postings.starts):
        in_works = rows.is_work(postings.rows[block.entries])
        np.add.at(frequency, np.repeat(block.terms, block.sizes)[in_works], 1)
    return frequency


def _bracketed(lab: LabDoc) -> list[str]:
    """The parts of a lab's texts that may define abbreviations, one string per text."""
    texts = (lab.profile, *(text for work in lab.works for text in (work.title, work.abstract)))
    return [bracketed(text) for text in texts if "(" in text]
