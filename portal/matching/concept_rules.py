"""When terms are added to a query: rules made of concepts, in all the ways that their phrases are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.abbreviations import long_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.matching.concepts import Concept
    from portal.matching.results import Source

Keys = tuple[str, ...]
_Forms = list[tuple[Keys, Keys]]
_BETWEEN = ("for", "of", "in")
_DOING = ("ing", "tion", "sion")
_SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bt]")
_ANY_SIZE = "70b"


@dataclass(frozen=True, slots=True)
class Rule:
    """When the words `trigger` (term keys, in order) occur, add the terms of `text`."""

    trigger: tuple[str, ...]
    text: str
    source: Source
    strength: float
    only_short_texts: bool = False

    @property
    def may_have_gap(self) -> bool:
        """Whether another word may stand within the trigger: not in one of two forms of one term."""
        return self.source == "concept" and self.strength < 1


def of_any_size(key: str) -> str:
    """The key of a word, where it is a number of parameters ("405B") one for all of them.

    So a phrase of a concept with such a number stands for all sizes of models.
    """
    return _ANY_SIZE if key[:1].isdecimal() and _SIZE.fullmatch(key) else key


@lru_cache(maxsize=4096)
def rules_of(concept: Concept) -> tuple[Rule, ...]:
    """A rule for each plain phrase and term of a concept."""
    triggers = [tuple(map(of_any_size, keys)) for keys in map(long_keys, concept.plain) if keys]
    return tuple(Rule(trigger, term, "concept", concept.strength) for trigger in triggers for term in concept.terms)


@lru_cache(maxsize=4096)
def turned_round(concept: Concept) -> tuple[Rule, ...]:
    """The rules of a concept for its phrases turned round: "LLM security" as "security of LLMs".

    Where the last word is what is done, also as somebody does it: "model merging" as "merging models", "merge models".
    """
    done = {tuple(map(of_any_size, long_keys(phrase))) for phrase in concept.plain if phrase.endswith(_DOING)}
    return tuple(
        Rule((rule.trigger[-1], *between, *rule.trigger[:-1]), rule.text, rule.source, rule.strength)
        for rule in rules_of(concept)
        if len(rule.trigger) > 1 and not set(_BETWEEN) & set(rule.trigger)
        for between in (*((word,) for word in _BETWEEN), *(((),) if rule.trigger in done else ()))
    )


def in_other_forms(trigger: tuple[str, ...], forms: Mapping[str, _Forms]) -> Iterator[tuple[str, ...]]:
    """A phrase with a short form in it spelt out, and the other way round: "MoE routing", "mixture of experts routing".

    `forms` has the keys of both forms of a term, each by the first key of the one to look for.
    """
    for place, first in enumerate(trigger):
        for form, other in forms.get(first, ()):
            end = place + len(form)
            if len(form) < len(trigger) and trigger[place:end] == form:
                yield trigger[:place] + other + trigger[end:]


def both_ways(same: Mapping[str, tuple[str, ...]]) -> Mapping[str, _Forms]:
    """As `in_other_forms` takes it, of the keys of short forms with those of the long ones."""
    forms: dict[str, _Forms] = {}
    for short, long in same.items():
        forms.setdefault(short, []).append(((short,), long))
        forms.setdefault(long[0], []).append((long, (short,)))
    return forms


def long_form(concept: Concept) -> Iterator[tuple[tuple[str, str], str]]:
    """As in `Expander.long_forms`, where the concept is that two forms are the same, or that one stands for another."""
    forms = sorted({*concept.plain, *concept.terms}, key=lambda form: (len(long_keys(form)), form))
    if concept.strength != 1 or len(forms) != len(("short", "long")):
        return
    (first, *others), long = map(long_keys, forms)
    if not others and len(long) > 1:
        yield (first, ""), forms[1]
    elif others == [long[-1]]:
        yield (first, long[-1]), forms[1].rsplit(maxsplit=1)[0]
