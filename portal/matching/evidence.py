"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import CHUNK, CHUNKS, keys, terms, unit_span, units
from portal.matching.language.text import masked
from portal.matching.language.words import cached_by_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.layers import Layer
    from portal.matching.reading import Reading
    from portal.matching.results import Source, Span

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_BULLET = re.compile(r"[-*•‣·–]\s+")
_REMAINDERS = 1 << 16
_AT_MOST = 1 - 1e-12
"""Sums of the same values may differ in the last bits."""


class Matched(NamedTuple):
    """A sentence and the matched spans in it."""

    text: str
    spans: tuple[Span, ...]


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

    def __init__(self, layer: Layer, rows: Ints, reading: Reading) -> None:
        self._layer, self._rows = layer, rows
        counts = layer.first_sentence[rows + 1] - layer.first_sentence[rows]
        self._row = np.repeat(np.arange(len(rows)), counts)
        self._sentence = _ranges(layer.first_sentence[rows], counts)
        begins = layer.first_word[self._sentence]
        lengths = layer.first_word[self._sentence + 1] - begins
        words = _ranges(begins, lengths)
        self._ends_of_words = lengths.cumsum()
        self._columns, self._entries, self._terms, self._parts = _columns_of(layer, reading)
        self._words, self._is_pair, self._column = self._found(words)
        self._in = self._ends_of_words.searchsorted(self._words, side="right")
        self._place = self._words - (self._ends_of_words - lengths)[self._in]
        self._words = words[self._words]

    def _found(self, words: Ints) -> tuple[Ints, Bools, Ints]:
        """The places of the words, and of the first words of pairs, that the query has, and which of its columns."""
        maybe = np.zeros(_REMAINDERS, dtype=bool)
        maybe[self._columns % _REMAINDERS] = True
        found = []
        for columns in (self._layer.words[words], self._layer.pairs[words]):
            # Most words are no candidates, and this takes a fraction of the time of searching each.
            candidates = np.flatnonzero(maybe[columns % _REMAINDERS])
            places = np.minimum(self._columns.searchsorted(columns[candidates]), len(self._columns) - 1)
            hits = self._columns[places] == columns[candidates] if len(self._columns) else places < 0
            found.append((candidates[hits], places[hits]))
        (of_words, word), (of_pairs, pair) = found
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
        rows = self._row[self._in]
        hits = np.flatnonzero((numbers[rows] == self._in) & (values[rows, self._column] > 0))
        hits = hits[np.argsort(rows[hits], kind="stable")]
        first, after = self._words[hits], self._words[hits] + self._is_pair[hits]
        of_hits = self._place[hits], self._is_pair[hits], self._layer.chunks[first], self._layer.chunks[after]
        marks = list(zip(*[each.tolist() for each in of_hits], strict=True))
        bounds = rows[hits].searchsorted(np.arange(len(self._rows) + 1)).tolist()
        sentences = self._sentence[numbers] if len(self._sentence) else numbers
        ends = self._layer.ends[sentences].tolist() if len(self._sentence) else []
        texts = self._layer.texts_of_rows(self._rows.tolist())
        found: list[Matched | None] = []
        for row, (text, has_any) in enumerate(zip(texts, (is_any | is_rather).tolist(), strict=True)):
            some = marks[bounds[row] : bounds[row + 1]]
            found.append(_matched(text, ends[row], some) if has_any else None)
        return found, is_rather

    def _values(self, carried: Floats) -> Floats:
        """What each column of the query carries in each row."""
        if not len(self._columns):
            return np.zeros((len(carried), 0))
        values: Floats = np.add.reduceat(carried[:, self._terms] * self._parts, self._entries, axis=1)
        return values

    def _numbers(self, values: Floats) -> tuple[Ints, Bools]:
        """The place of each row's sentence that carries most, and whether it carries anything."""
        count = len(self._sentence)
        numbers = np.zeros(len(self._rows), dtype=np.int64)
        if not count or not len(self._in):
            return numbers, np.zeros(len(self._rows), dtype=bool)
        # Each term counts once in a sentence.
        cells = np.unique(self._in * len(self._columns) + self._column)
        sentence, column = np.divmod(cells, len(self._columns))
        sums = np.bincount(sentence, values[self._row[sentence], column], minlength=count)
        firsts = np.searchsorted(self._row, np.arange(len(self._rows)))
        with_any = np.flatnonzero(np.diff(np.append(firsts, count)))
        most = np.zeros(len(self._rows))
        most[with_any] = np.maximum.reduceat(sums, firsts[with_any])
        best = np.flatnonzero((sums >= most[self._row] * _AT_MOST) & (sums > 0))
        rows, where = np.unique(self._row[best], return_index=True)
        numbers[rows] = best[where]
        return numbers, most > 0


def _ranges(begins: Ints, counts: Ints) -> Ints:
    """The numbers from each beginning on, so many of each."""
    ends = counts.cumsum()
    return np.repeat(begins - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def _columns_of(layer: Layer, reading: Reading) -> tuple[Ints, Ints, Ints, Floats]:
    """The columns of a query, rising; for each, the first of its entries, which have terms and their parts of it."""
    entries = [(key, place, 1 / len(way)) for place, ways in enumerate(reading.terms) for way in ways for key in way]
    columns = layer.columns([key for key, _, _ in entries])
    terms = np.array([place for _, place, _ in entries], dtype=np.int64)
    parts = np.array([part for _, _, part in entries])
    if len(layer.part):
        # Words that contain a word of the query.
        begins, ends = layer.part.searchsorted(columns), layer.part.searchsorted(columns, side="right")
        again = np.repeat(np.arange(len(columns)), ends - begins)
        columns = np.concatenate((columns, layer.whole[_ranges(begins, ends - begins)]))
        terms, parts = np.concatenate((terms, terms[again])), np.concatenate((parts, parts[again]))
    order = np.argsort(columns, kind="stable")
    order = order[columns[order] >= 0]
    distinct, first = np.unique(columns[order], return_index=True)
    return distinct, first, terms[order], parts[order]


def _matched(text: str, ends: Sequence[int], marks: Sequence[tuple[int, bool, int, int]]) -> Matched:
    """The sentence of a text that is between `ends`, with the spans of some of its words and pairs.

    Each of `marks` is the number of a word, whether it is with the next one, and the chunks in which both begin.
    """
    begin, end = ends
    if begin < 0:
        begin, end = -1 - begin, -1 - end
        shown = text[begin:end]
        found = list(CHUNK.finditer(masked(text)[begin:end]))
        chunks, starts = [match.group() for match in found], [match.start() for match in found]
    else:
        chunks = text[begin:end].split()
        shown = " ".join(chunks)
        starts = list(accumulate([len(chunk) + 1 for chunk in chunks], initial=0))
    words: dict[int, Span] = {}
    for _, _, *both in marks:
        for chunk in both:
            if chunk not in words:
                word = _only_word(chunks, chunk)
                if word is None:
                    of_sentence = [unit_span(unit, starts) for unit in units([CHUNKS[chunk] for chunk in chunks])]
                    spans = [(of_sentence[place][0], of_sentence[place + is_pair][1]) for place, is_pair, _, _ in marks]
                    return Matched(shown, merged_spans(spans))
                words[chunk] = starts[chunk] + word[0], starts[chunk] + word[1]
    return Matched(shown, merged_spans([(words[first][0], words[last][1]) for _, _, first, last in marks]))


def _only_word(chunks: Sequence[str], number: int) -> Span | None:
    """Where the only word of a chunk stands in it; None if there are others, or its neighbours matter."""
    chunk = CHUNKS[chunks[number]]
    if chunk.forms is None or len(chunk.words) > 1:
        return None
    if number + 1 < len(chunks) and CHUNKS[chunks[number + 1]].forms is None:
        return None
    return chunk.words[0][2:4]


class SentencesOfQuery:
    """The sentences of a query, and the terms in each."""

    def __init__(self, reading: Reading) -> None:
        self._sentences: list[tuple[str, Source, list[Span], Ints]] = []
        for part in reading.parts:
            by_sentence: list[list[tuple[Span, int]]] = [[] for _ in part.sentences]
            for number, start, end, term in part.places:
                begin = part.sentences[number][0]
                by_sentence[number].append(((start - begin, end - begin), term))
            for (begin, end), some in zip(part.sentences, by_sentence, strict=True):
                if some:
                    spans, numbers = zip(*some, strict=True)
                    self._sentences.append((part.text[begin:end], part.source, list(spans), np.array(numbers)))
        self._source = reading.parts[0].source if reading.parts else "topic"
        # Each term counts once in a sentence.
        distinct = [np.unique(terms_of_sentence) for _, _, _, terms_of_sentence in self._sentences]
        self._terms = np.concatenate(distinct) if distinct else np.zeros(0, np.int64)
        self._firsts = np.cumsum([0, *map(len, distinct)])[:-1]
        self._shown: dict[tuple[int, bytes], tuple[Span, ...]] = {}

    def best(self, carried: Floats) -> list[tuple[Matched, Source]]:
        """For each row of `carried`, the sentence that carries most, and the kind of part that it is in."""
        if not self._sentences:
            return [(Matched("", ()), self._source)] * len(carried)
        sums = np.add.reduceat(carried[:, self._terms], self._firsts, axis=1)
        most = sums.max(axis=1, initial=0.0)
        numbers = (sums >= most[:, None] * _AT_MOST).argmax(axis=1)
        found = []
        for row, (number, value) in enumerate(zip(numbers.tolist(), most.tolist(), strict=True)):
            text, source, spans, of_spans = self._sentences[number]
            if value:
                carries = (carried[row, of_spans] != 0).tobytes()
                found.append((Matched(text, self._marked(number, spans, carries)), source))
            else:
                found.append((Matched("", ()), self._source))
        return found

    def _marked(self, number: int, spans: Sequence[Span], carries: bytes) -> tuple[Span, ...]:
        known = self._shown.get((number, carries))
        if known is None:
            known = merged_spans([span for span, carried in zip(spans, carries, strict=True) if carried])
            self._shown[number, carries] = known
        return known


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
