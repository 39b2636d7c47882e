"""The table of concepts: searched, sorted, in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.concepts.in_use import concept_of
from portal.labs.concepts.rules import clashes_among, owners_of_phrases
from portal.labs.folding import folded_text, folded_words
from portal.matching.query.concepts import phrases_in
from portal.web.paging import Page, page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from portal.labs.concepts.rules import Clash, PhraseOwners
    from portal.labs.concepts.usage import Usage
    from portal.matching import Concept
    from portal.models import ConceptEntry

SORTS = ("number", "phrases", "strength", "added_by", "changed")
STATES = ("active", "retired")


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """An entry in the table; `usage` is None while the index is being built."""

    number: int
    concept: Concept
    changed_at: datetime
    clashes: tuple[Clash, ...]
    usage: Usage | None


def concept_page(
    entries: Sequence[ConceptEntry],
    *,
    search: str,
    state: str,
    sort: str,
    descending: bool,
    number: int,
    usage: Callable[[Sequence[Sequence[str]]], Sequence[Usage] | None],
) -> Page[ConceptRow]:
    """One page of the entries in this `state` that hold all words of `search`; `usage` counts for those shown."""
    words = folded_words(search)
    matching = [entry for entry in entries if entry.state == state and _holds(entry, words)]
    matching.sort(key=_KEYS[sort], reverse=descending)
    page = page_of(matching, number)
    usages: Sequence[Usage | None] = usage([entry.terms for entry in page.items]) or [None] * len(page.items)
    owners = owners_of_phrases(entries)
    rows = [_row(entry, owners, entry_usage) for entry, entry_usage in zip(page.items, usages, strict=True)]
    return page.with_items(rows)


def shipped_page(concepts: Sequence[Concept], *, search: str, number: int) -> Page[Concept]:
    """One page of the concepts that come with the portal and hold all words of `search`, in the order of their file."""
    words = folded_words(search)
    return page_of([concept for concept in concepts if _holds(concept, words)], number)


def _row(entry: ConceptEntry, owners: PhraseOwners, usage: Usage | None) -> ConceptRow:
    concept = concept_of(entry)
    entry_clashes = () if entry.state == "retired" else tuple(clashes_among(concept, owners, entry.id))
    return ConceptRow(entry.id, concept, entry.changed_at, entry_clashes, usage)


def _holds(entry: ConceptEntry | Concept, words: tuple[str, ...]) -> bool:
    if not words:
        return True
    searched = folded_text(" ".join([*phrases_in(tuple(entry.plain)), *entry.terms, entry.why, entry.added_by]))
    return all(word in searched for word in words)


_KEYS: dict[str, Callable[[ConceptEntry], tuple[object, ...]]] = {
    "number": lambda entry: (entry.id,),
    "phrases": lambda entry: (folded_text(phrases_in(tuple(entry.plain))[0]), entry.id),
    "strength": lambda entry: (entry.strength, entry.id),
    "added_by": lambda entry: (folded_text(entry.added_by), entry.id),
    "changed": lambda entry: (entry.changed_at, entry.id),
}
