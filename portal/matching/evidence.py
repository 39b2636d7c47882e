"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import (
    LONGEST_KEY,
    facts,
    keys,
    read,
    sentence_terms,
    sentences_of_chunks,
    short_enough,
    terms,
)
from portal.matching.language.text import masked
from portal.matching.language.words import cached_by_word
from portal.matching.results import Evidence, ProfileEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.language.terms import Sentence, Term
    from portal.matching.layers import Layer
    from portal.matching.reading import Part, Reading
    from portal.matching.results import Source, Span

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    _Units = tuple[str, Mapping[str, Sequence[Span]]]
    Bools = NDArray[np.bool_]

_CHUNK = re.compile(r"\S+")
SURELY_SHORT = LONGEST_KEY // 4
"""Characters of a key that has few enough bytes in any script."""
_MOST_SENTENCES = 100_000
"""Of one text; more than any has."""
_BULLET = re.compile(r"[-*•‣·–]\s+")


class _Matched(NamedTuple):
    """A sentence, the matched spans in it, and how much of the match it carries."""

    text: str
    spans: tuple[Span, ...]
    carried: float


class _QuerySentence(NamedTuple):
    """A sentence of a query: its words that match anything with the term of each, and the term of each distinct key."""

    text: str
    source: Source
    spans: tuple[Span, ...]
    of_spans: Ints
    words: list[int]


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


class Carriers:
    """Finds the sentences of some rows of a layer that carry most of a query.

    `carried` has, for each of `rows` (rising), what each term of the query carries in it.
    """

    def __init__(self, layer: Layer, rows: Ints, carried: Floats, reading: Reading) -> None:
        self._layer = layer
        self._carried = carried
        self._place = {row: place for place, row in enumerate(rows.tolist())}
        self._rows = rows
        self._keys = [
            (key, place, 1 / len(way)) for place, ways in enumerate(reading.terms) for way in ways for key in way
        ]
        self._reading = reading
        self._shown: dict[tuple[int, bytes], tuple[Span, ...]] = {}

    def of(self, row: int) -> Floats:
        """What each term carries in a row."""
        found: Floats = self._carried[self._place[row]]
        return found

    def best(self, row: int, marked: Floats | None = None) -> _Matched | None:
        """The sentence of a row whose words carry most, the first of equals; None if none carries anything.

        Words are marked that carry anything, of `marked` if it is given.
        """
        place = self._place[row]
        values = self._values[place]
        if not any(values):
            return None
        sums = self._sums[place]
        numbers = [int(sums.argmax())] if sums.any() else list(range(len(sums)))
        best, text = 0.0, ""
        places: Mapping[str, Sequence[Span]] = {}
        for number in numbers:
            of_sentence = _sentence(self._layer, row, number)
            value = sum(self._by_key(of_sentence[1], values).values())
            if value > best:
                best, (text, places) = value, of_sentence
        if not best:
            return None
        shown = self._by_key(places, values if marked is None else marked.tolist())
        return _Matched(text, merged_spans(span for key in shown for span in places[key]), best)

    def best_of_query(self, row: int) -> tuple[_Matched, Source]:
        """The sentence of the query that carries most of a row, and the kind of part that it is in."""
        sums = self._of_query[self._place[row]]
        most = sums.max(initial=0.0)
        if not most:
            return _Matched("", (), 0.0), self._reading.parts[0].source
        # Sums of the same values may differ in the last bits.
        number = int((sums >= most * (1 - 1e-12)).argmax())
        text, source, places, of_spans, _ = self._query_sentences[number]
        carries = (self.of(row)[of_spans] != 0).tobytes()
        if (number, carries) not in self._shown:
            shown = merged_spans(span for span, carried in zip(places, carries, strict=True) if carried)
            self._shown[number, carries] = shown
        return _Matched(text, self._shown[number, carries], float(most)), source

    def _by_key(self, places: Mapping[str, object], values: Sequence[float]) -> dict[str, float]:
        """What those of some keys that carry anything carry: of a term with several ways to write it, each of them."""
        by_key = self._terms_by_key
        return {
            key: values[place] * part
            for key in by_key.keys() & places.keys()
            for place, part in by_key[key]
            if values[place] > 0
        }

    @cached_property
    def _terms_by_key(self) -> dict[str, list[tuple[int, float]]]:
        by_key: dict[str, list[tuple[int, float]]] = {}
        for key, place, part in self._keys:
            by_key.setdefault(key, []).append((place, part))
        return by_key

    @cached_property
    def _values(self) -> list[list[float]]:
        values: list[list[float]] = self._carried.tolist()
        return values

    @cached_property
    def _query_sentences(self) -> list[_QuerySentence]:
        """The sentences of the query that have words with which it matches anything."""
        found: list[_QuerySentence] = []
        for part in self._reading.parts:
            by_key = _traced_back(part)
            for start, end, of_sentence in sentences_of(part.text) if by_key else ():
                spans = [
                    ((term.start - start, term.end - start), number)
                    for term in of_sentence
                    for number in by_key.get(term.key, ())
                ]
                words = [number for key in {term.key for term in of_sentence} for number in by_key.get(key, ())]
                if words:
                    places, numbers = zip(*spans, strict=True)
                    found.append(_QuerySentence(part.text[start:end], part.source, places, np.array(numbers), words))
        return found

    @cached_property
    def _of_query(self) -> Floats:
        """For each row, what the words of each sentence of the query carry."""
        sentences, terms = self._query_sentences, self._carried.shape[1]
        cells = [number * terms + word for number, sentence in enumerate(sentences) for word in sentence.words]
        times = np.bincount(np.array(cells, dtype=np.int64), minlength=len(sentences) * terms)
        sums: Floats = self._carried @ times.reshape(len(sentences), terms).T.astype(np.float64)
        return sums

    @cached_property
    def _columns(self) -> tuple[Ints, Ints, Floats]:
        """The columns of the keys, rising, with the term of each and its part of it."""
        columns = self._layer.columns([key for key, _, _ in self._keys])
        order = np.argsort(columns, kind="stable")
        order = order[columns[order] >= 0]
        terms = np.array([place for _, place, _ in self._keys], dtype=np.int64)
        parts = np.array([part for _, _, part in self._keys])
        return columns[order], terms[order], parts[order]

    @cached_property
    def _sums(self) -> list[Floats]:
        """For each row, what the words of each of its sentences carry; of all rows at once."""
        return self._sums_of_rows(self._rows, self._carried)

    def _sums_of_rows(self, rows: Ints, carried: Floats) -> list[Floats]:
        layer = self._layer
        columns, terms, parts = self._columns
        sentences = [(int(layer.first_sentence[row]), int(layer.first_sentence[row + 1])) for row in rows.tolist()]
        counts = np.array([stop - begin for begin, stop in sentences])
        if not len(columns) or not counts.sum():
            return [np.zeros(count) for count in counts.tolist()]
        lengths = np.concatenate([np.diff(layer.first_word[begin : stop + 1]) for begin, stop in sentences])
        words = np.concatenate(
            [layer.words[int(layer.first_word[begin]) : int(layer.first_word[stop])] for begin, stop in sentences]
        )
        places = np.minimum(columns.searchsorted(words), len(columns) - 1)
        hits = np.flatnonzero(columns[places] == words)
        of_sentence = np.repeat(np.arange(len(lengths)), lengths)[hits]
        # Each word counts once in a sentence.
        cells = np.unique(of_sentence * len(columns) + places[hits])
        sentence, place = cells // len(columns), cells % len(columns)
        row = np.repeat(np.arange(len(rows)), counts)[sentence]
        values = carried[row, terms[place]] * parts[place]
        return np.split(np.bincount(sentence, values, minlength=len(lengths)), counts.cumsum()[:-1])


def evidence_of(layer: Layer, row: int, score: float, carriers: Carriers) -> Evidence:
    """Why a work speaks for the match."""
    sentence = carriers.best(row)
    if sentence is None:
        sentence = _Matched(layer.text_of_row(row).split("\n\n", 1)[0], (), 0.0)
    mine, source = carriers.best_of_query(row)
    return Evidence(layer.work_key(row), score, sentence.text, sentence.spans, mine.text, source, mine.spans)


def profile_evidence_of(row: int, carriers: Carriers, alone: Carriers) -> ProfileEvidence | None:
    """What a profile says for the match; None if it shares no term with the query.

    `alone` carries only the terms that none of the best works has.
    """
    carried = carriers.of(row)
    sentence = alone.best(row, carried)
    adds = sentence is not None
    if sentence is None:
        sentence = carriers.best(row)
    if sentence is None:
        return None
    bullet = _BULLET.match(sentence.text)
    cut = bullet.end() if bullet else 0
    spans = tuple((start - cut, end - cut) for start, end in sentence.spans if start >= cut)
    return ProfileEvidence(float(carried.sum()), sentence.text[cut:], spans, adds)


def _sentence(layer: Layer, row: int, number: int) -> _Units:
    """A sentence of a row. Kept, as the same works are evidence for many queries."""
    kept: _Units = layer.keep(("sentence", row * _MOST_SENTENCES + number), lambda: _read_sentence(layer, row, number))
    return kept


def _read_sentence(layer: Layer, row: int, number: int) -> _Units:
    text = layer.text_of_row(row)
    first, stop = layer.chunks[int(layer.first_sentence[row]) + number].tolist()
    if masked(text) is text:
        chunks = text.split()[first:stop]
        sentences = sentences_of_chunks(chunks)
        if len(sentences) == 1:
            starts = [0, *accumulate(len(chunk) + 1 for chunk in chunks)]
            return " ".join(chunks), _places(sentences[0], starts, 0)
    sentence = read(text)[0][number]
    starts = [match.start() for match in _CHUNK.finditer(masked(text))]
    begin = starts[sentence.first]
    end = [match.end() for match in _CHUNK.finditer(masked(text))][sentence.stop - 1]
    return text[begin:end], _places(sentence, starts, begin)


def _places(sentence: Sentence, starts: Sequence[int], begin: int) -> dict[str, list[Span]]:
    """Where the words and pairs of a sentence stand, by key."""
    places: dict[str, list[Span]] = {}
    head, before = "", 0
    for form, chunk, in_chunk, last, in_last in sentence.units:
        keys_of_unit, next_head, tail = facts(form)
        start, end = starts[chunk] + in_chunk - begin, starts[last] + in_last - begin
        for key in keys_of_unit:
            places.setdefault(key, []).append((start, end))
        if head and next_head:
            key = head + tail
            places.setdefault(key if len(key) <= SURELY_SHORT else short_enough(key), []).append((before, end))
        head, before = next_head, start
    return places


def _traced_back(part: Part) -> dict[str, list[int]]:
    """The terms of a query by the words of a part, with what was added at the words that it stands for."""
    by_key: dict[str, list[int]] = {}
    for some, is_own in ((part.terms, True), (part.added, False)):
        for term in some:
            for key in keys_of_phrase(term.text) if is_own else keys([term.via]):
                by_key.setdefault(key, []).append(term.term)
    return by_key


@lru_cache(maxsize=512)
def sentences_of(text: str) -> tuple[tuple[int, int, tuple[Term, ...]], ...]:
    """Where each sentence of a text begins and ends, and its terms."""
    sentences, _ = read(text)
    starts = [match.span() for match in _CHUNK.finditer(masked(text))]
    firsts = [start for start, _ in starts]
    return tuple(
        (starts[each.first][0], starts[each.stop - 1][1], tuple(sentence_terms(each, firsts))) for each in sentences
    )


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, overlapping ones merged."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
