"""What an entry may contain, and which entries overlap. Pure; phrases are compared as the matcher compares them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from portal.matching.language.abbreviations import long_keys
from portal.matching.language.terms import terms
from portal.matching.query.concepts import phrases_in, why_not_phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from portal.matching import Concept
    from portal.models import ConceptEntry

    PhraseOwners = Mapping[tuple[str, ...], Sequence[int]]
    """The ids of the entries that have a phrase, by the keys of the phrase."""

PHRASE = 120  # characters of a phrase or term
LINE = 400  # characters of a line of phrases, including brackets
PHRASES = 60  # lines of phrases, or terms, of one entry
WHY = 500  # characters
ADDED_BY = 200  # characters

Field = Literal["plain", "terms", "strength", "why", "added_by"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an entry cannot be saved as it is, and the field to correct."""

    field: Field
    text: str


@dataclass(frozen=True, slots=True)
class Clash:
    """A plain phrase that occurs twice: in the entry `other` as well, or, if that is None, within the same entry."""

    phrase: str
    other: int | None

    def __str__(self) -> str:
        if self.other is None:
            return f"“{self.phrase}” means the same as another phrase of this entry. Delete one of them."
        return f"“{self.phrase}” is in entry {self.other} too: a query with it would get the terms of both."


def tidied(concept: Concept) -> Concept:
    """The entry with single spaces and without empty or repeated phrases, as some checks of the matcher require."""
    return replace(
        concept,
        plain=_each_once(concept.plain),
        terms=_each_once(concept.terms),
        why=_one_line(concept.why),
        added_by=_one_line(concept.added_by),
    )


def problems(concept: Concept) -> list[Problem]:
    """Every reason against saving a tidied entry."""
    reasons = [*_line_problems(concept.plain), *_phrase_problems("terms", concept.terms)]
    if not 0 < concept.strength <= 1:
        reasons.append(Problem("strength", "Strength is a number over 0 and at most 1, such as 0.7."))
    reasons += _text_problems("why", concept.why, WHY, "Say why these words mean these terms.")
    reasons += _text_problems("added_by", concept.added_by, ADDED_BY, "Say who is responsible for this entry.")
    return reasons


def clashes(concept: Concept, others: Iterable[ConceptEntry]) -> list[Clash]:
    """The plain phrases that the entry repeats, or that active `others` also have."""
    return clashes_among(concept, owners_of_phrases(others))


def owners_of_phrases(entries: Iterable[ConceptEntry]) -> PhraseOwners:
    """The active `entries` by phrase, in their order."""
    owners: dict[tuple[str, ...], list[int]] = {}
    for entry in entries:
        if entry.state == "active":
            for phrase in phrases_in(tuple(entry.plain)):
                owners.setdefault(long_keys(phrase), []).append(entry.id)
    return owners


def clashes_among(concept: Concept, owners: PhraseOwners, own_id: int | None = None) -> list[Clash]:
    """The plain phrases that the entry repeats, or that others of the `owners` also have; `own_id` is its own id."""
    clashes: list[Clash] = []
    own: set[tuple[str, ...]] = set()
    for phrase in concept.phrases:
        keys = long_keys(phrase)
        other = next((owner for owner in owners.get(keys, ()) if owner != own_id), None)
        if keys in own:
            clashes.append(Clash(phrase, None))
        elif other is not None:
            clashes.append(Clash(phrase, other))
        own.add(keys)
    return clashes


def why_not_twice(concept: Concept, others: Iterable[ConceptEntry]) -> str | None:
    """Why an entry would repeat another: no two may have the same phrases and terms."""
    plain, term_keys = plain_keys(concept.plain), phrase_keys(concept.terms)
    for other in others:
        other_plain = plain_keys(other.plain)
        if not plain <= other_plain:
            continue
        if other.state == "active" and term_keys <= phrase_keys(other.terms):
            return f"Entry {other.id} has these terms for these phrases already. Edit that one instead."
        if other.state == "retired" and (plain, term_keys) == (other_plain, phrase_keys(other.terms)):
            return f"Entry {other.id} has these terms for these phrases, but is retired. Bring that one back instead."
    return None


def why_not_retire(entry: ConceptEntry) -> str | None:
    """Only an entry in use can be retired."""
    return None if entry.state == "active" else f"Entry {entry.id} is retired already."


def why_not_bring_back(entry: ConceptEntry) -> str | None:
    """Only a retired entry can come back."""
    return None if entry.state == "retired" else f"Entry {entry.id} is in use already."


def plain_keys(plain: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The `phrase_keys` of all phrases that an entry's plain lines expand to."""
    return phrase_keys(phrases_in(tuple(plain)))


def phrase_keys(phrases: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The phrases in the form in which the matcher looks them up; inflections of a phrase are equal."""
    return _key_set(tuple(phrases))


def has_phrase(words: tuple[str, ...], phrase: str) -> bool:
    """Whether a text, given as its `long_keys`, contains a phrase in any inflection."""
    keys = long_keys(phrase)
    return bool(keys) and any(words[start : start + len(keys)] == keys for start in range(len(words) - len(keys) + 1))


@lru_cache(maxsize=8_192)
def _key_set(phrases: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(map(long_keys, phrases))


def _line_problems(lines: tuple[str, ...]) -> Iterator[Problem]:
    refusal = why_not_phrases(lines)
    if len(lines) > PHRASES:
        yield Problem("plain", f"There are {len(lines):,} lines; at most {PHRASES} fit in one entry.")
    for line in lines:
        if len(line) > LINE:
            yield Problem("plain", f"“{line[:40]}…” is {len(line):,} characters long; at most {LINE} fit.")
    if refusal is not None:
        yield Problem("plain", refusal)
    else:
        yield from _phrase_problems("plain", phrases_in(lines))


def _phrase_problems(field: Literal["plain", "terms"], phrases: tuple[str, ...]) -> Iterator[Problem]:
    noun = "phrase" if field == "plain" else "term"
    if not phrases:
        yield Problem(field, f"Give at least one {noun}.")
    if field == "terms" and len(phrases) > PHRASES:
        yield Problem(field, f"There are {len(phrases):,} {noun}s; at most {PHRASES} fit in one entry.")
    for phrase in phrases:
        if len(phrase) > PHRASE:
            yield Problem(field, f"“{phrase[:40]}…” is {len(phrase):,} characters long; at most {PHRASE} fit.")
        elif hidden := _hidden(phrase):
            yield Problem(field, f"“{_shown(phrase)}” has {hidden}.")
        elif not (any(map(_counts, phrase.split())) or _counts(phrase)):
            yield Problem(field, f"“{phrase}” has no word that the matcher counts; add one that says more.")


@lru_cache(maxsize=65_536)
def _counts(text: str) -> bool:
    """Whether a word or phrase has a term. Most phrases have a word that others have, too."""
    return next(terms(text), None) is not None


def _text_problems(field: Field, text: str, most: int, missing: str) -> Iterator[Problem]:
    if not text:
        yield Problem(field, missing)
    if len(text) > most:
        yield Problem(field, f"This is {len(text):,} characters long; at most {most:,} fit. Shorten it.")
    if hidden := _hidden(text):
        yield Problem(field, f"“{_shown(text)}” has {hidden}.")


def _hidden(text: str) -> str:
    """The first control character, which databases would refuse, in words; "" if there is none."""
    for char in "" if text.isprintable() else text:
        if unicodedata.category(char) in {"Cc", "Cs"}:
            return f"an invisible control character (U+{ord(char):04X}); delete it"
    return ""


def _shown(text: str) -> str:
    return "".join("�" if unicodedata.category(char) in {"Cc", "Cs"} else char for char in text)[:80]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _each_once(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrase for phrase in map(_one_line, phrases) if phrase))
