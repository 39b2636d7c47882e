"""What a file changes in an existing work, field by field. Nothing is ever removed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from portal.seeding.imports.identifiers import same_place
from portal.seeding.imports.same_works import same_venue, title_of
from portal.seeding.names import name_words, same_person
from portal.seeding.venues import is_preprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.seeding.records import Link, WorkRecord

_SPELLING = 70.0
_INITIAL = re.compile(r"(?<!\w)\w(?!\w)")


def changed_fields(today: WorkRecord, new: WorkRecord) -> Iterator[tuple[str, object]]:
    """(field, value) of everything that `new` changes or adds; once applied, there is nothing left.

    A preprint does not change a publication; another spelling of a name or venue is not a change.
    """
    if new.title and title_of(new) != title_of(today):
        yield "title", new.title
    yield from _people(today, new)
    venue_changes = _venue_changes(today, new)
    year_changes = _year_changes(today, new)
    if venue_changes:
        yield "venue", new.venue
    if _long_venue_changes(today, new, venue_changes=venue_changes):
        yield "venue_full", new.venue_full
    if year_changes:
        yield "year", new.year
    if new.date and not today.date and (year_changes or new.year == today.year):
        yield "date", new.date
    if new.subject and not today.subject:
        yield "subject", new.subject
    if new.abstract and _is_cut_off(today.abstract, new.abstract):
        yield "abstract", new.abstract
    links = with_links(today.links, new.links)
    if links != today.links:
        yield "links", links
    awards = with_phrases(today.awards, new.awards)
    if awards != today.awards:
        yield "awards", awards


def with_links(today: Sequence[Link], new: Sequence[Link]) -> tuple[Link, ...]:
    """The present links, and those of the file with other targets."""
    places = {same_place(link.url) for link in today}
    added = []
    for link in new:
        if same_place(link.url) not in places:
            places.add(same_place(link.url))
            added.append(link)
    return (*today, *added)


def with_phrases(today: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """The present phrases, and those of the file that differ in more than case."""
    present = {phrase.casefold() for phrase in today}
    added = []
    for phrase in new:
        if phrase.casefold() not in present:
            present.add(phrase.casefold())
            added.append(phrase)
    return (*today, *added)


def _is_preprint(work: WorkRecord) -> bool:
    return is_preprint(work.venue or work.venue_full)


def _is_published(work: WorkRecord) -> bool:
    return bool(work.venue or work.venue_full) and not _is_preprint(work)


def _venue_changes(today: WorkRecord, new: WorkRecord) -> bool:
    if not new.venue or new.venue.casefold() == today.venue.casefold():
        return False
    if not today.venue:
        return not (today.venue_full and _is_preprint(new) and not _is_preprint(today))
    if _is_preprint(new):
        return False
    return _is_preprint(today) or not same_venue(today, new)


def _long_venue_changes(today: WorkRecord, new: WorkRecord, *, venue_changes: bool) -> bool:
    if not new.venue_full or new.venue_full.casefold() in (today.venue_full.casefold(), today.venue.casefold()):
        return False
    if venue_changes:
        return True
    return not today.venue_full and same_venue(today, new) and not _is_preprint(new)


def _year_changes(today: WorkRecord, new: WorkRecord) -> bool:
    if new.year is None or new.year == today.year:
        return False
    return today.year is None or _is_published(new)


def _is_cut_off(today: str, new: str) -> bool:
    """Whether the present abstract is missing, or the beginning of the new one."""
    head = " ".join(today.split()).rstrip("….").rstrip()
    whole = " ".join(new.split())
    return not head or (len(whole) > len(today) and whole.startswith(head))


def _people(today: WorkRecord, new: WorkRecord) -> Iterator[tuple[str, object]]:
    if not new.authors or new.authors == today.authors:
        same = bool(new.authors)
        changes = False
    elif not today.authors:
        same, changes = False, True
    else:
        same = len(today.authors) == len(new.authors) and all(map(_same_author, today.authors, new.authors))
        changes = _are_fuller(today.authors, new.authors) if same else _are_more(today, new)
    if changes:
        yield "authors", new.authors
        if today.authors_complete != new.authors_complete:
            yield "authors_complete", new.authors_complete
    elif same and new.authors_complete and not today.authors_complete:
        yield "authors_complete", True


def _are_fuller(today: Sequence[str], new: Sequence[str]) -> bool:
    """Whether names that have only initials today are spelt out."""
    if not any(_INITIAL.search(name) for name in today):
        return False
    return all(len(_INITIAL.findall(b)) <= len(_INITIAL.findall(a)) for a, b in zip(today, new, strict=True)) and any(
        len(_INITIAL.findall(b)) < len(_INITIAL.findall(a)) for a, b in zip(today, new, strict=True)
    )


def _are_more(today: WorkRecord, new: WorkRecord) -> bool:
    """Whether the new list includes everybody and more, or is as long with other spellings."""
    if len(new.authors) > len(today.authors):
        return all(_is_among(name, new.authors) for name in today.authors)
    if len(new.authors) != len(today.authors) or not new.authors_complete:
        return False
    pairs = list(zip(today.authors, new.authors, strict=True))
    alike = [(a, b) for a, b in pairs if not _same_author(a, b)]
    return len(alike) * 2 <= len(pairs) and all(fuzz.ratio(a, b) >= _SPELLING for a, b in alike)


def _is_among(name: str, others: Sequence[str]) -> bool:
    return name in others or any(_same_author(name, other) for other in others)


@lru_cache(maxsize=65_536)
def _same_author(name: str, other: str) -> bool:
    if name == other:
        return True
    # Spellings of one name share a word of at least two letters: a quick check for long lists.
    return bool({word for word in name_words(name) if len(word) > 1} & name_words(other)) and same_person(name, other)
