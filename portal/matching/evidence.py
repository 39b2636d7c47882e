"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import keys, read, sentence_terms, terms
from portal.matching.language.text import masked
from portal.matching.language.words import cached_by_word
from portal.matching.results import Evidence, ProfileEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from portal.matching.language.terms import Term
    from portal.matching.layers import Layer
    from portal.matching.reading import Part, Reading
    from portal.matching.results import Source, Span

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_CHUNK = re.compile(r"\S+")
_BULLET = re.compile(r"[-*•‣·–]\s+")


class _Matched(NamedTuple):
    """A sentence, the matched spans in it, and how much of the match it carries."""

    text: str
    spans: tuple[Span, ...]
    carried: float


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


def evidence_of(layer: Layer, row: int, score: float, carried: Floats, reading: Reading) -> Evidence:
    """Why a work speaks for the match; `carried` has what each term of the query carries in it."""
    by_key = _by_key(reading, carried)
    sentence = _best_of_row(layer, row, by_key)
    if sentence is None:
        title = layer.text_of_row(row).split("\n\n", 1)[0]
        sentence = _Matched(title, (), 0.0)
    mine, source = _best_of_query(reading, carried)
    return Evidence(layer.work_key(row), score, sentence.text, sentence.spans, mine.text, source, mine.spans)


def profile_evidence_of(
    layer: Layer, row: int, carried: Floats, in_works: Bools, reading: Reading
) -> ProfileEvidence | None:
    """What a profile says for the match; None if it shares no term with the query.

    `carried` has what each term of the query carries in it, `in_works` the terms that the best works have.
    """
    alone = np.where(in_works, 0.0, carried)
    every = _by_key(reading, carried)
    sentence = _best_of_row(layer, row, _by_key(reading, alone), every) if alone.any() else None
    adds = sentence is not None
    if sentence is None:
        sentence = _best_of_row(layer, row, every)
    if sentence is None:
        return None
    bullet = _BULLET.match(sentence.text)
    cut = bullet.end() if bullet else 0
    spans = tuple((start - cut, end - cut) for start, end in sentence.spans)
    return ProfileEvidence(float(carried.sum()), sentence.text[cut:], spans, adds)


def _by_key(reading: Reading, carried: Floats) -> dict[str, float]:
    """What each key carries: of a term with several ways to write it, each of them."""
    by_key: dict[str, float] = {}
    for place in np.flatnonzero(carried).tolist():
        for way in reading.terms[place]:
            for key in way:
                by_key[key] = max(by_key.get(key, 0.0), float(carried[place]) / len(way))
    return by_key


def _best_of_row(
    layer: Layer, row: int, carried: Mapping[str, float], marked: Mapping[str, float] | None = None
) -> _Matched | None:
    """The sentence of a row that carries most, the first of equals; None if none carries anything.

    `marked` are the keys whose words are marked, unless only those of `carried` are.
    """
    begin, stop = int(layer.first_sentence[row]), int(layer.first_sentence[row + 1])
    if begin == stop or not carried:
        return None
    text = layer.text_of_row(row)
    sentences = read(text)[0]
    starts = [match.span() for match in _CHUNK.finditer(masked(text))]
    firsts = [start for start, _ in starts]
    of_sentences = [list(sentence_terms(sentence, firsts)) for sentence in sentences]
    values = [sum({term.key: carried.get(term.key, 0.0) for term in found}.values()) for found in of_sentences]
    if not any(values):
        return None
    number = values.index(max(values))
    sentence = sentences[number]
    first, last = starts[sentence.first][0], starts[sentence.stop - 1][1]
    return _cut(text, first, last, of_sentences[number], marked or carried, values[number])


def _best_of_query(reading: Reading, carried: Floats) -> tuple[_Matched, Source]:
    """The sentence of the query that carries most of a match, and the kind of part that it is in."""
    best, source = _Matched("", (), 0.0), reading.parts[0].source
    for part in reading.parts:
        by_key = _traced_back(part, reading, carried)
        for start, end, found in sentences_of(part.text) if by_key else ():
            value = sum({term.key: by_key.get(term.key, 0.0) for term in found}.values())
            if value > best.carried:
                best, source = _cut(part.text, start, end, found, by_key, value), part.source
    return best, source


def _traced_back(part: Part, reading: Reading, carried: Floats) -> dict[str, float]:
    """What the words of a part carry, with what was added or corrected counted for the words that it stands for."""
    by_key: dict[str, float] = {}
    for term in (*part.terms, *part.added):
        value = float(carried[term.term])
        if value:
            typed = keys_of_phrase(term.text) if term in part.terms else frozenset(keys([term.via]))
            for key in typed:
                by_key[key] = by_key.get(key, 0.0) + value
    del reading
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


def _cut(
    text: str, start: int, end: int, found: Iterable[Term], marked: Mapping[str, float], carried: float
) -> _Matched:
    spans = merged_spans((term.start - start, term.end - start) for term in found if marked.get(term.key))
    return _Matched(text[start:end], spans, carried)


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, overlapping ones merged."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
