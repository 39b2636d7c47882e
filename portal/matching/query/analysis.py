"""Turns a query into weighted terms, each with its source.

Every part is weighed like a document (sublinear frequency × idf, length 1); then the parts are mixed by their weights.
Terms that no lab uses count in the length, so that scores of different queries are comparable; but not in a resume.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from portal.matching.language.hashing import term_numbers
from portal.matching.language.names import mentions
from portal.matching.language.stemming import stem
from portal.matching.language.text import without_attributes
from portal.matching.language.words import fold
from portal.matching.privacy.redacting import redact
from portal.matching.query.added import added_terms
from portal.matching.query.expansion import SHORT_TEXT_WORDS
from portal.matching.query.ordinary_texts import OrdinaryTexts
from portal.matching.query.parts import AnalysedQuery, QueryPart, part_term
from portal.matching.query.reading import read
from portal.matching.query.resume_terms import (
    NOTHING_UNUSED,
    read_known_words,
    without_strange_words,
    without_unused_words,
)
from portal.matching.query.scaffolding import are_of_pages, without_labels, without_program_text
from portal.matching.query.sorted_spans import SortedSpans
from portal.matching.query.weighed_terms import (
    are_mostly_strange,
    are_only_apart,
    has_unknown_words,
    is_another_subject,
    must_not_carry,
    with_names_first,
    without_filling_words,
    without_foreign_words,
)
from portal.matching.recent_cache import RecentTexts
from portal.matching.records import HEAVIEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from portal.matching.language.names import NameMention
    from portal.matching.language.terms import PlainTerm
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.query.reading import Mended, Reading
    from portal.matching.query.weighed_terms import Weighed
    from portal.matching.results import Source

SHORT_TEXT = 400
"""Characters. Analyses of longer texts are cached apart, by their length."""
_SHORT_TEXTS = 4_096
_LONG_TEXTS = 1_000_000
"""Characters."""
_FEW = 32
_VERY_SHORT = 3
"""Letters of a short form that often means something else."""
LIGHTEST = 1 / HEAVIEST
"""The squares of much smaller weights are no numbers any more."""
_MOST_IN_RESUMES = 5
"""Further occurrences of a word in a resume do not count, so that nobody gains by repetition."""


class Analyst:
    """Weighs queries with a lexicon. Caches the latest texts, as each is used for many labs and pages."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._ordinary_texts = OrdinaryTexts(lexicon)
        self._short: Callable[[Source, str, bool], QueryPart] = lru_cache(maxsize=_SHORT_TEXTS)(self._part)
        self._long: RecentTexts[QueryPart] = RecentTexts(_LONG_TEXTS)

    def analysed(self, stated: Iterable[tuple[Source, str, float]], *, corrects: bool) -> AnalysedQuery:
        """Weigh the parts of a query, each given with its share; `corrects` is its `correct_spelling`."""
        parts: list[tuple[QueryPart, float]] = []
        for source, text, mix in stated:
            # Resumes hold many words that no lab uses and that are right; they are not corrected.
            part = self._weighed(source, text, corrects=corrects and source != "resume")
            parts.append((part, mix))
        heaviest = max([mix for part, mix in parts if part.terms], default=1.0)
        if heaviest >= LIGHTEST:
            return _mixed(parts)
        # Only the weights beside each other count.
        query = _mixed([(part, mix / heaviest if part.terms else mix) for part, mix in parts])
        return query._replace(length=heaviest * query.length)

    def topic_vector(self, text: str) -> Mapping[str, float]:
        """The vector of a text stated as the only topic. Not cached."""
        mixed: dict[str, float] = {}
        for term in self._part("topic", text, True).terms:
            mixed[term.key] = mixed.get(term.key, 0.0) + term.weight
        return _scaled(mixed)[0]

    def _weighed(self, source: Source, text: str, *, corrects: bool) -> QueryPart:
        """`_part` from a cache."""
        if len(text) <= SHORT_TEXT:
            return self._short(source, text, corrects)
        return self._long.of((source, text, corrects), len(text), partial(self._part, source, text, corrects))

    def _part(self, source: Source, text: str, corrects: bool) -> QueryPart:  # noqa: FBT001 - part of a key
        if source != "resume":
            ordinary = self._ordinary_texts.part(source, text)
            if ordinary is not None:
                return ordinary
        else:
            text = redact(text).text
        lexicon = self.lexicon
        text = without_labels(without_program_text(without_attributes(text)))
        is_resume = source == "resume"
        reading = read_known_words(text, lexicon) if is_resume else read(text, lexicon if corrects else None)
        weighed, named = _with_what_is_meant(reading, source, lexicon)
        unused = NOTHING_UNUSED
        if source == "resume":
            weighed, unused = without_unused_words(weighed, reading.found, text, lexicon)
        length = math.sqrt(math.fsum([term[1] * term[1] for term in weighed]))
        return QueryPart(
            source,
            text,
            1.0,
            tuple(
                [
                    part_term((key, weight / length, start, end, written, came_from, kind, via, is_named))
                    for key, weight, start, end, written, came_from, kind, via, is_named in weighed
                ]
            ),
            tuple(sorted({mention.key for mention in named if mention.certain})) if named else (),
            tuple([correction for _, correction in reading.corrected]),
            source != "resume" and _is_spelt_right(reading) and are_only_apart(weighed, text, lexicon),
            unused,
        )


def _with_what_is_meant(
    reading: Reading, source: Source, lexicon: Lexicon
) -> tuple[list[Weighed], Sequence[NameMention]]:
    """The terms of a text, with added terms and without those that do not count, and the systems that it names."""
    text = reading.text
    may_name = lexicon.may_name(reading.forms)
    named = (
        mentions(text, reading.lines, lexicon.names, lexicon.is_said_of, lexicon.unused_and_unknown) if may_name else []
    )
    weighed = _own_terms(reading, source, named, lexicon)
    # Somebody who names a system is looking for its lab, not for all labs with similar work.
    is_bare = any(name.alone for name in named)
    of_pages = "no" if named else are_of_pages(reading.segments(), lexicon.uses)
    is_stated = source != "resume" and not named
    may_be_strange = is_stated and has_unknown_words(weighed, text, lexicon)
    is_strange = may_be_strange and are_mostly_strange(weighed, text, lexicon)
    is_as_typed = is_bare or is_strange or of_pages == "surely"
    additions = [] if is_as_typed else lexicon.expander.additions(reading, lexicon.uses)
    if is_bare:
        weighed = _without_idle_words(weighed, named)
    elif additions:
        weighed += added_terms(weighed, additions, lexicon)
    elif is_strange or of_pages != "no" or (may_be_strange and is_another_subject(weighed, text, lexicon)):
        weighed = [must_not_carry(term) for term in weighed]
    if named and source != "resume" and len(reading.words) <= SHORT_TEXT_WORDS:
        weighed = with_names_first(weighed, named)
    return weighed, named


def _is_spelt_right(reading: Reading) -> bool:
    """Whether nothing was corrected, though short forms may have been spelt out."""
    return all(" " in correction.used for _, correction in reading.corrected)


def _mixed(parts: Sequence[tuple[QueryPart, float]]) -> AnalysedQuery:
    """The query of these parts, each given with its share."""
    mixed: dict[str, float] = {}
    for part, mix in parts:
        for term in part.terms:
            key = term[0]
            mixed[key] = mixed.get(key, 0.0) + mix * term[1]
    vector, length = _scaled(mixed)
    return AnalysedQuery(tuple([part.with_mix(mix / length if length else mix) for part, mix in parts]), vector, length)


def _scaled(mixed: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """A vector scaled to length 1, by key, and its former length; empty if that is 0."""
    length = math.sqrt(math.fsum([weight * weight for weight in mixed.values()]))
    return {key: mixed[key] / length for key in sorted(mixed)} if length else {}, length


def _own_terms(reading: Reading, source: Source, named: Sequence[NameMention], lexicon: Lexicon) -> list[Weighed]:
    """The terms of the text itself, and the systems that it means."""
    weighed = _by_frequency(reading.found, source, lexicon)
    if source == "resume":
        weighed = without_strange_words(weighed, reading.found, reading.text, lexicon)
    else:
        weighed = without_foreign_words(without_filling_words(weighed, lexicon.uses), reading, lexicon.uses)
    if reading.corrected:
        places = SortedSpans([(term[2], term[3]) for term in weighed])
        loose = SortedSpans([mend[0] for mend in reading.corrected if _is_loose(mend, weighed, places, lexicon)])
        weighed = [(*_as_corrected(term, reading)[:8], loose.hold(term[2], term[3])) for term in weighed]
    if named:
        of_names = _places_of(named)
        weighed = [must_not_carry(term) if of_names.hold(term[2], term[3]) else term for term in weighed]
        for mention in {mention.key: mention for mention in named if mention.meant}.values():
            weight = lexicon.weights.of(mention.key)
            weighed.append((mention.key, weight, mention.start, mention.end, "", source, "word", "", True))
    return weighed


def _by_frequency(found: Sequence[PlainTerm], source: Source, lexicon: Lexicon) -> list[Weighed]:
    """The terms of a text at their first places, each weighed by how often it occurs and how few works have it."""
    first_occurrences: dict[str, PlainTerm] = {}
    for term in found:
        first_occurrences.setdefault(term[0], term)
    weights = lexicon.weights
    idf = (
        weights.of_few(first_occurrences)
        if len(first_occurrences) <= _FEW
        else weights.of_all(term_numbers(list(first_occurrences))).tolist()
    )
    if len(first_occurrences) < len(found):
        most = _MOST_IN_RESUMES if source == "resume" else len(found)
        counts = Counter([term[0] for term in found])
        times = {key: 1 + math.log(min(count, most)) for key, count in counts.items() if count > 1}
        idf = [
            times[key] * weight if key in times else weight for key, weight in zip(first_occurrences, idf, strict=True)
        ]
    return [
        (key, weight, start, end, "", source, kind, "", False)
        for (key, start, end, kind), weight in zip(first_occurrences.values(), idf, strict=True)
    ]


def _as_corrected(term: Weighed, reading: Reading) -> Weighed:
    """A term with its correction, if it contains a misspelt word."""
    key, weight, start, end, _, _, kind, _, named = term
    if not reading.is_corrected(start, end):
        return term
    return (
        key,
        weight,
        start,
        end,
        reading.as_read(key, start, end),
        "correction",
        kind,
        reading.as_typed(start, end),
        named,
    )


def _is_loose(mended: Mended, weighed: Sequence[Weighed], places: SortedSpans, lexicon: Lexicon) -> bool:
    """Whether a passage abbreviates words next to a word that no lab has, so that it may be about another field.

    Not if some lab has two of these words together, unless the short form is very short ("SD card"). The last word of
    both forms ("ANN search") is no other word.
    """
    span, correction = mended
    inside = places.within(*span)
    pairs = [weighed[place][0] for place in inside if weighed[place][6] == "pair"]
    if not pairs or (len(correction.typed) > _VERY_SHORT and any(map(lexicon.uses, pairs))):
        return False
    short = stem(fold(correction.typed))
    outside = (term[0] for place, term in enumerate(weighed) if place not in inside and term[6] == "word")
    return not all(lexicon.uses(key) or (short, key) in lexicon.expander.long_forms for key in outside)


def _places_of(named: Sequence[NameMention]) -> SortedSpans:
    return SortedSpans([(mention.start, mention.end) for mention in named])


def _without_idle_words(weighed: list[Weighed], named: Sequence[NameMention]) -> list[Weighed]:
    """The terms of a text that names a system, without words that fit any system: "Punica source code" means Punica."""
    places = [place for mention in named for place in ((mention.start, mention.end), *mention.telling)]
    begins, ends = (frozenset(edges) for edges in zip(*places, strict=True))
    of_names = _places_of(named)
    return [term for term in weighed if of_names.hold(term[2], term[3]) or (term[2] in begins and term[3] in ends)]
