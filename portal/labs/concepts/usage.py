"""How many labs use the terms of a concept. Terms that none uses have no effect."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.lab_docs import lab_doc
from portal.matching import Query, Topic
from portal.matching.language.terms import keys, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flask import Flask

    from portal.labs.live_index.live import IndexedLabs
    from portal.seeding.records import LabRecord

EXTENSION = "portal_term_usage"
READ_QUICKLY = 1_000  # works that can be scanned while a person waits
LOOKED_AT = 10  # labs that are scanned where there are more works


@dataclass(frozen=True, slots=True)
class Usage:
    """How many labs use at least one of an entry's terms, and which terms no lab uses.

    `at_least` is true if there are many labs and only the nearest ones were scanned.
    """

    labs: int
    unused: tuple[str, ...]
    at_least: bool


class TermUsage:
    """Caches which labs use which terms, for one state of the labs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Mapping[str, LabRecord] = {}
        self._known: dict[str, frozenset[str]] = {}

    def of(self, labs: IndexedLabs, phrases: Sequence[str]) -> Usage:
        """The usage of an entry's terms."""
        (usage,) = self.of_each(labs, [phrases])
        return usage

    def of_each(self, labs: IndexedLabs, entries: Sequence[Sequence[str]]) -> list[Usage]:
        """The usage of several entries' terms, in one pass.

        Side effect: scans the texts of labs on the first call, and again after a profile was saved.
        """
        small = sum(len(record.works) for record in labs.profiles.values()) <= READ_QUICKLY
        with self._lock:
            if self._of is not labs.profiles:
                self._of, self._known = labs.profiles, {}
            wanted = [
                phrase for phrase in dict.fromkeys(p for entry in entries for p in entry) if phrase not in self._known
            ]
            self._known.update(_count_all(labs, wanted) if small else _count_nearest(labs, wanted))
            known = dict(self._known)
        return [
            Usage(
                len(frozenset[str]().union(*(known[phrase] for phrase in phrases))),
                tuple(phrase for phrase in phrases if not known[phrase]),
                at_least=not small,
            )
            for phrases in entries
        ]


def term_usage(app: Flask) -> TermUsage:
    """The cache of an application."""
    held = app.extensions.setdefault(EXTENSION, TermUsage())
    if not isinstance(held, TermUsage):
        raise TypeError(f"{EXTENSION} holds a {type(held).__name__}")
    return held


def _count_all(labs: IndexedLabs, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
    if not phrases:
        return {}
    held = {slug: _keys_of(record) for slug, record in labs.profiles.items()}
    return {phrase: frozenset(slug for slug, found in held.items() if _is_in(phrase, found)) for phrase in phrases}


def _count_nearest(labs: IndexedLabs, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
    held: dict[str, set[str]] = {}
    users: dict[str, frozenset[str]] = {}
    for phrase in phrases:
        nearest = [match.lab for match in labs.index.rank(Query((Topic(phrase),), correct_spelling=False), k=LOOKED_AT)]
        for slug in nearest:
            if slug not in held:
                held[slug] = _keys_of(labs.profiles[slug])
        users[phrase] = frozenset(slug for slug in nearest if _is_in(phrase, held[slug]))
    return users


def _keys_of(record: LabRecord) -> set[str]:
    return set(keys(_texts(record)))


def _texts(record: LabRecord) -> Iterator[str]:
    doc = lab_doc(record)
    yield doc.profile
    for work in doc.works:
        yield work.title
        yield work.abstract
        yield from work.systems


def _is_in(phrase: str, found: set[str]) -> bool:
    """Whether a text with these keys contains the phrase: all its word pairs, or its single word."""
    occurrences = list(terms(phrase))
    pairs = [term.key for term in occurrences if term.kind == "pair"]
    return bool(occurrences) and _all_in(pairs or [term.key for term in occurrences if term.kind == "word"], found)


def _all_in(wanted: Iterable[str], found: set[str]) -> bool:
    return all(key in found for key in wanted)
