"""How many labs use the terms of a concept. A term that no lab uses has no effect."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.lab_docs import lab_doc
from portal.matching import Query, Topic
from portal.matching.language.terms import keys, terms
from portal.web.extensions import extension

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flask import Flask

    from portal.labs.live_index.live import IndexedLabs
    from portal.seeding.records import LabRecord

EXTENSION = "portal_term_usage"
READ_QUICKLY = 1_000  # works that can be scanned while a person waits
NEAREST_LABS = 10  # that are scanned where there are more works


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
        self._profiles: Mapping[str, LabRecord] = {}
        self._labs_by_phrase: dict[str, frozenset[str]] = {}

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
            if self._profiles is not labs.profiles:
                self._profiles, self._labs_by_phrase = labs.profiles, {}
            missing = [
                phrase
                for phrase in dict.fromkeys(p for entry in entries for p in entry)
                if phrase not in self._labs_by_phrase
            ]
            self._labs_by_phrase.update(_count_all(labs, missing) if small else _count_nearest(labs, missing))
            labs_by_phrase = dict(self._labs_by_phrase)
        return [
            Usage(
                len(frozenset[str]().union(*(labs_by_phrase[phrase] for phrase in phrases))),
                tuple(phrase for phrase in phrases if not labs_by_phrase[phrase]),
                at_least=not small,
            )
            for phrases in entries
        ]


def term_usage(app: Flask) -> TermUsage:
    """The cache of an application."""
    app.extensions.setdefault(EXTENSION, TermUsage())
    return extension(app, EXTENSION, TermUsage)


def _count_all(labs: IndexedLabs, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
    if not phrases:
        return {}
    keys_by_lab = {slug: _keys_of(record) for slug, record in labs.profiles.items()}
    return {
        phrase: frozenset(slug for slug, text_keys in keys_by_lab.items() if _is_in(phrase, text_keys))
        for phrase in phrases
    }


def _count_nearest(labs: IndexedLabs, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
    keys_by_lab: dict[str, set[str]] = {}
    users: dict[str, frozenset[str]] = {}
    for phrase in phrases:
        nearest = [
            match.lab for match in labs.index.rank(Query((Topic(phrase),), correct_spelling=False), k=NEAREST_LABS)
        ]
        for slug in nearest:
            if slug not in keys_by_lab:
                keys_by_lab[slug] = _keys_of(labs.profiles[slug])
        users[phrase] = frozenset(slug for slug in nearest if _is_in(phrase, keys_by_lab[slug]))
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


def _is_in(phrase: str, text_keys: set[str]) -> bool:
    """Whether a text with these keys contains the phrase: all its word pairs, or its single word."""
    occurrences = list(terms(phrase))
    pairs = [term.key for term in occurrences if term.kind == "pair"]
    return bool(occurrences) and _all_in(pairs or [term.key for term in occurrences if term.kind == "word"], text_keys)


def _all_in(phrase_keys: Iterable[str], text_keys: set[str]) -> bool:
    return all(key in text_keys for key in phrase_keys)
