"""Terms that the matcher adds to a query: other forms of abbreviations, and the field's word for a plain one.

An addition never goes into documents, weighs as much as the words it stands for (times its strength), and
is shown as what it is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.abbreviations import long_keys
from portal.matching.spelling import Speller, is_common
from portal.matching.stemming import stem, tail
from portal.matching.terms import Phrase, terms
from portal.matching.words import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from portal.matching.abbreviations import Abbreviation
    from portal.matching.concepts import Concept
    from portal.matching.reading import Reading
    from portal.matching.results import Source
    from portal.matching.terms import Kind

SHORT_TEXT_WORDS = 12
"""Long → short, and short in place of long, only in short texts: in long ones the former was measured to hurt."""
_LONGEST_UNSPACED = 12


_BETWEEN = ("for", "of", "in")
_DOING = ("ing", "tion", "sion")
_SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bt]")
_SIZE_WITHIN = re.compile(r"\d[bt]\b", re.IGNORECASE)
_ANY_SIZE = "70b"
_LETTERS_OF_PAGES = 2
_NUMBER = re.compile(r"\.\s?\d")
_Keys = tuple[str, ...]
_Forms = list[tuple[_Keys, _Keys]]


def _of_any_size(key: str) -> str:
    """The key of a word, where it is a number of parameters ("405B") one for all of them.

    So a phrase of a concept with such a number stands for all sizes of models.
    """
    return _ANY_SIZE if key[:1].isdecimal() and _SIZE.fullmatch(key) else key


class Bridge(NamedTuple):
    """A pair of an added word and the word beside it in the query ("LLM serving" has "model serving" too).

    `stands_for` is the query's own pair that it goes with.
    """

    key: str
    written: str
    stands_for: str


@dataclass(frozen=True, slots=True)
class Added:
    """What is added for one stretch of the query.

    `keys` are the new terms with their spelling and kind, `stands_for` the keys of the query's own terms
    they go with, `via` those as written.
    """

    keys: tuple[str, ...]
    surfaces: Mapping[str, str]
    kinds: Mapping[str, Kind]
    stands_for: tuple[str, ...]
    via: str
    source: Source
    strength: float
    bridges: tuple[Bridge, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """When the words `trigger` (term keys, in order) occur, add the terms of `text`."""

    trigger: tuple[str, ...]
    text: str
    source: Source
    strength: float
    only_short_texts: bool = False


@dataclass(frozen=True)
class Expander:
    """All rules of an index, by the first key of their trigger and by the trigger, and what they were made from.

    `long_forms` has what short forms stand for where concepts hold two forms to be the same: by the key of the short
    form and that of the word behind it, which is empty unless both forms end with it ("ANN search").
    """

    abbreviations: Mapping[str, tuple[Abbreviation, ...]]
    concepts: tuple[Concept, ...]
    rules: Mapping[str, Mapping[_Keys, tuple[_Rule, ...]]]
    long_forms: Mapping[tuple[str, str], str]

    @classmethod
    def build(cls, abbreviations: Mapping[str, tuple[Abbreviation, ...]], concepts: Sequence[Concept] = ()) -> Expander:
        """Rules short → long and long → short for abbreviations, plain → field's terms for concepts."""
        rules: list[_Rule] = []
        for key, forms in abbreviations.items():
            texts = sum(form.texts for form in forms)
            for form in forms:
                strength = (form.texts / texts) ** 0.5
                rules.append(_Rule((key,), form.long, "expansion", strength))
                rules.append(_Rule(long_keys(form.long), form.short, "expansion", 1.0, only_short_texts=True))
        long_forms = {key: long for concept in concepts for key, long in _long_form(concept)}
        same = {short: long_keys(known[0].long) for short, known in abbreviations.items()}
        same |= {short: long_keys(long) for (short, behind), long in long_forms.items() if not behind}
        forms_of = _both_ways(same)
        of_concepts = [rule for concept in concepts for rule in _rules_of(concept)]
        triggers = {rule.trigger for rule in of_concepts}
        rules += of_concepts
        rules += [rule for concept in concepts for rule in _turned_round(concept) if rule.trigger not in triggers]
        rules += [
            _Rule(trigger, rule.text, rule.source, rule.strength)
            for rule in of_concepts
            for trigger in _in_other_forms(rule.trigger, forms_of)
            if trigger not in triggers
        ]
        by_first: dict[str, dict[_Keys, list[_Rule]]] = {}
        for rule in rules:
            by_first.setdefault(rule.trigger[0], {}).setdefault(rule.trigger, []).append(rule)
        rules_by_first = {
            first: {trigger: tuple(grouped) for trigger, grouped in by_trigger.items()}
            for first, by_trigger in by_first.items()
        }
        return cls(abbreviations, tuple(concepts), rules_by_first, long_forms)

    @cached_property
    def added_keys(self) -> frozenset[str]:
        """The keys of all terms that a rule may add."""
        texts = {rule.text for known in self.rules.values() for grouped in known.values() for rule in grouped}
        return frozenset(key for text in texts for key in _terms_of(text)[0])

    def knows(self, key: str) -> bool:
        """Whether a rule begins with this key."""
        return key in self.rules

    @cached_property
    def longest(self) -> int:
        """The number of words of the longest trigger."""
        return max((len(trigger) for by_trigger in self.rules.values() for trigger in by_trigger), default=0)

    @cached_property
    def speller(self) -> Speller:
        """Corrections to words of the concepts, of which the labs need have none."""
        phrases = (phrase for concept in self.concepts for phrase in (*concept.plain, *concept.terms))
        words = Counter(word.form for phrase in phrases for sentence in sentences(phrase) for word in sentence.words)
        return Speller(words, len(self.concepts))

    def additions(self, reading: Reading) -> list[Added]:
        """What to add to a part of a query."""
        keys = _keys_of(reading)
        if reading.text.isascii() and self.rules.keys().isdisjoint(keys):
            return []
        words = reading.words
        short = len(words) <= SHORT_TEXT_WORDS
        added: dict[_Rule, Added] = {}
        for word in words:
            if not word.key.isascii() and word.end - word.start == len(word.key):
                for rule, stretch in self._inside(word):
                    added.setdefault(rule, _apply(rule, reading, [stretch]))
        for position, key in enumerate(keys):
            for trigger in self._triggers(keys, position, key):
                matched = words[position : position + len(trigger)]
                for rule in self.rules[key][trigger]:
                    if (rule.only_short_texts and not short) or rule in added:
                        continue
                    if not _is_another_word(rule, reading, matched):
                        added[rule] = _apply(rule, reading, matched)
        return list(added.values())

    def _triggers(self, keys: _Keys, position: int, key: str) -> Iterator[_Keys]:
        """The triggers that are there from `position` on, long ones first."""
        by_trigger = self.rules.get(key)
        if by_trigger is not None:
            for end in range(min(len(keys), position + self.longest), position, -1):
                if keys[position:end] in by_trigger:
                    yield keys[position:end]

    def _inside(self, word: Phrase) -> Iterator[tuple[_Rule, Phrase]]:
        """Rules for one word that stands inside a run of characters written without spaces, with the stretch."""
        for start in range(len(word.key)):
            for end in range(start + 2, min(len(word.key), start + _LONGEST_UNSPACED) + 1):
                key = word.key[start:end]
                for rule in self.rules.get(key, {}).get((key,), ()):
                    yield rule, Phrase(key, word.start + start, word.start + end)


def _keys_of(reading: Reading) -> _Keys:
    """The keys of all words as phrases are looked up."""
    keys = tuple([unit[0].key for sentence in reading.units for unit in sentence])
    return tuple(map(_of_any_size, keys)) if _SIZE_WITHIN.search(reading.text) else keys


@lru_cache(maxsize=4096)
def _rules_of(concept: Concept) -> tuple[_Rule, ...]:
    """A rule for each plain phrase and term of a concept."""
    triggers = [tuple(map(_of_any_size, keys)) for keys in map(long_keys, concept.plain) if keys]
    return tuple(_Rule(trigger, term, "concept", concept.strength) for trigger in triggers for term in concept.terms)


@lru_cache(maxsize=4096)
def _turned_round(concept: Concept) -> tuple[_Rule, ...]:
    """The rules of a concept for its phrases turned round: "LLM security" as "security of LLMs".

    Where the last word is what is done, also as somebody does it: "model merging" as "merging models", "merge models".
    """
    done = {tuple(map(_of_any_size, long_keys(phrase))) for phrase in concept.plain if phrase.endswith(_DOING)}
    return tuple(
        _Rule((rule.trigger[-1], *between, *rule.trigger[:-1]), rule.text, rule.source, rule.strength)
        for rule in _rules_of(concept)
        if len(rule.trigger) > 1 and not set(_BETWEEN) & set(rule.trigger)
        for between in (*((word,) for word in _BETWEEN), *(((),) if rule.trigger in done else ()))
    )


def _in_other_forms(trigger: tuple[str, ...], forms: Mapping[str, _Forms]) -> Iterator[tuple[str, ...]]:
    """A phrase with a short form in it spelt out, and the other way round: "MoE routing", "mixture of experts routing".

    `forms` has the keys of both forms of a term, each by the first key of the one to look for.
    """
    for place, first in enumerate(trigger):
        for form, other in forms.get(first, ()):
            end = place + len(form)
            if len(form) < len(trigger) and trigger[place:end] == form:
                yield trigger[:place] + other + trigger[end:]


def _both_ways(same: Mapping[str, tuple[str, ...]]) -> Mapping[str, _Forms]:
    """As `_in_other_forms` takes it, of the keys of short forms with those of the long ones."""
    forms: dict[str, _Forms] = {}
    for short, long in same.items():
        forms.setdefault(short, []).append(((short,), long))
        forms.setdefault(long[0], []).append((long, (short,)))
    return forms


def _long_form(concept: Concept) -> Iterator[tuple[tuple[str, str], str]]:
    """As in `Expander.long_forms`, where the concept is that two forms are the same, or that one stands for another."""
    forms = sorted({*concept.plain, *concept.terms}, key=lambda form: (len(long_keys(form)), form))
    if concept.strength != 1 or len(forms) != len(("short", "long")):
        return
    (first, *others), long = map(long_keys, forms)
    if not others and len(long) > 1:
        yield (first, ""), forms[1]
    elif others == [long[-1]]:
        yield (first, long[-1]), forms[1].rsplit(maxsplit=1)[0]


def _is_another_word(rule: _Rule, reading: Reading, matched: Sequence[Phrase]) -> bool:
    """Whether an abbreviation is written like an ordinary word and is one ("parse trees"), or stands before pages."""
    written = reading.text[matched[0].start : matched[-1].end]
    if len(matched) > 1 or not written.islower():
        return False
    numbers_pages = len(written) == _LETTERS_OF_PAGES and _NUMBER.match(reading.text, matched[-1].end)
    return bool(numbers_pages) or (rule.source == "expansion" and is_common(written))


def _apply(rule: _Rule, reading: Reading, matched: Sequence[Phrase]) -> Added:
    start, end = matched[0].start, matched[-1].end
    inside = dict.fromkeys(term.key for term in reading.terms if start <= term.start and term.end <= end)
    surfaces, kinds = _terms_of(rule.text)
    return Added(
        tuple(surfaces),
        surfaces,
        kinds,
        tuple(inside),
        reading.as_typed(start, end),
        rule.source,
        rule.strength,
        tuple(_bridges(rule.text, reading, start, end)) if rule.source == "expansion" or rule.strength == 1 else (),
    )


@lru_cache(maxsize=4096)
def _terms_of(text: str) -> tuple[Mapping[str, str], Mapping[str, Kind]]:
    """The terms that a rule adds, as written, and their kinds."""
    surfaces: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    for term in terms(text):
        surfaces.setdefault(term.key, text[term.start : term.end])
        kinds.setdefault(term.key, term.kind)
    return surfaces, kinds


def _bridges(text: str, reading: Reading, start: int, end: int) -> Iterator[Bridge]:
    """The pairs of the added words with those before and after the stretch they are added for."""
    words = [word for sentence in sentences(text) for word in sentence.words]
    first, last = words[0], words[-1]
    keys = {word.start: word.key for word in reading.words}
    for term in reading.terms:
        if term.kind != "pair" or term.start not in keys:
            continue
        own = keys[term.start]
        if term.start < start < term.end <= end:
            before = reading.text[term.start : start].strip()
            yield Bridge(own + tail(first.form), f"{before} {text[first.start : first.end]}", term.key)
        elif start <= term.start < end < term.end:
            after = reading.text[end : term.end].strip()
            key = stem(last.form) + term.key.removeprefix(own)
            yield Bridge(key, f"{text[last.start : last.end]} {after}", term.key)
