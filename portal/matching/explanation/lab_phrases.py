"""The terms of a lab by how much they weigh in it, as the lab writes them: found for all its texts at once."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.explanation.surfaces import reads_as_phrase, usual
from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.language.hashing import term_number
from portal.matching.language.placing import PAIR, PART, PlacedTerms
from portal.matching.language.stemming import stem
from portal.matching.language.terms import terms
from portal.matching.language.words import fold
from portal.matching.segments.postings import LOG_COUNT
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from portal.matching.segments.segment import Segment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_ENOUGH_WORKS = 4
_PHRASE_FAVOUR = 2.0
"""Two words say more to a reader than one; a pair's weight is spread thinner than a word's."""
_MOST_COUNTED = len(LOG_COUNT) - 1


class TypicalTerm(NamedTuple):
    """A term that stands out in a lab: its number, how the lab writes it most often, the stems of these words.

    `works` are those that have it; none has what the profile alone has.
    """

    number: int
    text: str
    words: frozenset[str]
    works: tuple[str, ...]


class LabPhrases:
    """The terms that enough of a lab's works and its profile have; put into words one after the other.

    A term of a single work is not typical of a lab with four works or more.
    """

    def __init__(self, segment: Segment, position: int) -> None:
        self._lab = lab = segment.labs[position]
        self._least = 2 if len(lab.works) >= _ENOUGH_WORKS else 1
        # As the rows of an index: the works, then the profile. Names of systems count, but are not put into words.
        texts = [(row, text) for row, work in enumerate(lab.works) for text in (work.title, work.abstract)]
        names = [(row, name) for row, work in enumerate(lab.works) for name in work.systems]
        self._rows, written = zip(*texts, (len(lab.works), lab.profile), *names, strict=True)
        self._placed = placed = PlacedTerms.of(written)
        row = np.array(self._rows)[placed.text]
        shown = (placed.kind != PART) & (placed.text <= len(texts))
        numbers, self._weights, self._occurrences, self._edges = self._of_terms(segment, position, row, shown)
        self._numbers: list[int] = numbers.tolist()

    def _of_terms(
        self, segment: Segment, position: int, row: Ints, shown: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint64], Floats, Ints, Sequence[int]]:
        """The numbers of the terms, what they weigh in the lab's focus, and where each of them is shown."""
        order = np.lexsort((row, self._placed.numbers))
        numbers, row, shown = self._placed.numbers[order], row[order], shown[order]
        # A cell is what one row has of one term.
        begins_term = np.ones(len(order), dtype=bool)
        begins_term[1:] = numbers[1:] != numbers[:-1]
        begins_cell = begins_term.copy()
        begins_cell[1:] |= row[1:] != row[:-1]
        cells = np.flatnonzero(begins_cell)
        terms_at = np.flatnonzero(begins_term[cells])
        if not len(cells):
            return numbers, np.zeros(0), cells, [0]
        in_rows = np.add.reduceat(np.logical_or.reduceat(shown, cells), terms_at, dtype=np.int64)
        kept = np.flatnonzero(in_rows >= self._least)
        sizes = np.diff(np.append(terms_at, len(cells)))[kept]
        of_kept = ranges(terms_at[kept], sizes)
        counts = np.minimum(np.diff(np.append(cells, len(order)))[of_kept], _MOST_COUNTED)
        found = numbers[cells[terms_at[kept]]]
        weights = self._focus(segment, position, found, sizes, row[cells[of_kept]], counts)
        return found, weights, *self._shown(order, shown, cells, terms_at, kept)

    def _focus(
        self, segment: Segment, position: int, numbers: NDArray[np.uint64], sizes: Ints, row: Ints, counts: Ints
    ) -> Floats:
        """What the lab's focus has of the terms, each with so many rows and counts."""
        places = segment.postings.table.find_all(numbers)
        idf = np.where(places < 0, segment.idf_of_singles, segment.idf[places] if len(segment.idf) else 0.0)
        factor = np.ones(len(self._lab.works) + 1, np.int64)
        factor[-1] = PROFILE_WEIGHT
        first = int(segment.rows.first[position])
        values = LOG_COUNT[counts] * idf.repeat(sizes) * segment.inverse_length[first + row]
        brings = (factor * segment.inverse_focus[position])[row] * values
        return np.bincount(np.arange(len(sizes)).repeat(sizes), brings, len(sizes)).astype(np.float64, copy=False)

    @staticmethod
    def _shown(
        order: Ints, shown: NDArray[np.bool_], cells: Ints, terms_at: Ints, kept: Ints
    ) -> tuple[Ints, Sequence[int]]:
        """Where the kept terms are shown, and the edges of each."""
        edges = np.append(cells[terms_at], len(order))
        sizes = edges[kept + 1] - edges[kept]
        at = ranges(edges[kept], sizes)
        there = shown[at]
        before = np.concatenate((np.zeros(1, np.int64), there.cumsum()))
        ends = before[np.concatenate((np.zeros(1, np.int64), sizes.cumsum()))]
        return order[at[there]], ends.tolist()

    def by_weight(self) -> Iterator[TypicalTerm]:
        """The terms by weight, equal ones by key; of few the form is found, which takes longest."""
        # A term may weigh as much as a phrase until its form is known.
        order = np.argsort(-self._weights, kind="stable").tolist()
        weights = self._weights.tolist()
        waiting: list[tuple[float, _ByKey, TypicalTerm]] = []
        for place in (*order, -1):
            most = _PHRASE_FAVOUR * weights[place] if place >= 0 else 0.0
            while waiting and (-waiting[0][0] > most or place < 0):
                yield heappop(waiting)[2]
            if most:
                found = self._form(place)
                if found is not None:
                    favour = _PHRASE_FAVOUR if len(found.words) > 1 else 1.0
                    heappush(waiting, (-favour * weights[place], _ByKey(self, place), found))

    def _form(self, place: int) -> TypicalTerm | None:
        """How a term is written; None where too few texts have it as a phrase."""
        written: Counter[str] = Counter()
        longer: Counter[str] = Counter()
        rows: set[int] = set()
        placed = self._placed
        for at in self._occurrences[self._edges[place] : self._edges[place + 1]].tolist():
            text = placed.text.item(at)
            stretch = self._stretch(at, at)
            if not reads_as_phrase(stretch):
                continue
            written[stretch] += 1
            rows.add(self._rows[text])
            following = placed.following.item(at)
            if following >= 0 and placed.kind.item(at) == PAIR and self._goes_on(at, following):
                stretch = self._stretch(at, following)
                if reads_as_phrase(stretch):
                    longer[stretch] += 1
        if len(rows) < self._least:
            return None
        form = usual(written, longer)
        words = frozenset([stem(fold(word)) for word in form.replace("-", " ").split()])
        works = self._lab.works
        return TypicalTerm(
            self._numbers[place], form, words, tuple([works[row].key for row in sorted(rows) if row < len(works)])
        )

    def _goes_on(self, pair: int, following: int) -> bool:
        """Whether a pair begins within another one, and ends behind it."""
        (start, end), (begins, ends) = self._placed.span(pair), self._placed.span(following)
        return start < begins < end < ends

    def _stretch(self, first: int, last: int) -> str:
        """What stands from one term to another."""
        placed = self._placed
        start, end = placed.stretch(first, last)
        return " ".join(placed.texts[placed.text.item(first)][start:end].split())

    def key(self, place: int) -> str:
        """The key of a term."""
        number, placed = self._numbers[place], self._placed
        for at in self._occurrences[self._edges[place] : self._edges[place + 1]].tolist():
            text = placed.texts[placed.text.item(at)]
            for written in (self._stretch(at, at), text):
                for term in terms(written):
                    if term_number(term.key) == number:
                        return term.key
        raise LookupError(number)


class _ByKey:
    """Orders terms of equal weight by their keys, which are looked for only then."""

    def __init__(self, phrases: LabPhrases, place: int) -> None:
        self._phrases = phrases
        self._place = place

    @cached_property
    def _key(self) -> str:
        return self._phrases.key(self._place)

    def __lt__(self, other: _ByKey) -> bool:
        return self._key < other._key  # noqa: SLF001 - of its own kind
