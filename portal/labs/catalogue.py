"""All labs in memory, for lists: each facet value has the set of its labs, so that counts are set operations.

Built from the profiles of the live index, so that lists and rankings show the same state. It is rebuilt only after a
profile was saved or a day ended (a passed deadline closes an opening); unchanged entries are reused. Related labs are
found in it too.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from flask import current_app
from sqlalchemy import select

from portal.config import extension
from portal.db import db
from portal.labs.lab_docs import lab_doc, settled_works
from portal.labs.live_index.live import live_index
from portal.labs.matches import STRONGEST, whole_phrases
from portal.labs.projection import summary_of
from portal.labs.texts import folded_name, folded_value, last_open_day, open_degrees
from portal.matching import Query
from portal.models import Lab

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.seeding.records import LabRecord, SystemRecord, WorkRecord


EXTENSION = "portal_catalogue"
TOPICS_IN_SUMMARY = 5
CACHED_RELATED = 512
"""Labs."""
FACETS = ("topic", "hardware", "opening", "country", "place", "institution")


@dataclass(frozen=True, slots=True)
class LabEntry:
    """One lab: its profile and what lists show of it. `people` are the folded names of members and authors; `works` are
    the settled ones, newest first.
    """

    record: LabRecord
    works: Sequence[WorkRecord]
    changed_at: datetime
    summary: str
    people: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """One system of one lab; `name` is folded for searching."""

    name: str
    system: SystemRecord
    lab: LabRecord


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet as people write it, and the numbers of the labs that have it."""

    label: str
    labs: frozenset[int]


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The labs, sorted by name. Sets hold the numbers of labs: their indexes in `entries`.

    `numbers` has the number of each slug. `facets` maps each facet's name to its values by their folded form; `systems`
    are sorted by name.
    """

    source: IndexedLabs
    today: date
    entries: Sequence[LabEntry]
    numbers: Mapping[str, int]
    facets: Mapping[str, Mapping[str, FacetValue]]
    systems: Sequence[SystemEntry]
    related: dict[int, Sequence[RelatedLab]] = field(init=False, default_factory=dict, repr=False, compare=False)
    """The labs related to those looked at last, by their numbers."""

    @property
    def everything(self) -> frozenset[int]:
        """The numbers of all labs."""
        return frozenset(range(len(self.entries)))

    def entry(self, slug: str) -> LabEntry | None:
        """The lab at this address."""
        index = self.numbers.get(slug)
        return None if index is None else self.entries[index]

    def numbers_of(self, slugs: Iterable[str]) -> frozenset[int]:
        """The numbers of the labs at these addresses; unknown addresses are skipped."""
        return frozenset(self.numbers[slug] for slug in slugs if slug in self.numbers)

    def chosen(self, labs: frozenset[int]) -> list[LabEntry]:
        """The entries with these numbers, by name."""
        return [self.entries[index] for index in sorted(labs)]


class LiveCatalogue:
    """Caches the catalogue of the newest state. One per process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Catalogue | None = None

    def current(self, session: Session, labs: IndexedLabs, now: datetime) -> Catalogue:
        """The catalogue of `labs` at `now`.

        Side effect: rebuilds it, with one query, when `labs` changed or a day ended since the last call.
        """
        today = last_open_day(now)
        catalogue = self._newest
        if catalogue is not None and catalogue.source is labs and catalogue.today == today:
            return catalogue
        with self._lock:
            catalogue = self._newest
            if catalogue is None or catalogue.source is not labs or catalogue.today != today:
                catalogue = self._newest = _catalogue(session, labs, today, catalogue)
            return catalogue


def live_catalogue(app: Flask) -> LiveCatalogue:
    """The catalogue of an application."""
    return extension(app, EXTENSION, LiveCatalogue)


def _catalogue(session: Session, labs: IndexedLabs, today: date, previous: Catalogue | None) -> Catalogue:
    changed = {row.slug: row.changed_at for row in session.execute(select(Lab.slug, Lab.changed_at))}
    entry_by_slug = {entry.record.key: entry for entry in previous.entries} if previous else {}
    entries = []
    for slug, record in labs.profiles.items():
        entry = entry_by_slug.get(slug)
        if entry is not None and entry.record is record:
            entries.append(entry)
        elif slug in changed:  # a lab that was just removed has no row any more
            works = settled_works(record)
            entries.append(LabEntry(record, works, changed[slug], _summary(record), _people(record, works)))
    entries.sort(key=lambda entry: (entry.record.name.casefold(), entry.record.key))
    return Catalogue(
        source=labs,
        today=today,
        entries=entries,
        numbers={entry.record.key: index for index, entry in enumerate(entries)},
        facets=_facets([entry.record for entry in entries], today),
        systems=_systems(entries),
    )


def _summary(record: LabRecord) -> str:
    """One line on what the lab does; its topics where it has no text of its own."""
    return summary_of(record) or ", ".join(record.topics[:TOPICS_IN_SUMMARY])


def _people(record: LabRecord, works: Sequence[WorkRecord]) -> dict[str, str]:
    names = [record.leader, *(member.name for member in record.members)]
    names.extend(author for work in works for author in work.authors)
    return {folded_name(name): name for name in names if folded_name(name)}


def _systems(entries: Iterable[LabEntry]) -> list[SystemEntry]:
    systems = [
        SystemEntry(folded_name(system.name), system, entry.record)
        for entry in entries
        for system in entry.record.systems
    ]
    return sorted(systems, key=lambda entry: (entry.name, entry.system.name, entry.lab.name))


def _facets(records: Sequence[LabRecord], today: date) -> dict[str, dict[str, FacetValue]]:
    labels: dict[str, dict[str, str]] = {name: {} for name in FACETS}
    labs: dict[str, dict[str, set[int]]] = {name: {} for name in FACETS}
    for index, record in enumerate(records):
        for name, values in _facet_values(record, today).items():
            for value in values:
                key = folded_value(value)
                if key:
                    labels[name].setdefault(key, value.strip())
                    labs[name].setdefault(key, set()).add(index)
    return {
        name: {key: FacetValue(label, frozenset(labs[name][key])) for key, label in labels[name].items()}
        for name in FACETS
    }


def _facet_values(record: LabRecord, today: date) -> dict[str, tuple[str, ...]]:
    return {
        "topic": record.topics,
        "hardware": record.hardware,
        "opening": open_degrees(record, today),
        "country": (record.country,),
        "place": (record.place,),
        "institution": (record.institution,),
    }


MOST_RELATED = 6
MOST_TERMS = 4
LONGEST_QUERY = 4_000  # characters of a profile that are used as a query


@dataclass(frozen=True)
class RelatedLab:
    """A related lab, and why: names in common, or terms."""

    slug: str
    name: str
    leader: str
    people: Sequence[str]
    terms: Sequence[str]


def related_labs(catalogue: Catalogue, entry: LabEntry) -> Sequence[RelatedLab]:
    """What `_related_labs` finds, cached in the catalogue, as it takes a ranking."""
    number = catalogue.numbers[entry.record.key]
    known = catalogue.related.get(number)
    if known is None:
        known = _related_labs(catalogue, entry)
        if len(catalogue.related) >= CACHED_RELATED:
            catalogue.related.clear()
        catalogue.related[number] = known
    return known


def _related_labs(catalogue: Catalogue, entry: LabEntry) -> list[RelatedLab]:
    """The labs that share most authors with this one, then those with similar texts.

    Names are compared as printed: two people with the same name count as one, so the page says "names in common".
    """
    in_common = {
        other.record.key: sorted(entry.people[name] for name in entry.people.keys() & other.people.keys())
        for other in catalogue.entries
        if other is not entry
    }
    terms = _similar_words(catalogue, entry)
    near = [slug for slug, people in in_common.items() if people or slug in terms]
    position = {slug: place for place, slug in enumerate(terms)}
    near.sort(key=lambda slug: (-len(in_common[slug]), position.get(slug, len(position)), slug))
    return [
        RelatedLab(
            slug=slug,
            name=other.record.name,
            leader=other.record.leader,
            people=in_common[slug],
            terms=terms.get(slug, ()),
        )
        for slug in near[:MOST_RELATED]
        for other in [catalogue.entry(slug)]
        if other is not None
    ]


def _similar_words(catalogue: Catalogue, entry: LabEntry) -> dict[str, tuple[str, ...]]:
    """The labs that fit this lab's own texts, best first, with the matched words."""
    if not catalogue.source.is_searchable:
        return {}
    record = entry.record
    text = lab_doc(record).profile or "\n".join(work.title for work in entry.works)
    query = Query(statement=text[:LONGEST_QUERY])
    explained = catalogue.source.index.rank_explained(query, k=MOST_RELATED + 1)
    return {
        match.lab: whole_phrases([term.term for term in explanation.terms[:STRONGEST]], MOST_TERMS)
        for match, explanation in explained
        if match.lab != record.key
    }


def current_catalogue() -> Catalogue:
    """The labs as they are stored now, for a request."""
    labs = live_index(current_app).current(db.session())
    return live_catalogue(current_app).current(db.session(), labs, datetime.now(UTC))
