"""The terms of a lab by weight, in the lab's spelling; computed for all its texts at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.explanation.lab_reading import reading_of
from portal.matching.explanation.surfaces import reads_as_phrase, usual
from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.language.hashing import term_number
from portal.matching.language.stemming import stem
from portal.matching.language.terms import terms
from portal.matching.language.words import fold
from portal.matching.segments.postings import LOG_COUNT
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.explanation.lab_reading import LabReading
    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_ENOUGH_WORKS = 4
_MOST_COUNTED = len(LOG_COUNT) - 1
_PAIR = 2


class TypicalTerm(NamedTuple):
    """A term that stands out in a lab: its number, the lab's most frequent spelling, the stems of its words.

    `works` are the works that contain it, none if only the profile does.
    """

    number: int
    text: str
    words: frozenset[str]
    works: tuple[str, ...]


class LabPhrases:
    """The terms in enough of a lab's works and its profile, heaviest first. Their spelling is found on demand.

    A term of a single work is not typical of a lab with four works or more. Term i has the number `numbers[i]` and the
    weight `weights[i]` in the lab's focus; its occurrences are those from `_edges[i]` to `_edges[i + 1]`.
    """

    def __init__(self, segment: Segment, position: int) -> None:
        self._lab = lab = segment.labs[position]
        self._least = 2 if len(lab.works) >= _ENOUGH_WORKS else 1
        self._sure: Sequence[bool] = ()
        self._forms: dict[int, TypicalTerm | None] = {}
        self._words: dict[int, Sequence[str]] = {}
        reading = reading_of(segment, position)
        numbers, edges, occurrences = self._frequent(reading, segment, position)
        self.numbers: Sequence[int] = numbers.tolist()
        self._edges: Sequence[int] = edges.tolist()
        self._locate(reading, occurrences, edges)

    def _frequent(self, reading: LabReading, segment: Segment, position: int) -> tuple[NDArray[np.uint64], Ints, Ints]:
        """Select the terms in enough rows, heaviest first. Sets `weights`.

        Returns their numbers, where the occurrences of each begin and end, and these occurrences, as places in
        `reading.placed`. Only occurrences that can be shown to people count.
        """
        numbers, row, shown = reading.numbers, reading.rows, reading.shown
        # A cell is one term in one row.
        begins_term = np.ones(len(numbers), dtype=bool)
        begins_term[1:] = numbers[1:] != numbers[:-1]
        begins_cell = begins_term.copy()
        begins_cell[1:] |= row[1:] != row[:-1]
        cells = np.flatnonzero(begins_cell)
        self.weights: Sequence[float] = ()
        if not len(cells):
            return numbers, np.zeros(1, np.int64), cells
        first_cell = np.flatnonzero(begins_term[cells])
        in_rows = np.add.reduceat(np.logical_or.reduceat(shown, cells), first_cell, dtype=np.int64)
        frequent = np.flatnonzero(in_rows >= self._least)
        sizes = np.diff(np.append(first_cell, len(cells)))[frequent]
        cells_of_frequent = ranges(first_cell[frequent], sizes)
        counts = np.minimum(np.diff(np.append(cells, len(numbers)))[cells_of_frequent], _MOST_COUNTED)
        frequent_numbers = numbers[cells[first_cell[frequent]]]
        weights = self._focus(segment, position, frequent_numbers, sizes, row[cells[cells_of_frequent]], counts)
        order = np.argsort(-weights, kind="stable")
        self.weights = weights[order].tolist()
        edges = np.append(cells[first_cell], len(numbers))
        frequent = frequent[order]
        lengths = edges[frequent + 1] - edges[frequent]
        cell_places = ranges(edges[frequent], lengths)
        is_shown = shown[cell_places]
        shown_before = np.concatenate((np.zeros(1, np.int64), is_shown.cumsum()))
        ends = shown_before[np.concatenate((np.zeros(1, np.int64), lengths.cumsum()))]
        return frequent_numbers[order], ends, reading.order[cell_places[is_shown]]

    def _focus(
        self, segment: Segment, position: int, numbers: NDArray[np.uint64], sizes: Ints, row: Ints, counts: Ints
    ) -> Floats:
        """The weights of the terms in the lab's focus, from the numbers of their rows and the counts in these."""
        places = segment.postings.table.find_all(numbers)
        idf = segment.idf[places].astype(np.float64) if len(segment.idf) else np.zeros(len(places))
        idf[places < 0] = segment.idf_of_singles
        factor = np.ones(len(self._lab.works) + 1, np.int64)
        factor[-1] = PROFILE_WEIGHT
        first = int(segment.rows.first[position])
        values = LOG_COUNT[counts] * idf.repeat(sizes) * segment.inverse_length[first + row]
        contributions = (factor * segment.inverse_focus[position])[row] * values
        return np.bincount(np.arange(len(sizes)).repeat(sizes), contributions, len(sizes)).astype(
            np.float64, copy=False
        )

    def _locate(self, reading: LabReading, occurrences: Ints, edges: Ints) -> None:
        """Store what is needed to spell terms: where each occurs, and where the pair that continues it ends."""
        placed = reading.placed
        self._texts = placed.texts[: reading.texts]
        self._text = placed.text[occurrences].astype(np.int32)
        self._row = np.array(reading.row_of_text)[self._text].astype(np.int32)
        begin, end = placed.spans(occurrences, occurrences)
        reach = np.full(len(occurrences), -1)
        pairs = np.flatnonzero(placed.following[occurrences] >= 0)
        following = placed.following[occurrences[pairs]]
        begins, ends = placed.spans(following, following)
        goes_on = (begin[pairs] < begins) & (begins < end[pairs]) & (end[pairs] < ends)
        reach[pairs[goes_on]] = ends[goes_on]
        self._begin, self._end, self._reach = begin.astype(np.int32), end.astype(np.int32), reach.astype(np.int32)
        if len(occurrences):
            starts, sizes = edges[:-1], np.diff(edges)
            of_first = starts.repeat(sizes)
            first, last, length = placed.first[occurrences], placed.last[occurrences], end - begin
            is_same_words = (first == first[of_first]) & (last == last[of_first]) & (length == length[of_first])
            is_sure = np.logical_and.reduceat(is_same_words, starts) & (first[starts] >= 0) & (last[starts] >= 0)
            self._sure = is_sure.tolist()

    def words(self, term: int) -> Sequence[str]:
        """Stems that are certainly among those of a term's words once it is spelled; may be empty."""
        stems = self._words.get(term)
        if stems is None:
            stems = ()
            if self._sure[term]:
                # The same words are wherever the term occurs; between two of them nothing else is, here or elsewhere.
                occurrence = self._edges[term]
                written = self._texts[self._text.item(occurrence)][
                    self._begin.item(occurrence) : self._end.item(occurrence)
                ].split(" ")
                if len(written) <= _PAIR and all(map(str.isalpha, written)):
                    stems = tuple([stem(fold(word)) for word in written])
            self._words[term] = stems
        return stems

    def form(self, term: int) -> TypicalTerm | None:
        """A term in words; None if too few texts contain it as a phrase."""
        if term not in self._forms:
            self._forms[term] = self._in_words(term)
        return self._forms[term]

    def _in_words(self, term: int) -> TypicalTerm | None:
        part, texts = slice(self._edges[term], self._edges[term + 1]), self._texts
        of_text, begins = self._text[part].tolist(), self._begin[part].tolist()
        rows: Sequence[int] = self._row[part].tolist()
        stretches = [
            texts[text][begin:end] for text, begin, end in zip(of_text, begins, self._end[part].tolist(), strict=True)
        ]
        written, reading = _phrases(stretches)
        if len(reading) < len(set(stretches)):
            rows = [row for row, stretch in zip(rows, stretches, strict=True) if stretch in reading]
        in_rows = sorted(set(rows))
        if len(in_rows) < self._least:
            return None
        reaches = zip(of_text, begins, self._reach[part].tolist(), stretches, strict=True)
        longer, _ = _phrases(
            [texts[text][begin:end] for text, begin, end, stretch in reaches if end >= 0 and stretch in reading]
        )
        form = usual(written, longer)
        words = frozenset([stem(fold(word)) for word in form.replace("-", " ").split()])
        works = self._lab.works
        return TypicalTerm(
            self.numbers[term], form, words, tuple([works[row].key for row in in_rows if row < len(works)])
        )

    def key(self, term: int) -> str:
        """The key of a term."""
        number, at = self.numbers[term], self._edges[term]
        text = self._texts[self._text.item(at)]
        for written in (text[self._begin.item(at) : self._end.item(at)], text):
            for term_of_text in terms(written):
                if term_number(term_of_text.key) == number:
                    return term_of_text.key
        raise LookupError(number)


def _phrases(stretches: Sequence[str]) -> tuple[Counter[str], frozenset[str]]:
    """Counts of the passages that read as phrases, and which of the given passages these are."""
    written: Counter[str] = Counter()
    reading: list[str] = []
    for stretch, times in Counter(stretches).items():
        phrase = " ".join(stretch.split())
        if reads_as_phrase(phrase):
            written[phrase] += times
            reading.append(stretch)
    return written, frozenset(reading)
