"""Related labs: people in common, similar texts, and who else works on each topic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from portal.labs.lab_docs import lab_doc
from portal.matching import Query, Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.labs.catalogue import Catalogue, LabEntry

MOST_RELATED = 6
MOST_NAMES = 5
MOST_TERMS = 4
MOST_TOPICS = 10
MOST_OTHERS = 3
LONGEST_QUERY = 4_000  # characters of a profile that are used as a query


@dataclass(frozen=True)
class RelatedLab:
    """A related lab, and why. `more_people` counts names in common that are not listed."""

    slug: str
    name: str
    leader: str
    people: Sequence[str]
    more_people: int
    terms: Sequence[str]


@dataclass(frozen=True)
class TopicElsewhere:
    """The other labs that fit a topic best, as (slug, name)."""

    topic: str
    labs: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Nearby:
    """Labs near one lab, and who else works on each of its topics."""

    related: Sequence[RelatedLab]
    elsewhere: Sequence[TopicElsewhere]


def nearby(catalogue: Catalogue, entry: LabEntry) -> Nearby:
    """What is near a lab. Caches it in the catalogue, as it takes a dozen rankings."""
    return catalogue.nearby.of(
        catalogue.numbers[entry.record.key],
        lambda: Nearby(_related_labs(catalogue, entry), _topics_elsewhere(catalogue, entry)),
    )


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
            people=in_common[slug][:MOST_NAMES],
            more_people=max(0, len(in_common[slug]) - MOST_NAMES),
            terms=terms.get(slug, ()),
        )
        for slug in near[:MOST_RELATED]
        for other in [catalogue.entry(slug)]
        if other is not None
    ]


def _topics_elsewhere(catalogue: Catalogue, entry: LabEntry) -> list[TopicElsewhere]:
    """For each topic of a lab, the other labs that fit it best; topics of no other lab are omitted."""
    record = entry.record
    if not catalogue.source.is_searchable:
        return [TopicElsewhere(topic, ()) for topic in record.topics[:MOST_TOPICS]]
    index = catalogue.source.index
    elsewhere = []
    for topic in record.topics[:MOST_TOPICS]:
        ranked = index.rank(Query(topics=(Topic(topic),)), k=MOST_OTHERS + 1)
        others = (catalogue.entry(match.lab) for match in ranked if match.lab != record.key)
        fitting = [(other.record.key, other.record.name) for other in others if other is not None]
        elsewhere.append(TopicElsewhere(topic, fitting[:MOST_OTHERS]))
    return elsewhere


def _similar_words(catalogue: Catalogue, entry: LabEntry) -> dict[str, tuple[str, ...]]:
    """The labs that fit this lab's own texts, best first, with the matched words."""
    if not catalogue.source.is_searchable:
        return {}
    record = entry.record
    text = lab_doc(record).profile or "\n".join(work.title for work in record.works)
    query = Query(statement=text[:LONGEST_QUERY])
    explained = catalogue.source.index.rank_explained(query, k=MOST_RELATED + 1)
    return {
        match.lab: _without_parts([term.term for term in explanation.terms])
        for match, explanation in explained
        if match.lab != record.key
    }


def _without_parts(terms: Sequence[str]) -> tuple[str, ...]:
    """The first few terms, without parts of a longer one: "machine learning" stands for "machine" and "learning"."""
    phrases = [f" {term.casefold()} " for term in terms]
    whole = (
        term
        for term, phrase in zip(terms, phrases, strict=True)
        if not any(phrase in other and phrase != other for other in phrases)
    )
    return tuple(islice(whole, MOST_TERMS))
