"""Rules that add terms to a query, made from concepts for all the ways to write their phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.abbreviations import long_keys
from portal.matching.query.short_forms import short_forms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal.matching.query.concepts import Concept
    from portal.matching.query.short_forms import ShortForms
    from portal.matching.results import Source

Keys = tuple[str, ...]
_Forms = list[tuple[Keys, Keys]]
_BETWEEN = ("for", "of", "in")
_DOING = ("ing", "tion", "sion")
_SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bt]")
_ANY_SIZE = "70b"


@dataclass(frozen=True, slots=True)
class Rule:
    """What the words of a trigger bring: the terms of `text`."""

    text: str
    source: Source
    strength: float
    only_short_texts: bool = False

    @property
    def is_for_plain_words(self) -> bool:
        """Whether a concept adds it, other than as the second of two forms of one term."""
        return self.source == "concept" and self.strength < 1


Triggered = tuple[Keys, tuple[Rule, ...]]
"""If the words of a trigger (term keys, in order) occur, these rules apply. All triggers of a concept share them."""
ByTrigger = dict[Keys, tuple[Rule, ...]]


class Rules(NamedTuple):
    """Rules by the first key of their trigger and by the whole trigger; the lengths of triggers by first key."""

    by_first: Mapping[str, ByTrigger]
    lengths: Mapping[str, frozenset[int]]

    @classmethod
    def of(cls, triggered: Iterable[Triggered]) -> Rules:
        """Index rules; rules with the same trigger keep their order."""
        by_first: dict[str, ByTrigger] = {}
        for trigger, rules in triggered:
            by_trigger = by_first.setdefault(trigger[0], {})
            earlier = by_trigger.get(trigger)
            by_trigger[trigger] = (*earlier, *rules) if earlier else rules
        return cls(by_first, {first: frozenset(map(len, by_trigger)) for first, by_trigger in by_first.items()})

    def and_those(self, more: Rules) -> Rules:
        """The rules of both; parts that only one of them has are shared, not copied."""
        both = self.by_first.keys() & more.by_first.keys()
        joined = {first: _joined(self.by_first[first], more.by_first[first]) for first in both}
        lengths = {first: self.lengths[first] | more.lengths[first] for first in both}
        return Rules({**self.by_first, **more.by_first, **joined}, {**self.lengths, **more.lengths, **lengths})


def _joined(first: ByTrigger, second: ByTrigger) -> ByTrigger:
    return {trigger: (*first.get(trigger, ()), *second.get(trigger, ())) for trigger in {**first, **second}}


@dataclass(frozen=True, slots=True)
class ConceptRules:
    """What follows from concepts alone, independently of labs.

    `long_forms` is that of `Expander.long_forms`; `same` pairs the keys of short and long forms; `as_written` are the
    rules whose triggers are phrases exactly as in the concepts; `short_forms` is that of `Expander.short_forms`.
    """

    rules: Rules
    long_forms: Mapping[tuple[str, str], str]
    same: Mapping[str, Keys]
    as_written: tuple[Triggered, ...]
    triggers: frozenset[Keys]
    short_forms: ShortForms

    def in_forms_of(self, same: Mapping[str, Keys]) -> Iterator[Triggered]:
        """Variants of the rules with a short form of the labs spelled out, or a long form shortened."""
        forms = _both_ways(same)
        return _in_other_forms(self.as_written, forms, self.triggers) if forms else iter(())


@lru_cache(maxsize=4)
def concept_rules(concepts: tuple[Concept, ...]) -> ConceptRules:
    """The rules of concepts. Cached, since indexes are built more often than concepts change."""
    long_forms = {key: long for concept in concepts for key, long in _long_form(concept)}
    same = {short: long_keys(long) for (short, following), long in long_forms.items() if not following}
    as_written = tuple(chain.from_iterable(map(_rules_of, concepts)))
    triggers = frozenset(trigger for trigger, _ in as_written)
    turned = (
        (trigger, rules)
        for trigger, rules in chain.from_iterable(map(_turned_round, concepts))
        if trigger not in triggers
    )
    others = _in_other_forms(as_written, _both_ways(same), triggers)
    short_forms = short_forms_of(concepts)
    return ConceptRules(
        Rules.of(chain(as_written, turned, others)), long_forms, same, as_written, triggers, short_forms
    )


def of_any_size(key: str) -> str:
    """The key of a word; all numbers of parameters ("405B") share one key.

    So a concept's phrase with such a number covers all model sizes.
    """
    return _ANY_SIZE if key[:1].isdecimal() and _SIZE.fullmatch(key) else key


@lru_cache(maxsize=4096)
def _rules_of(concept: Concept) -> tuple[Triggered, ...]:
    """A rule for each term of a concept, for each of its plain phrases, if they have words at all."""
    rules = tuple(Rule(term, "concept", concept.strength) for term in concept.terms if long_keys(term))
    return tuple((tuple(map(of_any_size, keys)), rules) for keys in map(long_keys, concept.phrases) if keys)


@lru_cache(maxsize=4096)
def _turned_round(concept: Concept) -> tuple[Triggered, ...]:
    """The rules of a concept for its phrases in reverse order: "LLM security" as "security of LLMs".

    If the last word is an activity, also for its verb forms: "model merging" as "merging models", "merge models".
    """
    done = {tuple(map(of_any_size, long_keys(phrase))) for phrase in concept.phrases if phrase.endswith(_DOING)}
    return tuple(
        ((trigger[-1], *between, *trigger[:-1]), rules)
        for trigger, rules in _rules_of(concept)
        if len(trigger) > 1 and set(_BETWEEN).isdisjoint(trigger)
        for between in (*((word,) for word in _BETWEEN), *([()] if trigger in done else []))
    )


def _in_other_forms(
    triggered: Iterable[Triggered], forms: Mapping[str, _Forms], written: frozenset[Keys]
) -> Iterator[Triggered]:
    """Variants of rules with a short form spelled out or a long form shortened ("MoE routing", "mixture of experts
    routing").

    `forms` has the keys of both forms of a term, by the first key of the form to look for.
    """
    for trigger, rules in triggered:
        if forms.keys().isdisjoint(trigger):
            continue
        for place, first in enumerate(trigger):
            for form, other in forms.get(first, ()):
                end = place + len(form)
                if len(form) < len(trigger) and trigger[place:end] == form:
                    new_trigger = trigger[:place] + other + trigger[end:]
                    if new_trigger not in written:
                        yield new_trigger, rules


def _both_ways(same: Mapping[str, tuple[str, ...]]) -> Mapping[str, _Forms]:
    """The argument `forms` of `_in_other_forms`, from pairs of keys of short and long forms."""
    forms: dict[str, _Forms] = {}
    for short, long in same.items():
        forms.setdefault(short, []).append(((short,), long))
        forms.setdefault(long[0], []).append((long, (short,)))
    return forms


def _long_form(concept: Concept) -> Iterator[tuple[tuple[str, str], str]]:
    """`Expander.long_forms` for concepts that say that two forms are the same or that one stands for the other."""
    in_words = set(filter(long_keys, (*concept.phrases, *concept.terms)))
    forms = sorted(in_words, key=lambda form: (len(long_keys(form)), form))
    if concept.strength != 1 or len(forms) != len(("short", "long")):
        return
    (first, *others), long = map(long_keys, forms)
    if not others and len(long) > 1:
        yield (first, ""), forms[1]
    elif others == [long[-1]]:
        yield (first, long[-1]), forms[1].rsplit(maxsplit=1)[0]
