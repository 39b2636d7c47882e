"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import keys, terms
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
_FARTHEST = 1 << 17
"""More characters than a sentence has in which words are marked."""
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
        self._columns, self._entries, self._terms, self._parts = _columns_of(layer, reading)
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
        has_any = is_any | is_rather
        rows = self._row[self._in]
        hits = (numbers[rows] == self._in) & (values[rows, self._column] > 0)
        hits &= self._layer.lengths[self._words] > 0
        spans, bounds = self._spans(rows[hits], self._words[hits], self._words[hits] + self._is_pair[hits])
        chosen = self._sentence[numbers[has_any]]
        ends = iter(self._layer.ends[chosen].tolist())
        texts = iter(self._layer.texts_of_rows(self._rows[has_any].tolist()))
        found: list[Matched | None] = [None] * len(self._rows)
        for row in np.flatnonzero(has_any).tolist():
            begin, end = next(ends)
            found[row] = _on_one_line(next(texts)[begin:end], spans[bounds[row] : bounds[row + 1]])
        return found, is_rather

    def _spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[list[Span], list[int]]:
        """The passages from first to last words, in order and merged, and the number of the first one of each row."""
        layer = self._layer
        starts = rows * _FARTHEST + layer.starts[first]
        ends = rows * _FARTHEST + layer.starts[last] + layer.lengths[last]
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
        values: Floats = np.add.reduceat(carried[:, self._terms] * self._parts, self._entries, axis=1)
        return values

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


def _on_one_line(text: str, spans: Sequence[Span]) -> Matched:
    """A sentence with single spaces."""
    joined = text
    if "  " in text or not text.isprintable():
        joined = " ".join(text.split())
        spans = [(_moved(text, start), _moved(text, end - 1) + 1) for start, end in spans]
    return Matched(joined, tuple(spans))


def _moved(text: str, place: int) -> int:
    return len(" ".join(f"{text[:place]}|".split())) - 1


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
            text, source, spans, of_spans = self._sentences[number]
            shown: dict[bytes, tuple[Matched, Source]] = {}
            rows = np.flatnonzero((numbers == number) & (most > 0))
            for row, of_row in zip(rows.tolist(), carries[rows][:, of_spans], strict=True):
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
