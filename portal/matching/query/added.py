"""The terms that are added for a passage of a query part, and their weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.stemming import stem, tail
from portal.matching.language.terms import terms
from portal.matching.language.word_cache import cached_by_word
from portal.matching.language.words import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from portal.matching.language.terms import Kind, PlacedWord
    from portal.matching.query.concept_rules import Rule
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.query.reading import Reading
    from portal.matching.query.weighed_terms import Weighed
    from portal.matching.results import Source


class Bridge(NamedTuple):
    """A pair of an added word and the word next to it in the query ("LLM serving" also gets "model serving").

    `stands_for` is the query's own pair that it belongs to.
    """

    key: str
    written: str
    stands_for: str


class AddedTerm(NamedTuple):
    """A term of what is added, as it is written there."""

    key: str
    written: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Added:
    """The terms added for one passage of the query.

    `stands_for` are the keys of the query's own terms that they belong to, `via` these terms as written.
    """

    terms: tuple[AddedTerm, ...]
    stands_for: tuple[str, ...]
    via: str
    source: Source
    strength: float
    bridges: tuple[Bridge, ...] = ()

    @property
    def is_for_plain_words(self) -> bool:
        """Whether a concept adds it, other than as the second of two forms of one term."""
        return self.source == "concept" and self.strength < 1

    def adds_to(self, typed: Collection[str], uses: Callable[[str], bool]) -> bool:
        """Whether it brings a text with the `typed` terms one that some lab `uses`: no short form that none does."""
        return any(uses(term.key) for term in self.terms if term.key not in typed) or any(
            uses(pair.key) for pair in self.bridges
        )


def applied(rule: Rule, reading: Reading, matched: Sequence[PlacedWord]) -> Added:
    """The terms that a rule adds for the words that it `matched`."""
    start, end = matched[0].start, matched[-1].end
    inside = dict.fromkeys(reading.found[place][0] for place in reading.places_of_terms.within(start, end))
    return Added(
        written_terms(rule.text),
        tuple(inside),
        reading.as_typed(start, end),
        rule.source,
        rule.strength,
        tuple(_bridges(rule.text, reading, start, end)) if rule.source == "expansion" or rule.strength == 1 else (),
    )


def for_words(term: str, keys: Collection[str], reading: Reading, strength: float) -> Added:
    """A concept's term, added for the words of a text that have one of `keys`, wherever they stand."""
    via = " … ".join(reading.as_typed(word.start, word.end) for word in reading.words if word.key in keys)
    return Added(written_terms(term), tuple(keys), via, "concept", strength)


@cached_by_word(4096)
def written_terms(text: str) -> tuple[AddedTerm, ...]:
    """The terms that a rule adds, each once."""
    first: dict[str, AddedTerm] = {}
    for term in terms(text):
        first.setdefault(term.key, AddedTerm(term.key, text[term.start : term.end], term.kind))
    return tuple(first.values())


def _bridges(text: str, reading: Reading, start: int, end: int) -> Iterator[Bridge]:
    """The pairs of the added words with the words before and after the passage."""
    words = [word for sentence in sentences(text) for word in sentence.words]
    first, last = words[0], words[-1]
    for place in reading.places_of_terms.near(start, end):
        term = reading.terms[place]
        if term.kind != "pair" or term.start not in reading.key_at:
            continue
        own = reading.key_at[term.start]
        if term.start < start < term.end <= end:
            before = reading.text[term.start : start].strip()
            yield Bridge(own + tail(first.form), f"{before} {text[first.start : first.end]}", term.key)
        elif start <= term.start < end < term.end:
            after = reading.text[end : term.end].strip()
            key = stem(last.form) + term.key.removeprefix(own)
            yield Bridge(key, f"{text[last.start : last.end]} {after}", term.key)


def added_terms(weighed: list[Weighed], additions: list[Added], lexicon: Lexicon) -> Iterator[Weighed]:
    """The added terms; together they weigh `strength` × the terms they stand for.

    If some lab uses one of them, all are added, including those that no lab uses: these count in the length, as if they
    had been typed. Pairs with neighbouring words are added only if they were known when the index was fitted.
    """
    present = {term[0]: term[1] for term in weighed}
    for added in additions:
        for bridge in added.bridges:
            if bridge.stands_for in present and bridge.key not in present and bridge.key in lexicon.weights:
                weight = present[bridge.key] = added.strength * present[bridge.stands_for]
                yield bridge.key, weight, 0, 0, bridge.written, added.source, "pair", added.via, False
        new = [term for term in added.terms if term.key not in present]
        pairs = [term.key for term in added.terms if term.kind == "pair"]
        stood_for = math.fsum(present[key] ** 2 for key in added.stands_for if key in present)
        total = math.fsum(lexicon.weights.of(term.key) ** 2 for term in new)
        is_used = any(lexicon.uses(term.key) for term in new)
        # "Inertial measurement unit" means nothing where no lab has two of its words together.
        if not is_used or not stood_for or (pairs and not any(map(lexicon.uses, pairs))):
            continue
        scale = added.strength * math.sqrt(stood_for / total)
        for key, written, kind in new:
            weight = present[key] = scale * lexicon.weights.of(key)
            yield key, weight, 0, 0, written, added.source, kind, added.via, False
