"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.columns import Sought, ranges
from portal.matching.language.terms import keys, terms
from portal.matching.language.words import cached_by_word
from portal.matching.layers import WORD_BITS, distinct, is_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.columns import Columns
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
        self._rows = np.arange(len(rows))
        firsts, stops = layer.first_sentence[rows], layer.first_sentence[rows + 1]
        self._counts = stops - firsts
        self._row = np.repeat(self._rows, self._counts)
        self._sentence = ranges(firsts, self._counts)
        begins = layer.first_word[self._sentence]
        lengths = layer.first_word[self._sentence + 1] - begins
        self._columns, self._entries, self._terms, self._parts = _columns_of(of_query)
        # Words, and pairs of a word and the one behind it, that the query has: where, and which of its columns. Both
        # columns of a word are read as one number.
        words = ranges(begins, lengths)
        both = layer.words.view(np.int64)[:, 0][words].view(np.int32)
        found, self._column = Sought(self._columns).among(both)
        place, is_pair = np.divmod(found, 2)
        self._in = lengths.cumsum().searchsorted(place, side="right")
        first = words[place]
        self._first, self._last = layer.places[first], layer.places[first + is_pair]

    def best(self, carried: Floats, rather: Floats) -> tuple[list[Matched | None], Bools]:
        """The sentence of each row that carries most, the first of equals, with what carries anything marked.

        `carried` has what each of the query's terms carries in each row. If `rather` carries anything in a row, its
        sentence is that which carries most of it; the second answer tells where.
        """
        values = self._values(carried)
        is_rather = rather.max(axis=1, initial=0.0) > 0
        sought = np.where(is_rather[:, None], self._values(rather), values)
        numbers, has_any = self._numbers(sought)
        rows = self._row[self._in]
        hits = (numbers[rows] == self._in) & (values[rows, self._column] > 0) & (self._first >> WORD_BITS > 0)
        spans, bounds = self._spans(rows[hits], self._first[hits], self._last[hits])
        chosen = self._sentence[numbers[has_any]]
        found: list[Matched | None] = [None] * len(self._rows)
        for row, text in zip(has_any.nonzero()[0].tolist(), self._layer.sentences(chosen), strict=True):
            found[row] = _on_one_line(text, spans[bounds[row] : bounds[row + 1]])
        return found, is_rather & has_any

    def _spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[list[Span], list[int]]:
        """The passages from first to last words, in order and merged, and the number of the first one of each row."""
        starts = rows * _FARTHEST + (first & _START)
        ends = rows * _FARTHEST + (last & _START) + (last >> WORD_BITS)
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
        numbers, most = np.zeros(len(self._rows), dtype=np.int64), np.zeros(len(self._rows))
        if len(self._in):
            # Each term counts once in a sentence.
            cells = distinct(self._in * len(self._columns) + self._column)
            sentence, column = np.divmod(cells, len(self._columns))
            sums = np.bincount(sentence, values[self._row[sentence], column], minlength=len(self._sentence))
            has_sentences = self._counts > 0
            firsts = (self._counts.cumsum() - self._counts)[has_sentences]
            most[has_sentences] = np.maximum.reduceat(sums, firsts)
            best = ((sums >= most[self._row] * _AT_MOST) & (sums > 0)).nonzero()[0][::-1]
            numbers[self._row[best]] = best
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
    columns = columns[order]
    firsts = is_new(columns).nonzero()[0]
    return columns[firsts], firsts, terms[order], parts[order]


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
        distinct = [sorted(set(places[:, 2].tolist())) for _, _, places in self._sentences]
        self._terms = np.array([term for of_sentence in distinct for term in of_sentence], dtype=np.int64)
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
