"""The lists of labs and systems: searched, filtered with counts, sorted, as values for pages and the API."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from portal.db import folded_letters
from portal.labs.catalogue import FACETS
from portal.labs.texts import folded_name, folded_value, is_open, open_degrees, printable
from portal.models import Lab

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from sqlalchemy.orm import Session

    from portal.labs.catalogue import Catalogue, FacetValue, LabEntry, SystemEntry


MOST_WORDS = 12
SHORTEST_NAME = 3  # characters; shorter texts are not searched for inside names of systems


def labs_with_text(session: Session, catalogue: Catalogue, text: str) -> frozenset[int]:
    """The numbers of the labs whose profile contains every word of `text`, or that have a system of that name.

    Accents do not matter in the names of labs and of their leaders.
    """
    words = text.casefold().replace("-", " ").split()[:MOST_WORDS]
    if not words:
        return catalogue.everything
    query = select(Lab.slug)
    for word in words:
        spellings = sorted({word, folded_letters(word)})
        query = query.where(or_(*(Lab.search_text.contains(spelling, autoescape=True) for spelling in spellings)))
    return catalogue.numbers_of(session.scalars(query)) | catalogue.numbers_of(
        _with_system(catalogue, folded_name(text))
    )


def _with_system(catalogue: Catalogue, name: str) -> list[str]:
    if len(name) < SHORTEST_NAME:
        return []
    return [entry.lab.key for entry in catalogue.systems if name in entry.name]


SORTS = {"name": "Name", "openings": "Openings first", "changed": "Recently changed", "works": "Most works"}
FACET_TITLES = {
    "topic": "Topics",
    "hardware": "Hardware",
    "opening": "Open positions",
    "country": "Country",
    "place": "Place",
    "institution": "Institution",
}
MOST_VALUES = 60  # of one facet; others can be searched for
TYPICAL_TERMS = 3


def distinct_values(asked: Iterable[str]) -> tuple[str, ...]:
    """The values that somebody asked for, each once and without what cannot be shown."""
    values = (printable(value).strip() for value in asked)
    return tuple(dict.fromkeys(value for value in values if value))


@dataclass(frozen=True)
class LabQuery:
    """The words searched for, the values ticked per facet (any of them), and an order."""

    text: str
    chosen: Mapping[str, tuple[str, ...]]
    sort: str


@dataclass(frozen=True)
class FacetOption:
    """One tick box: how many labs there would be with it, given all other facets."""

    value: str
    count: int
    selected: bool


@dataclass(frozen=True)
class FacetGroup:
    """One facet of the list; `left_out` counts values that are not shown because there are too many."""

    name: str
    title: str
    options: Sequence[FacetOption]
    left_out: int


@dataclass(frozen=True)
class LabRow:
    """One line of a list of labs."""

    slug: str
    name: str
    leader: str
    place: str
    summary: str
    openings: tuple[str, ...]
    terms: Sequence[str]
    works: int
    changed_at: datetime


@dataclass(frozen=True)
class LabListing:
    """The labs that match, in order, and the facets for narrowing further; those that would only pick single labs out
    are left out.
    """

    entries: Sequence[LabEntry]
    facets: Sequence[FacetGroup]


def lab_listing(catalogue: Catalogue, matching_text: frozenset[int], query: LabQuery) -> LabListing:
    """The labs for `query`, among those that match its words: `matching_text`, by their numbers."""
    narrowed = {name: _with_any(catalogue.facets[name], query.chosen.get(name, ())) for name in FACETS}
    matching = reduce(and_, (labs for labs in narrowed.values() if labs is not None), matching_text)
    groups = (_facet_group(catalogue, name, query, narrowed, matching_text) for name in FACETS)
    narrowing = [group for group in groups if any(option.selected or option.count > 1 for option in group.options)]
    return LabListing(in_order(catalogue.chosen(matching), query.sort, catalogue.today), narrowing)


def in_order(entries: Sequence[LabEntry], sort: str, today: date) -> list[LabEntry]:
    """`entries`, which are sorted by name, in one of `SORTS`; ties stay sorted by name.

    Raises:
        KeyError: `sort` is none of them.
    """
    if sort == "openings":
        return sorted(entries, key=lambda entry: not any(is_open(opening, today) for opening in entry.record.openings))
    if sort == "changed":
        return sorted(entries, key=lambda entry: entry.changed_at, reverse=True)
    if sort == "works":
        return sorted(entries, key=lambda entry: -len(entry.works))
    if sort != "name":
        raise KeyError(f"{sort!r} is not an order of labs; known: {', '.join(SORTS)}")
    return list(entries)


def lab_row(catalogue: Catalogue, entry: LabEntry) -> LabRow:
    """One lab as a line of a list."""
    record = entry.record
    return LabRow(
        slug=record.key,
        name=record.name,
        leader=record.leader,
        place=", ".join(dict.fromkeys(part for part in (record.institution, record.place) if part)),
        summary=entry.summary,
        openings=open_degrees(record, catalogue.today),
        terms=catalogue.source.typical_terms(record.key, TYPICAL_TERMS),
        works=len(entry.works),
        changed_at=entry.changed_at,
    )


def _with_any(values: Mapping[str, FacetValue], selected: Sequence[str]) -> frozenset[int] | None:
    """The numbers of the labs with at least one of the selected values; None if nothing is selected."""
    if not selected:
        return None
    matching = (values.get(folded_value(value)) for value in selected)
    return frozenset[int]().union(*(value.labs for value in matching if value is not None))


def _facet_group(
    catalogue: Catalogue,
    name: str,
    query: LabQuery,
    narrowed: Mapping[str, frozenset[int] | None],
    matching_text: frozenset[int],
) -> FacetGroup:
    others = (labs for other, labs in narrowed.items() if other != name and labs is not None)
    under_others = reduce(and_, others, matching_text)
    selected = {folded_value(value): value for value in query.chosen.get(name, ())}
    options = [
        FacetOption(value.label, len(value.labs & under_others), key in selected)
        for key, value in catalogue.facets[name].items()
    ]
    unknown = (value for key, value in selected.items() if key not in catalogue.facets[name])
    options.extend(FacetOption(value, 0, selected=True) for value in unknown)
    offered = sorted(
        (option for option in options if option.count or option.selected),
        key=lambda option: (not option.selected, -option.count, option.value.casefold()),
    )
    shown = [option for place, option in enumerate(offered) if place < MOST_VALUES or option.selected]
    return FacetGroup(name, FACET_TITLES[name], shown, len(offered) - len(shown))


def systems_named(systems: Sequence[SystemEntry], text: str) -> list[SystemEntry]:
    """The systems whose name contains `text`: exact matches first, then prefixes, then the rest.

    Case, accents, spaces and hyphens do not matter; an empty text finds all.
    """
    if not text.strip():
        return list(systems)
    name = folded_name(text)
    if not name:
        return []
    matching = [entry for entry in systems if name in entry.name]
    return sorted(matching, key=lambda entry: (entry.name != name, not entry.name.startswith(name)))
