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


def member_pairs(present: Sequence[MemberRecord], new: Sequence[MemberRecord]) -> dict[int, int]:
    """For each new member (by index) the existing one that it matches."""
    tests: tuple[Callable[[MemberRecord, MemberRecord], bool], ...] = (
        lambda member, other: member.name == other.name,
        lambda member, other: same_person(member.name, other.name),
        _same_key,
    )
    return _pairs(present, new, tests)


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


def activity_pairs(present: Sequence[ActivityRecord], new: Sequence[ActivityRecord]) -> dict[int, int]:
    """For each new activity (by index) the existing one: equal ones first, then similar ones."""
    return _pairs(present, new, (_equal, _alike, _same_key))


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


def _pairs(present: Sequence[_T], new: Sequence[_T], tests: Sequence[Callable[[_T, _T], bool]]) -> dict[int, int]:
    """For each new item the first unmatched existing one that a test accepts; strictest test first."""
    matches: dict[int, int] = {}
    free = dict.fromkeys(range(len(present)))
    for test in tests:
        for index, item in enumerate(new):
            if index in matches:
                continue
            candidate = next((candidate for candidate in free if test(present[candidate], item)), None)
            if candidate is not None:
                matches[index] = candidate
                del free[candidate]
    return matches


def _same_key(item: MemberRecord | ActivityRecord, other: MemberRecord | ActivityRecord) -> bool:
    """Whether two items have the same key, which stays when the text that it was made from is corrected by hand."""
    return item.key == other.key


def _equal(activity: ActivityRecord, other: ActivityRecord) -> bool:
    return (activity.kind, activity.title, activity.organisation, activity.when, activity.note) == (
        other.kind, other.title, other.organisation, other.when, other.note
    )  # fmt: skip


def _alike(activity: ActivityRecord, other: ActivityRecord) -> bool:
    if activity.kind != other.kind:
        return False
    if activity.person and other.person and not same_person(activity.person, other.person):
        return False
    first, second = (f"{item.title} {item.organisation}".casefold().strip() for item in (activity, other))
    spans = (sorted(years(activity.when)), sorted(years(other.when)))
    if spans[0] and spans[1] and spans[0] != spans[1]:
        return False
    if fuzz.ratio(first, second) >= _ALIKE:
        return True
    # The same person at the same time at the same place: "Ph.D., ETH" and "Doctor of Sciences, ETH Zurich".
    where = bool(activity.organisation and other.organisation)
    return (
        activity.kind in ("education", "employment")
        and len(spans[0]) > 1
        and spans[0] == spans[1]
        and where
        and fuzz.token_set_ratio(activity.organisation.casefold(), other.organisation.casefold()) >= _SAME_TIME
    )
