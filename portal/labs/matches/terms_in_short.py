"""The strongest terms of a match in one line, without repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.matching.results import ADDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.results import Source, TermShare

OWN_WORDS = 2

LIKE_SHARE = 0.5  # a phrase with at least this fraction of its word's share replaces the word


@dataclass(frozen=True)
class TermGroup:
    """Terms listed together: one term, or all that were added for the same words (`via`)."""

    words: tuple[str, ...]
    source: Source
    via: str


def terms_in_short(terms: Sequence[TermShare], limit: int) -> tuple[TermGroup, ...]:
    """At most `limit` of `terms`: the person's own words, then those added, grouped by the words they were added for.

    These are the strongest, but at least `OWN_WORDS` of their own, if so many are there: somebody looks for what they
    wrote. A phrase of the same source with a similar share replaces a term that is part of it; so does a word with a
    hyphen. What was added for several words is told once, and not at all where somebody wrote it.
    """
    spellings = [f" {' '.join(term.term.casefold().replace('-', ' ').split())} " for term in terms]
    own: list[int] = []
    added: list[int] = []
    wanted_of_own = min(OWN_WORDS, limit, sum(term.source not in ADDED for term in terms))
    for index in range(len(terms)):
        if len(own) >= wanted_of_own and len(own) + len(added) >= limit:
            break
        phrase = _covering_phrase(index, terms, spellings)
        same = [told for told in (*own, *added) if spellings[told] == spellings[phrase]]
        if terms[phrase].source in ADDED:
            added += [] if same else [phrase]
        elif phrase not in own:
            own.append(phrase)
            added = [told for told in added if told not in same]
    groups: dict[tuple[Source, str, int], list[str]] = {}
    for index in (*own, *added[: limit - len(own)]):
        term = terms[index]
        groups.setdefault((term.source, term.via, -1 if term.via else index), []).append(term.term)
    return tuple(TermGroup(tuple(words), source, via) for (source, via, _), words in groups.items())


def _covering_phrase(index: int, terms: Sequence[TermShare], spellings: Sequence[str]) -> int:
    """The index of the strongest phrase that replaces the term at `index`, or `index` itself."""
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
