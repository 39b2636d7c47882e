"""The concept file: plain words and the field's terms for them, with who added them and why."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING

from portal.matching.language.abbreviations import long_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KNOWN = frozenset({"plain", "terms", "why", "added_by", "strength"})
_DEFAULT_STRENGTH = 0.7
MOST_PHRASES = 500
"""Of one concept; brackets multiply."""
_BRACKETS = re.compile(r"\(([^()]*)\)")


class ConceptError(ValueError):
    """The concept file is invalid; the message says where, and what is expected."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words as people say them (`plain`), and the field's `terms` for them.

    A line of `plain` is a phrase, or several: "(open|free) models" is "open models" and "free models". The terms are
    added to a query that has the plain words with `strength` (over 0, at most 1) times the weight of those words.
    """

    plain: tuple[str, ...]
    terms: tuple[str, ...]
    why: str
    added_by: str
    strength: float = _DEFAULT_STRENGTH

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases that the lines of `plain` stand for."""
        return phrases_in(self.plain)

    @property
    def forms(self) -> tuple[str, str] | None:
        """The short and the long form if the entry says that two forms are one term (strength 1), else None."""
        both = {*self.phrases, *self.terms}
        if self.strength < 1 or len(both) != len(("short", "long")):
            return None
        short, long = sorted(both, key=lambda form: (len(long_keys(form)), form))
        return (short, long) if len(long_keys(short)) == 1 < len(long_keys(long)) else None


@lru_cache(maxsize=8_192)
def phrases_in(plain: tuple[str, ...]) -> tuple[str, ...]:
    """The phrases that lines with alternatives stand for, each once, up to a limit."""
    phrases = (phrase for line in plain for phrase in _phrases_of(line))
    return tuple(dict.fromkeys(islice(phrases, MOST_PHRASES)))


def why_not_phrases(plain: Iterable[str]) -> str | None:
    """What is wrong with the alternatives in lines; None if nothing is."""
    count = 0
    for line in plain:
        fixed, alternatives = _parts(line)
        if any("|" in part for part in fixed):
            return f"“{line[:80]}”: alternatives stand in brackets with bars between, as in “(open|free) models”."
        of_line = 1
        for options in alternatives:
            of_line = min(of_line * len(options), MOST_PHRASES + 1)
        count += of_line
    if count > MOST_PHRASES:
        return f"These lines stand for more than {MOST_PHRASES} phrases: brackets multiply. Make two entries of them."
    return None


def _phrases_of(line: str) -> Iterator[str]:
    fixed, alternatives = _parts(line)
    for chosen in product(*alternatives):
        joined = "".join(part for pair in zip(fixed, (*chosen, ""), strict=True) for part in pair)
        yield " ".join(joined.split())


def _parts(line: str) -> tuple[list[str], list[list[str]]]:
    """The fixed pieces of a line, and the alternatives between each two of them."""
    first, *others = _BRACKETS.split(line)
    fixed: list[str] = [first]
    alternatives: list[list[str]] = []
    for within, after in zip(others[::2], others[1::2], strict=True):
        options = within.split("|")
        if len(options) > 1 and all(map(str.strip, options)):
            alternatives.append(options)
            fixed.append(after)
        else:
            fixed[-1] += f"({within}){after}"
    return fixed, alternatives


@lru_cache(maxsize=4)
def read_concepts(text: str) -> tuple[Concept, ...]:
    """Read a concept file (TOML, a list of [[concept]] tables).

    Raises:
        ConceptError: the text is not TOML, or an entry is incomplete or has an unknown field.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConceptError(f"the concept file is not valid TOML: {error}") from error
    unknown = sorted(document.keys() - {"concept"})
    if unknown:
        raise ConceptError(f"unknown tables {', '.join(unknown)}; the concept file holds [[concept]] tables only")
    entries = document.get("concept", [])
    if not isinstance(entries, list):
        raise ConceptError("write [[concept]] with two brackets: the file holds a list of concepts")
    return tuple(_read_concept(position, entry) for position, entry in enumerate(entries, start=1))


def _read_concept(position: int, entry: object) -> Concept:
    place = f"concept {position}"
    if not isinstance(entry, dict):
        raise ConceptError(f"{place} is not a table")
    unknown = sorted(entry.keys() - _KNOWN)
    if unknown:
        raise ConceptError(f"{place}: unknown field {', '.join(unknown)}; known are {', '.join(sorted(_KNOWN))}")
    strength = entry.get("strength", _DEFAULT_STRENGTH)
    if isinstance(strength, bool) or not isinstance(strength, int | float) or not 0 < strength <= 1:
        raise ConceptError(f"{place}: strength must be a number over 0 and at most 1, not {strength!r}")
    plain, terms = _phrases(place, "plain", entry), _phrases(place, "terms", entry)
    if (refusal := why_not_phrases(plain)) is not None:
        raise ConceptError(f"{place}: {refusal}")
    for phrase in (*phrases_in(plain), *terms):
        if not long_keys(phrase):
            raise ConceptError(f"{place}: {phrase!r} holds no word")
    return Concept(
        plain,
        terms,
        _sentence(place, "why", entry),
        _sentence(place, "added_by", entry),
        float(strength),
    )


def _phrases(place: str, name: str, entry: dict[str, object]) -> tuple[str, ...]:
    value = entry.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) and item.strip() for item in value):
        raise ConceptError(f"{place}: {name} must be a list of at least one phrase")
    return tuple(value)


def _sentence(place: str, name: str, entry: dict[str, object]) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ConceptError(f"{place}: {name} must say something")
    return value
