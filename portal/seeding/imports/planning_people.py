"""What a file changes in existing members, activities and openings, and which of its own are new."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from rapidfuzz import fuzz

from portal.seeding.imports.identifiers import same_place
from portal.seeding.imports.planning_works import with_links, with_phrases
from portal.seeding.names import same_person
from portal.seeding.phrases import years

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from portal.seeding.records import ActivityRecord, MemberRecord, OpeningRecord

_T = TypeVar("_T")
_ALIKE = 88.0
_SAME_TIME = 60.0


def differs(today: str, new: str) -> bool:
    """Whether a text differs from the present one in more than case, spaces and full stops."""
    a, b = (re.sub(r"[\s.,;:]+", " ", text.casefold()).strip() for text in (today, new))
    return bool(b) and b != a and b not in a


def member_pairs(known: Sequence[MemberRecord], new: Sequence[MemberRecord]) -> dict[int, int]:
    """For each new member (by index) the existing one that it matches."""
    tests: tuple[Callable[[MemberRecord, MemberRecord], bool], ...] = (
        lambda one, other: one.name == other.name,
        lambda one, other: same_person(one.name, other.name),
        _same_key,
    )
    return _pairs(known, new, tests)


def changed_member(today: MemberRecord, new: MemberRecord) -> Iterator[tuple[str, object]]:
    """(field, value) of what a file changes in a member."""
    # The lab's leader has a field of its own; pages about members often read as if they led.
    if new.role not in ("member", "leader", today.role) and today.role != "leader":
        yield "role", new.role
    if today.current and not new.current:
        yield "current", False
    for name in ("term", "co_supervisor", "now", "interests"):
        if differs(getattr(today, name), getattr(new, name)):
            yield name, getattr(new, name)
    if new.homepage and (not today.homepage or same_place(today.homepage) != same_place(new.homepage)):
        yield "homepage", new.homepage
    degrees = with_phrases(today.degrees, new.degrees)
    if degrees != today.degrees:
        yield "degrees", degrees


def activity_pairs(known: Sequence[ActivityRecord], new: Sequence[ActivityRecord]) -> dict[int, int]:
    """For each new activity (by index) the existing one: equal ones first, then similar ones."""
    return _pairs(known, new, (_equal, _alike, _same_key))


def changed_activity(today: ActivityRecord, new: ActivityRecord) -> Iterator[tuple[str, object]]:
    """(field, value) of what a file adds to an activity. A different value makes a different activity."""
    for name in ("person", "organisation", "note"):
        if not getattr(today, name) and getattr(new, name) and getattr(new, name) != today.title:
            yield name, getattr(new, name)
    if not today.when and new.when:
        yield "when", new.when
        if new.year is not None and new.year != today.year:
            yield "year", new.year
    links = with_links(today.links, new.links)
    if links != today.links:
        yield "links", links


def changed_opening(today: OpeningRecord, new: OpeningRecord) -> Iterator[tuple[str, object]]:
    """(field, value) of what a file changes in an opening."""
    for name in ("text", "funding", "start", "deadline"):
        if differs(getattr(today, name), getattr(new, name)):
            yield name, getattr(new, name)
    if new.seats is not None and new.seats != today.seats:
        yield "seats", new.seats


def _pairs(known: Sequence[_T], new: Sequence[_T], tests: Sequence[Callable[[_T, _T], bool]]) -> dict[int, int]:
    """For each new item the first unmatched existing one that a test accepts; strictest test first."""
    found: dict[int, int] = {}
    free = dict.fromkeys(range(len(known)))
    for test in tests:
        for place, item in enumerate(new):
            if place in found:
                continue
            at = next((at for at in free if test(known[at], item)), None)
            if at is not None:
                found[place] = at
                del free[at]
    return found


def _same_key(one: MemberRecord | ActivityRecord, other: MemberRecord | ActivityRecord) -> bool:
    """A key stays when the text it was made from is corrected by hand."""
    return one.key == other.key


def _equal(one: ActivityRecord, other: ActivityRecord) -> bool:
    return (one.kind, one.title, one.organisation, one.when, one.note) == (
        other.kind, other.title, other.organisation, other.when, other.note
    )  # fmt: skip


def _alike(one: ActivityRecord, other: ActivityRecord) -> bool:
    if one.kind != other.kind:
        return False
    if one.person and other.person and not same_person(one.person, other.person):
        return False
    first, second = (f"{item.title} {item.organisation}".casefold().strip() for item in (one, other))
    spans = (sorted(years(one.when)), sorted(years(other.when)))
    if spans[0] and spans[1] and spans[0] != spans[1]:
        return False
    if fuzz.ratio(first, second) >= _ALIKE:
        return True
    # The same person at the same time at the same place: "Ph.D., ETH" and "Doctor of Sciences, ETH Zurich".
    where = bool(one.organisation and other.organisation)
    return (
        one.kind in ("education", "employment")
        and len(spans[0]) > 1
        and spans[0] == spans[1]
        and where
        and fuzz.token_set_ratio(one.organisation.casefold(), other.organisation.casefold()) >= _SAME_TIME
    )
