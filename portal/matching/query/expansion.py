"""Terms that the matcher adds to a query: other forms of abbreviations, and the field's word for a plain one.

An addition never goes into documents, weighs as much as the words it stands for (times its strength), and
is shown as what it is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from portal.matching.language.abbreviations import long_keys
from portal.matching.language.spelling import Speller, is_common
from portal.matching.language.terms import PlacedWord
from portal.matching.language.words import fold, sentences
from portal.matching.query.added import Added, applied, for_words, written_terms
from portal.matching.query.concept_rules import Keys, Rule, Rules, Triggered, concept_rules, of_any_size
from portal.matching.query.gapped import MOST_WORDS, are_plain_words, breaks, by_place, gapped, past_small_words
from portal.matching.query.near_terms import MOST_NEAR, near_terms, weighed_by_nearness
from portal.matching.query.scattered import scattered_words
from portal.matching.query.short_forms import OtherForms, is_another_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from portal.matching.language.abbreviations import Abbreviation
    from portal.matching.query.concepts import Concept
    from portal.matching.query.gapped import Form
    from portal.matching.query.reading import Reading
    from portal.matching.query.scattered import NearConcept, ScatteredWords
    from portal.matching.query.short_forms import ShortForms

_Applicable = tuple[Keys, Rule]
"""A rule with the trigger that occurs."""
SHORT_TEXT_WORDS = 12
"""Long forms are abbreviated, and replaced by short ones, only in short texts: in long ones the former was measured to
hurt.
"""
_PLAIN_TEXT_WORDS = range(6, 26)
_NEAR_TEXT_WORDS = range(2, 61)
_LONG_TEXT_WORDS = range(26, 121)
"""How many words a text has to which near concepts add terms, and one in which far concepts weigh less."""
_PLAIN_PHRASES = 2
_IN_PLAIN_TEXTS = 2.0
"""The factor for the strength of concepts in a text in plain words; figures in docs/evaluation-measured.md."""
_SCATTERED = 1.4
"""The strength of terms added for scattered words: that of a usual concept in such a text."""
_WEAK = 0.5
"""Weaker concepts count only next to a stronger one, because their phrases are ordinary words elsewhere."""
_LONGEST_UNSPACED = 12
_BAR = "|"
"""A phrase does not extend across one of these."""
_SIZE_WITHIN = re.compile(r"\d[bt]\b", re.IGNORECASE)
_LETTERS_OF_PAGES = 2
_NUMBER = re.compile(r"\.\s?\d")


@dataclass(frozen=True)
class Expander:
    """All rules of an index, and what they were made from.

    `long_forms` maps short forms to their long forms if concepts treat the two as the same. Its keys are the key of the
    short form and that of the word after it, which is empty unless both forms end with this word ("ANN search").
    `short_forms` has the concepts' short forms, folded, by their keys, which other words share ("added" and AD).
    """

    abbreviations: Mapping[str, tuple[Abbreviation, ...]]
    concepts: tuple[Concept, ...]
    rules: Rules
    long_forms: Mapping[tuple[str, str], str]
    short_forms: ShortForms

    @classmethod
    def build(cls, abbreviations: Mapping[str, tuple[Abbreviation, ...]], concepts: Sequence[Concept] = ()) -> Expander:
        """Rules short → long and long → short for abbreviations, plain → field's terms for concepts."""
        rules: list[Triggered] = []
        for key, forms in abbreviations.items():
            texts = sum(form.texts for form in forms)
            for form in forms:
                strength = (form.texts / texts) ** 0.5
                rules.append(((key,), (Rule(form.long, "expansion", strength),)))
                short = Rule(form.short, "expansion", 1.0, only_short_texts=True)
                rules.append((long_keys(form.long), (short,)))
        of_concepts = concept_rules(tuple(concepts))
        same = {short: long_keys(known[0].long) for short, known in abbreviations.items()}
        in_forms = of_concepts.in_forms_of(
            {short: long for short, long in same.items() if short not in of_concepts.same}
        )
        known = Rules.of(rules).and_those(of_concepts.rules).and_those(Rules.of(in_forms))
        return cls(abbreviations, tuple(concepts), known, of_concepts.long_forms, of_concepts.short_forms)

    @cached_property
    def added_keys(self) -> frozenset[str]:
        """The keys of all terms that rules can add."""
        texts = {
            rule.text
            for by_trigger in self.rules.by_first.values()
            for grouped in by_trigger.values()
            for rule in grouped
        }
        return frozenset(term.key for text in texts for term in written_terms(text))

    @cached_property
    def other_forms(self) -> OtherForms:
        """The other forms of short and long forms."""
        return OtherForms(self.abbreviations, self.long_forms)

    def knows(self, key: str) -> bool:
        """Whether a rule begins with this key."""
        return key in self.rules.by_first

    def has_phrase(self, *keys: str) -> bool:
        """Whether a rule has exactly these words as its trigger."""
        return keys in self.rules.by_first.get(keys[0], {})

    @cached_property
    def longest(self) -> int:
        """The number of words of the longest trigger."""
        return max(map(max, self.rules.lengths.values()), default=0)

    @cached_property
    def speller(self) -> Speller:
        """Corrections to words of the concepts, which need not occur in labs."""
        return _speller_of(self.concepts)

    @cached_property
    def scattered_words(self) -> ScatteredWords:
        """The words of the concepts' phrases."""
        return scattered_words(self.concepts)

    def additions(self, reading: Reading, uses: Callable[[str], bool]) -> list[Added]:
        """The terms to add to a part of a query; `uses` says which terms some lab uses."""
        keys = _keys_of(reading)
        if reading.text.isascii() and self.rules.by_first.keys().isdisjoint(keys):
            return []
        added: dict[_Applicable, Added] = {}
        as_written = list(chain(self._unspaced(reading), self._as_written(keys, reading)))
        forms = by_place([matched for (_, rule), matched in as_written if not rule.is_for_plain_words])
        for applicable, matched in chain(as_written, self._gapped(keys, reading, uses, forms)):
            if applicable not in added and _BAR not in reading.text[matched[0].start : matched[-1].end]:
                added[applicable] = applied(applicable[1], reading, matched)
        additions = _without_lone_weak(list(added.values()))
        weighed = _as_in_plain_words(additions, len(reading.words))
        near: Sequence[NearConcept] = ()
        if len(keys) in _NEAR_TEXT_WORDS or len(keys) in _LONG_TEXT_WORDS:
            near = self.scattered_words.near(keys, MOST_NEAR)
        if len(keys) in _LONG_TEXT_WORDS:
            weighed = weighed_by_nearness(weighed, near)
        scattered = self._scattered(keys, additions, reading, uses)
        found = [*weighed, *scattered, *self._near(keys, additions, near, reading, uses)]
        typed = {term[0] for term in reading.found}
        return found if any(added.adds_to(typed, uses) for added in found) else []

    def _unspaced(self, reading: Reading) -> Iterator[tuple[_Applicable, Sequence[PlacedWord]]]:
        """The rules for words inside runs of characters written without spaces, each with its passage."""
        for word in reading.words:
            if not word.key.isascii() and word.end - word.start == len(word.key):
                for applicable, stretch in self._inside(word):
                    yield applicable, [stretch]

    def _as_written(self, keys: Keys, reading: Reading) -> Iterator[tuple[_Applicable, Sequence[PlacedWord]]]:
        """The rules whose triggers occur in the text word by word, each with these words."""
        words = reading.words
        short = len(words) <= SHORT_TEXT_WORDS
        for position, key in enumerate(keys):
            for trigger in self._triggers(keys, position, key):
                matched = words[position : position + len(trigger)]
                for rule in self.rules.by_first[key][trigger]:
                    if (short or not rule.only_short_texts) and not self._is_another_word(rule, reading, matched):
                        yield (trigger, rule), matched

    def _gapped(
        self, keys: Keys, reading: Reading, uses: Callable[[str], bool], forms: Mapping[int, Sequence[Form]]
    ) -> Iterator[tuple[_Applicable, Sequence[PlacedWord]]]:
        """The rules whose phrases occur in a short text with small words and one other word inside.

        Long forms of terms mean the term, so a phrase must not consist of some of their words; `forms` has them by the
        places of their words.
        """
        if len(keys) > MOST_WORDS:
            return
        arguments = (keys, reading.words, reading.text, self.rules.lengths)
        for trigger, matched in chain(gapped(*arguments), past_small_words(*arguments)):
            if any(breaks(matched, form) for word in matched for form in forms.get(word.start, ())):
                continue
            for rule in self.rules.by_first[trigger[0]].get(trigger, ()):
                if rule.is_for_plain_words and are_plain_words(trigger, uses):
                    yield (trigger, rule), matched

    def _scattered(
        self, keys: Keys, additions: Sequence[Added], reading: Reading, uses: Callable[[str], bool]
    ) -> Iterator[Added]:
        """The terms that concepts add for words of their phrases scattered over a sentence in plain words."""
        if len(keys) not in _PLAIN_TEXT_WORDS or _BAR in reading.text:
            return
        has_phrase = any(addition.is_for_plain_words for addition in additions)
        nearest = self.scattered_words.nearest_to(reading, keys, uses, has_phrase=has_phrase)
        if nearest is None:
            return
        shared = [key for key in dict.fromkeys(keys) if key in nearest.keys]
        for term in nearest.terms:
            yield for_words(term, shared, reading, _SCATTERED)

    def _is_another_word(self, rule: Rule, reading: Reading, matched: Sequence[PlacedWord]) -> bool:
        """Whether an abbreviation is another word, or in small letters a common word or before page numbers."""
        if len(matched) > 1:
            return False
        written = reading.text[matched[0].start : matched[-1].end]
        if rule.source == "concept" and is_another_word(self.short_forms, matched[0].key, written):
            return True
        if not written.islower():
            return False
        numbers_pages = len(written) == _LETTERS_OF_PAGES and _NUMBER.match(reading.text, matched[-1].end)
        return bool(numbers_pages) or (rule.source == "expansion" and is_common(written))

    def _near(
        self,
        keys: Keys,
        additions: Sequence[Added],
        near: Sequence[NearConcept],
        reading: Reading,
        uses: Callable[[str], bool],
    ) -> Iterator[Added]:
        """The terms of concepts near to the text; as for scattered words, it must have a phrase or no unknown word."""
        if len(keys) not in _NEAR_TEXT_WORDS or _BAR in reading.text:
            return
        has_phrase = any(added.is_for_plain_words for added in additions)
        if has_phrase or all(self.scattered_words.knows(key) or uses(key) for key in keys):
            yield from near_terms(near, reading, additions, uses)

    def _triggers(self, keys: Keys, position: int, key: str) -> Iterator[Keys]:
        """The triggers that occur at `position`, longest first."""
        by_trigger = self.rules.by_first.get(key)
        if by_trigger is not None:
            for end in range(min(len(keys), position + self.longest), position, -1):
                if keys[position:end] in by_trigger:
                    yield keys[position:end]

    def _inside(self, word: PlacedWord) -> Iterator[tuple[_Applicable, PlacedWord]]:
        """Rules for one word inside a run of characters written without spaces, with its passage."""
        for start in range(len(word.key)):
            for end in range(start + 2, min(len(word.key), start + _LONGEST_UNSPACED) + 1):
                key = word.key[start:end]
                for rule in self.rules.by_first.get(key, {}).get((key,), ()):
                    yield ((key,), rule), PlacedWord(key, word.start + start, word.start + end)


def _without_lone_weak(additions: list[Added]) -> list[Added]:
    """The additions, without those of weak concepts if no stronger concept has a phrase in the text."""
    if any(addition.is_for_plain_words and addition.strength >= _WEAK for addition in additions):
        return additions
    return [addition for addition in additions if not addition.is_for_plain_words or addition.strength >= _WEAK]


def _as_in_plain_words(additions: list[Added], words: int) -> list[Added]:
    """The additions to a text of so many words, twice as heavy in a sentence with two phrases in plain words.

    The other words of such a sentence are ordinary, and those that some work happens to contain are rare in the labs'
    texts and would outweigh what the phrases stand for.
    """
    if (
        words not in _PLAIN_TEXT_WORDS
        or len({addition.via for addition in additions if addition.is_for_plain_words}) < _PLAIN_PHRASES
    ):
        return additions
    return [
        replace(addition, strength=_IN_PLAIN_TEXTS * addition.strength) if addition.is_for_plain_words else addition
        for addition in additions
    ]


@lru_cache(maxsize=4)
def _speller_of(concepts: tuple[Concept, ...]) -> Speller:
    return Speller(_word_counts(chain.from_iterable((*one.phrases, *one.terms) for one in concepts)), len(concepts))


def _word_counts(phrases: Iterable[str]) -> Counter[str]:
    """How often the phrases have each folded word. Most are letters and spaces, where no word has to be looked for."""
    plain: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for phrase in phrases:
        words = phrase.split()
        if phrase.isascii() and "".join(words).isalpha():
            plain.update(words)
        else:
            counts.update(word.form for sentence in sentences(phrase) for word in sentence.words)
    for word, count in plain.items():
        counts[fold(word)] += count
    return counts


def _keys_of(reading: Reading) -> Keys:
    """The keys of all words, for looking up phrases."""
    keys = tuple([unit[0].key for sentence in reading.units for unit in sentence])
    return tuple(map(of_any_size, keys)) if _SIZE_WITHIN.search(reading.text) else keys
