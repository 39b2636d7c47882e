"""The strongest terms of a match in one line, without repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.results import Source, TermShare

LIKE_SHARE = 0.5  # a phrase with at least this fraction of its word's share replaces the word


@dataclass(frozen=True)
class TermGroup:
    """Terms listed together: one term, or all that were added for the same words (`via`)."""

    words: tuple[str, ...]
    source: Source
    via: str


def terms_in_short(terms: Sequence[TermShare], limit: int) -> tuple[TermGroup, ...]:
    """At most `limit` of `terms`, strongest first; added terms are grouped by the words they were added for.

    A phrase of the same source with a similar share replaces a term that is part of it.
    """
    spellings = [f" {' '.join(term.term.casefold().split())} " for term in terms]
    chosen: list[int] = []
    for index in range(len(terms)):
        phrase = _covering_phrase(index, terms, spellings)
        if phrase not in chosen:
            chosen.append(phrase)
        if len(chosen) == limit:
            break
    groups: dict[tuple[Source, str, int], list[str]] = {}
    for index in chosen:
        term = terms[index]
        groups.setdefault((term.source, term.via, -1 if term.via else index), []).append(term.term)
    return tuple(TermGroup(tuple(words), source, via) for (source, via, _), words in groups.items())


def _covering_phrase(index: int, terms: Sequence[TermShare], spellings: Sequence[str]) -> int:
    """The index of the strongest phrase that replaces the term at `at`, or `at` itself."""
    while True:
        term = terms[index]
        phrases = (
            other
            for other, phrase in enumerate(terms)
            if len(spellings[other]) > len(spellings[index])
            and spellings[index] in spellings[other]
            and (phrase.source, phrase.via) == (term.source, term.via)
            and phrase.share >= LIKE_SHARE * term.share
        )
        longer = next(phrases, None)
        if longer is None:
            return index
        index = longer
