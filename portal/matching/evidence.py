"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import keys, terms
from portal.matching.language.words import cached_by_word
from portal.matching.layers import WORD_BITS, Sought, ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.layers import Columns
    from portal.matching.reading import Reading
    from portal.matching.results import Source, Span

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_BULLET = re.compile(r"[-*•‣·–]\s+")
_START = (1 << WORD_BITS) - 1
_FARTHEST = 1 << 17
"""More characters than a sentence has in which words are marked."""
_AT_MOST = 1 - 1e-12
"""Sums of the same values may differ in the last bits."""


class Matched(NamedTuple):
    """A sentence and the matched spans in it."""

    text: str
    spans: tuple[Span, ...]


_matched = partial(tuple.__new__, Matched)
"""The same as `Matched._make`, but entirely in C."""


def mark(text: str, wanted: Iterable[str]) -> tuple[Span, ...]:
    """Where the terms `wanted`, as written in an explanation, occur in `text`, in any inflection.

    Spans are in order and do not overlap. A phrase is marked as a whole, not its single words.
    """
    wanted_keys = frozenset[str]().union(*map(keys_of_phrase, wanted))
    return merged_spans((term.start, term.end) for term in terms(text) if term.key in wanted_keys)


def occurring(text: str, wanted: Iterable[str]) -> frozenset[str]:
    """Those of the terms `wanted` that `mark` finds in `text`. Reads the text once, however many are wanted."""
    present = frozenset(keys([text]))
    return frozenset(phrase for phrase in wanted if not present.isdisjoint(keys_of_phrase(phrase)))


@cached_by_word(4096)
def keys_of_phrase(phrase: str) -> frozenset[str]:
    """The keys by which a term, as an explanation writes it, is found in texts; of a phrase only its pairs of words."""
    found_terms = list(terms(phrase))
    pairs = frozenset(term.key for term in found_terms if term.kind == "pair")
    return pairs or frozenset(term.key for term in found_terms)


class SentencesOfRows:
    """The sentences of some rows of a layer, and where terms of a query are in them."""

    def __init__(self, of_query: Columns, rows: Ints) -> None:
        self._layer = layer = of_query.layer
        self._rows = rows
        counts = layer.first_sentence[rows + 1] - layer.first_sentence[rows]
        self._row = np.repeat(np.arange(len(rows)), counts)
        self._sentence = ranges(layer.first_sentence[rows], counts)
        begins = layer.first_word[self._sentence]
        lengths = layer.first_word[self._sentence + 1] - begins
        words = ranges(begins, lengths)
        self._columns, self._entries, self._terms, self._parts = _columns_of(of_query)
        self._sought = Sought(self._columns)
        self._words, self._is_pair, self._column = self._found(words)
        self._in = lengths.cumsum().searchsorted(self._words, side="right")
        self._words = words[self._words]

    @cached_property
    def _cells(self) -> tuple[Ints, Ints]:
        """Which sentence has which column, each once."""
        cells = np.sort(self._in * len(self._columns) + self._column)
        sentence, column = np.divmod(cells[np.append(True, cells[1:] != cells[:-1])], len(self._columns))
        return sentence, column

    def _found(self, words: Ints) -> tuple[Ints, Bools, Ints]:
        """The places of the words, and of the first words of pairs, that the query has, and which of its columns."""
        (of_words, word), (of_pairs, pair) = (
            self._sought.among(columns) for columns in (self._layer.words[:, 0][words], self._layer.words[:, 1][words])
        )
        is_pair = np.repeat((False, True), (len(of_words), len(of_pairs)))
        return np.concatenate((of_words, of_pairs)), is_pair, np.concatenate((word, pair))

    def best(self, carried: Floats, rather: Floats | None = None) -> tuple[list[Matched | None], Bools]:
        """The sentence of each row that carries most, the first of equals, with what carries anything marked.

        `carried` has what each of the query's terms carries in each row. If `rather` carries anything in a row, its
        sentence is that which carries most of it; the second answer tells where.
        """
        values = self._values(carried)
        numbers, is_any = self._numbers(values)
        is_rather = np.zeros(len(self._rows), dtype=bool)
        if rather is not None:
            others, is_rather = self._numbers(self._values(rather))
            numbers = np.where(is_rather, others, numbers)
        has_any = is_any | is_rather
        rows = self._row[self._in]
        hits = (numbers[rows] == self._in) & (values[rows, self._column] > 0)
        hits &= self._layer.words[:, 2][self._words] >> WORD_BITS > 0
        spans, bounds = self._spans(rows[hits], self._words[hits], self._words[hits] + self._is_pair[hits])
        chosen = self._sentence[numbers[has_any]]
        found: list[Matched | None] = [None] * len(self._rows)
        for row, text in zip(np.flatnonzero(has_any).tolist(), self._layer.sentences(chosen), strict=True):
            found[row] = _on_one_line(text, spans[bounds[row] : bounds[row + 1]])
        return found, is_rather

    def _spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[list[Span], list[int]]:
        """The passages from first to last words, in order and merged, and the number of the first one of each row."""
        of_first, of_last = self._layer.words[:, 2][first], self._layer.words[:, 2][last]
        starts = rows * _FARTHEST + (of_first & _START)
        ends = rows * _FARTHEST + (of_last & _START) + (of_last >> WORD_BITS)
        order = np.argsort(starts)
        starts, ends = starts[order], np.maximum.accumulate(ends[order])
        is_new = np.ones(len(starts), dtype=bool)
        is_new[1:] = starts[1:] >= ends[:-1]
        is_last = np.append(is_new[1:], True)[: len(ends)]
        starts, ends = starts[is_new], ends[is_last]
        bounds = starts.searchsorted(np.arange(len(self._rows) + 1) * _FARTHEST).tolist()
        return list(zip((starts % _FARTHEST).tolist(), (ends % _FARTHEST).tolist(), strict=True)), bounds

    def _values(self, carried: Floats) -> Floats:
        """What each column of the query carries in each row."""
        if not len(self._columns):
            return np.zeros((len(carried), 0))
        values: Floats = carried[:, self._terms] * self._parts
        return values if len(self._terms) == len(self._columns) else np.add.reduceat(values, self._entries, axis=1)

    def _numbers(self, values: Floats) -> tuple[Ints, Bools]:
        """The place of each row's sentence that carries most, and whether it carries anything."""
        count = len(self._sentence)
        numbers = np.zeros(len(self._rows), dtype=np.int64)
        if not count or not len(self._in):
            return numbers, np.zeros(len(self._rows), dtype=bool)
        # Each term counts once in a sentence.
        sentence, column = self._cells
        sums = np.bincount(sentence, values[self._row[sentence], column], minlength=count)
        firsts = np.searchsorted(self._row, np.arange(len(self._rows)))
        with_any = np.flatnonzero(np.diff(np.append(firsts, count)))
        most = np.zeros(len(self._rows))
        most[with_any] = np.maximum.reduceat(sums, firsts[with_any])
        best = np.flatnonzero((sums >= most[self._row] * _AT_MOST) & (sums > 0))
        numbers[self._row[best[::-1]]] = best[::-1]
        return numbers, most > 0


def _columns_of(of_query: Columns) -> tuple[Ints, Ints, Ints, Floats]:
    """The columns of a query, rising; for each, the first of its entries, which have terms and their parts of it."""
    columns, terms, parts = of_query.entries()
    layer = of_query.layer
    if len(layer.part):
        # Words that contain a word of the query.
        sought = columns.astype(layer.part.dtype)
        begins, ends = layer.part.searchsorted(sought), layer.part.searchsorted(sought, side="right")
        again = np.repeat(np.arange(len(columns)), ends - begins)
        columns = np.concatenate((columns, layer.whole[ranges(begins, ends - begins)]))
        terms, parts = np.concatenate((terms, terms[again])), np.concatenate((parts, parts[again]))
    order = np.argsort(columns, kind="stable")
    distinct, first = np.unique(columns[order], return_index=True)
    return distinct, first, terms[order], parts[order]


def _on_one_line(text: str, spans: Sequence[Span]) -> Matched:
    """A sentence with single spaces."""
    if "  " in text or not text.isprintable():
        spans = [(_moved(text, start), _moved(text, end - 1) + 1) for start, end in spans]
        text = " ".join(text.split())
    return _matched((text, tuple(spans)))


def _moved(text: str, place: int) -> int:
    return len(" ".join(f"{text[:place]}|".split())) - 1


class SentencesOfQuery:
    """The sentences of a query, and the terms in each."""

    def __init__(self, reading: Reading) -> None:
        self._source: Source = reading.parts[0].source if reading.parts else "topic"
        self._sentences: list[tuple[str, Source, Ints]] = []
        for part in reading.parts:
            places = part.places[part.places[:, 0].argsort(kind="stable")]
            bounds = places[:, 0].searchsorted(np.arange(len(part.sentences) + 1)).tolist()
            for (begin, end), (first, stop) in zip(part.sentences, pairwise(bounds), strict=True):
                if first < stop:
                    of_sentence = places[first:stop, 1:] - (begin, begin, 0)
                    self._sentences.append((part.text[begin:end], part.source, of_sentence))
        # Each term counts once in a sentence.
        distinct = [np.unique(places[:, 2]) for _, _, places in self._sentences]
        self._terms = np.concatenate(distinct) if distinct else np.zeros(0, np.int64)
        self._firsts = np.cumsum([0, *map(len, distinct)])[:-1]

    def best(self, carried: Floats) -> list[tuple[Matched, Source]]:
        """For each row of `carried`, the sentence that carries most, and the kind of part that it is in."""
        if not self._sentences:
            return [(Matched("", ()), self._source)] * len(carried)
        sums = np.add.reduceat(carried[:, self._terms], self._firsts, axis=1)
        most = sums.max(axis=1, initial=0.0)
        numbers = (sums >= most[:, None] * _AT_MOST).argmax(axis=1)
        carries = carried != 0
        found = [(Matched("", ()), self._source)] * len(carried)
        for number in dict.fromkeys(numbers[most > 0].tolist()):
            text, source, places = self._sentences[number]
            spans = places[:, :2].tolist()
            shown: dict[bytes, tuple[Matched, Source]] = {}
            rows = np.flatnonzero((numbers == number) & (most > 0))
            for row, of_row in zip(rows.tolist(), carries[rows][:, places[:, 2]], strict=True):
                pattern = of_row.tobytes()
                if pattern not in shown:
                    marked = merged_spans([span for span, is_marked in zip(spans, pattern, strict=True) if is_marked])
                    shown[pattern] = Matched(text, marked), source
                found[row] = shown[pattern]
        return found


def without_bullet(matched: Matched) -> Matched:
    """A sentence without the sign of a list in front of it."""
    bullet = _BULLET.match(matched.text)
    if bullet is None:
        return matched
    cut = bullet.end()
    return Matched(matched.text[cut:], tuple((start - cut, end - cut) for start, end in matched.spans if start >= cut))


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, overlapping ones merged."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
