"""The sentences that speak for a match, on both sides, with the spans of the matched words."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.hashing import term_numbers
from portal.matching.language.names import ManyNames, Names, mentions, name_key
from portal.matching.language.terms import keys, terms
from portal.matching.language.word_cache import cached_by_word
from portal.matching.language.words import sentences
from portal.matching.query.reading import terms_by_sentence
from portal.matching.recent_cache import RecentTexts
from portal.matching.results import ADDED, Evidence, ProfileEvidence

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from portal.matching.explanation.lab_reading import LabReading
    from portal.matching.language.terms import PlainTerm
    from portal.matching.query.parts import AnalysedQuery, QueryPart
    from portal.matching.records import WorkDoc
    from portal.matching.results import Source, Span


LEAST_SHOWN = 0.1
NEARNESS_COUNTS = 12.0
"""Works are ordered by cosine × (`LEAST_SHOWN` + the share of the query's own words that they have)
× (1 + `NEARNESS_COUNTS` × (the share of these that each of them lacks)² × their nearness to the query by concepts).
"""

PROFILE_SAYS_MORE = 3.0
"""A work is no evidence where the profile has so many times its cosine and its share of the query's own words."""
FEW_OWN_WORDS = 0.2
"""For a work with less of the query's own words, the profile's cosine alone decides."""

_CACHED = 1_000_000
"""Characters."""
_analysed_texts: RecentTexts[list[tuple[Span, list[PlainTerm]]]] = RecentTexts(_CACHED)

_NO_NAMES = ManyNames(())
_START = attrgetter("start")
_BULLET = re.compile(r"[-*•‣·–]\s+")


class _MatchedSentence(NamedTuple):
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


def evidence_of(
    work: WorkDoc, cosine: float, query: AnalysedQuery, carried: Mapping[str, float], reading: LabReading, row: int
) -> Evidence:
    """Why `work` speaks for the match; `carried` maps the shared keys to their part of the cosine.

    `reading` has the work as the row `row`.
    """
    names = _carried_names(work, carried)
    if names:
        sentence = _best_sentence((work.title, work.abstract), carried, names)
    else:
        sentence = _best_in_reading(reading, row, carried)
    if sentence is None:
        sentence = _MatchedSentence(work.title or ", ".join(work.systems), (), 0.0)
    query_sentence = _MatchedSentence("", (), 0.0)
    source: Source = query.parts[0].source
    for part in query.parts:
        candidate = _best_sentence((part.text,), _traced_back(part, carried), names)
        if candidate is not None and candidate.carried > query_sentence.carried:
            query_sentence, source = candidate, part.source
    return Evidence(work.key, cosine, sentence.text, sentence.spans, query_sentence.text, source, query_sentence.spans)


def profile_evidence_of(
    cosine: float, carried: Mapping[str, float], in_works: Container[str], reading: LabReading, row: int
) -> ProfileEvidence | None:
    """What a lab's profile, the row `row` of `reading`, says for the match; None if it shares no term with the query.

    `carried` maps the shared keys to their part of the cosine; the keys `in_works` are also in the best works.
    """
    alone = {key: value for key, value in carried.items() if key not in in_works}
    adding = _best_in_reading(reading, row, alone) if alone else None
    if adding is not None:
        sentence = _best_sentence((adding.text,), carried, _NO_NAMES)
    else:
        sentence = _best_in_reading(reading, row, carried) if carried else None
    if sentence is None:
        return None
    text, spans = _without_bullet(sentence)
    return ProfileEvidence(cosine, text, spans, adds=adding is not None)


def _without_bullet(sentence: _MatchedSentence) -> tuple[str, tuple[Span, ...]]:
    """The sentence without a bullet at its beginning."""
    bullet = _BULLET.match(sentence.text)
    cut = bullet.end() if bullet else 0
    return sentence.text[cut:], tuple((start - cut, end - cut) for start, end in sentence.spans)


def own_share(query: AnalysedQuery, carried: Container[str]) -> float:
    """The share of the query's own words, by squared weight, whose keys are in `carried`.

    A single added word may carry most of a cosine, but a work with the typed words is better evidence.
    """
    total = shared = 0.0
    for part in query.parts:
        for term in part.terms:
            if term.source not in ADDED:
                weight = part.mix * term.weight * term.weight
                total += weight
                shared += weight if term.key in carried else 0.0
    return shared / total if total else 0.0


def _carried_names(work: WorkDoc, carried: Mapping[str, float]) -> ManyNames:
    """The names of the work's systems that are shared."""
    names = Names({name_key(name): frozenset({name}) for name in work.systems if name_key(name) in carried})
    return ManyNames([names] if names else [])


def _traced_back(part: QueryPart, carried: Mapping[str, float]) -> dict[str, float]:
    """The cosine shares of the part's own words; the share of an added term goes to the words that it stands for."""
    total: dict[str, float] = {}
    for term in part.terms:
        if term.key not in carried:
            continue
        own = _keys_of(term.via) if term.via else (term.key,)
        for key in own:
            total[key] = total.get(key, 0.0) + part.mix * carried[term.key] / len(own)
    return total


@cached_by_word(4096)
def _keys_of(phrase: str) -> tuple[str, ...]:
    return tuple(keys([phrase]))


def _best_sentence(texts: Iterable[str], carried: Mapping[str, float], names: ManyNames) -> _MatchedSentence | None:
    """The sentence whose distinct terms carry most, the first of equals. None if nothing matches."""
    best: _MatchedSentence | None = None
    for text in texts:
        named = mentions(text, [sentence.words for sentence in sentences(text)], names) if names else []
        for (begin, end), terms_of_sentence in _analysed(text):
            matched = [term for term in terms_of_sentence if term[0] in carried]
            inside = named[bisect_left(named, begin, key=_START) : bisect_left(named, end, key=_START)]
            matched += [(name.key, name.start, name.end, "word") for name in inside]
            carried_here = math.fsum([carried.get(key, 0.0) for key in dict.fromkeys(term[0] for term in matched)])
            if matched and (best is None or carried_here > best.carried):
                spans = merged_spans((first - begin, last - begin) for _, first, last, _ in matched)
                best = _MatchedSentence(text[begin:end], spans, carried_here)
    return best


def _best_in_reading(reading: LabReading, row: int, carried: Mapping[str, float]) -> _MatchedSentence | None:
    """`_best_sentence` for the texts of one row of a reading."""
    matched: dict[tuple[int, int], list[tuple[int, str]]] = {}
    placed = reading.placed
    carrying = list(carried)
    for ordinal, term in reading.terms_in(row, term_numbers(carrying)):
        matched.setdefault((placed.text.item(term), placed.sentence.item(term)), []).append((term, carrying[ordinal]))
    if not matched:
        return None
    values = {
        place: math.fsum([carried[key] for key in {key for _, key in terms_of_sentence}])
        for place, terms_of_sentence in matched.items()
    }
    best = min(values, key=lambda place: (-values[place], place))
    text, sentence = best
    begin, end = placed.sentence_span(sentence)
    spans = [placed.stretch(term, term) for term, _ in matched[best]]
    inside = merged_spans([(first - begin, last - begin) for first, last in spans])
    return _MatchedSentence(placed.texts[text][begin:end], inside, values[best])


def _analysed(text: str) -> list[tuple[Span, list[PlainTerm]]]:
    """The sentences of a text with their terms. Cached, as the same abstracts are evidence for many queries."""
    return _analysed_texts.of(text, len(text), partial(terms_by_sentence, text))


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, overlapping ones merged."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
