"""The strongest terms of a match in one line, without repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.results import Source, TermShare

LIKE_SHARE = 0.5  # a phrase with at least this fraction of its word's share stands for the word


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
    spelt = [f" {' '.join(term.term.casefold().split())} " for term in terms]
    told: list[int] = []
    for at in range(len(terms)):
        phrase = _phrase_that_says_it(at, terms, spelt)
        if phrase not in told:
            told.append(phrase)
        if len(told) == limit:
            break
    groups: dict[tuple[Source, str, int], list[str]] = {}
    for at in told:
        term = terms[at]
        groups.setdefault((term.source, term.via, -1 if term.via else at), []).append(term.term)
    return tuple(TermGroup(tuple(words), source, via) for (source, via, _), words in groups.items())


def _phrase_that_says_it(at: int, terms: Sequence[TermShare], spelt: Sequence[str]) -> int:
    """The index of the strongest phrase that replaces the term at `at`, or `at` itself."""
    while True:
        word = terms[at]
        phrases = (
            other
            for other, phrase in enumerate(terms)
            if len(spelt[other]) > len(spelt[at])
            and spelt[at] in spelt[other]
            and (phrase.source, phrase.via) == (word.source, word.via)
            and phrase.share >= LIKE_SHARE * word.share
        )
        longer = next(phrases, None)
        if longer is None:
            return at
        at = longer
