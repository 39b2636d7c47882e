"""The concept file: plain words and the terms the field uses for them, with who says so and why."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache

from portal.matching.abbreviations import long_keys

_KNOWN = frozenset({"plain", "terms", "why", "added_by", "strength"})
_DEFAULT_STRENGTH = 0.7


class ConceptError(ValueError):
    """The concept file is not as it should be; the message says where and what is expected."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words as people say them (`plain`), and the field's `terms` for them.

    The terms are added to a query that has the plain words with `strength` (over 0, at most 1) times the
    weight of those words.
    """

    plain: tuple[str, ...]
    terms: tuple[str, ...]
    why: str
    added_by: str
    strength: float = _DEFAULT_STRENGTH


@lru_cache(maxsize=4)
def read_concepts(text: str) -> tuple[Concept, ...]:
    """Read a concept file (TOML, a list of [[concept]] tables).

    Raises:
        ConceptError: the text is no TOML, or an entry is incomplete or has a field that is not known.
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
    return tuple(_read_concept(number, entry) for number, entry in enumerate(entries, start=1))


def _read_concept(number: int, entry: object) -> Concept:
    place = f"concept {number}"
    if not isinstance(entry, dict):
        raise ConceptError(f"{place} is not a table")
    unknown = sorted(entry.keys() - _KNOWN)
    if unknown:
        raise ConceptError(f"{place}: unknown field {', '.join(unknown)}; known are {', '.join(sorted(_KNOWN))}")
    strength = entry.get("strength", _DEFAULT_STRENGTH)
    if isinstance(strength, bool) or not isinstance(strength, int | float) or not 0 < strength <= 1:
        raise ConceptError(f"{place}: strength must be a number over 0 and at most 1, not {strength!r}")
    plain = _phrases(place, "plain", entry)
    for phrase in plain:
        if not long_keys(phrase):
            raise ConceptError(f"{place}: {phrase!r} holds no word")
    return Concept(
        plain,
        _phrases(place, "terms", entry),
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
