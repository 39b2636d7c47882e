"""An `Imported` compared with a profile → proposals for a person to accept, edit or refuse, one by one.

Nothing is ever removed. A preprint does not change a publication; another spelling of a name or venue is no change.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from rapidfuzz import fuzz

from portal.seeding.changes import MergeError, items_of
from portal.seeding.identifiers import bare_address, same_place
from portal.seeding.names import Keys, name_words, same_person
from portal.seeding.plan import Proposal
from portal.seeding.same_works import pairs, same_venue, title_of
from portal.seeding.snapshots import COLLECTIONS, Json, dumped, from_json, to_json
from portal.seeding.texts import cut, years
from portal.seeding.venues import is_preprint

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from portal.seeding.imports.imported import Imported
    from portal.seeding.records import (
        ActivityRecord,
        LabRecord,
        Link,
        MemberRecord,
        OpeningRecord,
        Origin,
        SystemRecord,
        WorkRecord,
    )

    Item = MemberRecord | WorkRecord | ActivityRecord | OpeningRecord | SystemRecord

WHY_LIMIT = 500
# Kinds of files whose values win over those that were read from a page.
STRUCTURED = ("bibtex", "openalex_works", "orcid")
_STRUCTURED_FILES = (".bib", ".bibtex", ".json")

_T = TypeVar("_T")
_PLAIN = ("leader_title", "institution", "department", "place", "homepage")
_TEXTS = ("about", "interests", "recruiting", "recruiting_focus", "contact")
_LISTS = ("topics", "hardware")
_ALIKE = 88.0
_INITIAL = re.compile(r"(?<!\w)\w(?!\w)")


def plan_import(
    profile: LabRecord, imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[Proposal, ...]:
    """What a file would add to or change in a profile, path by path, beside the present value.

    Leaves out proposals with a fingerprint in `excluded`. Once all proposals are accepted, the same file proposes
    nothing more.

    Raises:
        ValueError: The file is a table of labs (use `portal.seeding.imports.labs_table`).
    """
    return plan_draft(profile, imported.draft, imported, excluded=excluded)


def plan_draft(
    profile: LabRecord, draft: LabRecord, imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[Proposal, ...]:
    """`plan_import` for one draft of several."""
    planner = _Planner(profile, draft, imported)
    return tuple(proposal for proposal in planner.proposals() if proposal.fingerprint not in excluded)


def with_proposals(profile: LabRecord, proposals: Iterable[Proposal]) -> LabRecord:
    """`profile` with the proposals accepted; the same as accepting them one by one, but fast for thousands.

    Raises:
        MergeError: The profile no longer has the item that a proposal is about, or already has an item to be added.
        SnapshotError: A value does not fit its path.
    """
    data = to_json(profile)
    collections = {name: items_of(data, name) for name in COLLECTIONS}
    for proposal in proposals:
        name, *parts = proposal.path.split("/")
        if name in collections:
            _accept(collections[name], proposal, *parts)
        elif name in data and name not in ("schema", "key") and not parts:
            data[name] = proposal.proposed
        else:
            raise MergeError(f"{proposal.path}: a lab has no such field that can change")
    for name, items in collections.items():
        data[name] = list(items.values())
    return from_json(data)


def _accept(items: dict[str, dict[str, Json]], proposal: Proposal, key: str = "", field: str = "") -> None:
    item, value = items.get(key), proposal.proposed
    if field and item is not None and field in item and field != "key":
        item[field] = value
    elif not field and item is None and isinstance(value, dict) and value.get("key") == key:
        items[key] = dict(value)
    else:
        raise MergeError(f"{proposal.path}: not in this profile, or there already, or of another key")


class _Planner:
    def __init__(self, profile: LabRecord, draft: LabRecord, imported: Imported) -> None:
        self._profile = profile
        self._draft = draft
        self._file = imported.filename
        self._is_structured = imported.kind in STRUCTURED
        self._today = to_json(profile)
        self._new = to_json(draft)
        person = draft.leader if imported.role == "leader" else imported.subject
        self._is_other_person = bool(profile.leader and person) and not same_person(profile.leader, person)
        # Whether the file is about a member of the lab, not its leader.
        self._is_of_a_member = imported.role != "leader" or (
            self._is_other_person and any(same_person(member.name, draft.leader) for member in profile.members)
        )

    def proposals(self) -> Iterator[Proposal]:
        if not self._is_of_a_member:
            yield from self._scalars()
        for name in _LISTS:
            today = getattr(self._profile, name)
            joined = _with_phrases(today, getattr(self._draft, name))
            if joined != today:
                why = f"{self._where(self._origins_of(name))} adds to them; the present ones stay."
                yield self._proposal(name, self._today[name], list(joined), why)
        members, activities = self._draft.members, self._draft.activities
        if self._is_other_person and self._is_of_a_member:
            matched = _pairs(self._profile.members, members, _SAME_MEMBERS)
            # A leader who is a member already, under another spelling.
            members = tuple(m for index, m in enumerate(members) if index in matched or m.role != "leader")
        matches = {
            index: (match.index, match.by) for index, match in pairs(self._profile.works, self._draft.works).items()
        }
        yield from self._items("members", members, _matched(self._profile.members, members, _SAME_MEMBERS), _of_member)
        yield from self._items("works", self._draft.works, matches, self._of_work)
        same_activities = _matched(self._profile.activities, activities, _SAME_ACTIVITIES)
        yield from self._items("activities", activities, same_activities, _of_activity)
        openings = _matched(self._profile.openings, self._draft.openings, _SAME_OPENINGS)
        yield from self._items("openings", self._draft.openings, openings, _of_opening)

    def _of_work(self, today: WorkRecord, new: WorkRecord) -> Iterator[tuple[str, object]]:
        """What a file changes in a work: a page nothing that a structured source says, such a source any of a page's
        people.
        """
        from_page = not any(origin.page.lower().endswith(_STRUCTURED_FILES) for origin in today.origins)
        is_whole = new.authors_complete and len(new.authors) >= len(today.authors)
        if self._is_structured and from_page and is_whole and not _same_people(today.authors, new.authors):
            today = replace(today, authors=())
        for name, value in _of_work(today, new):
            if self._is_structured or from_page or not getattr(today, name) or name in ("links", "awards"):
                yield name, value

    def _scalars(self) -> Iterator[Proposal]:
        profile, draft = self._profile, self._draft
        if draft.name and draft.name != f"{draft.leader}’s lab" and _differs(profile.name, draft.name):
            yield self._field("name")
        if draft.leader and (not profile.leader or self._is_other_person):
            yield self._field("leader")
        for name in (*_PLAIN, *_TEXTS):
            today, new = getattr(profile, name), getattr(draft, name)
            same = (
                bare_address(today) == bare_address(new) if name == "homepage" else name_words(today) == name_words(new)
            )
            if _differs(today, new) and not (today and same and name in _PLAIN):
                yield self._field(name)
        figures = {**dict(profile.figures), **dict(draft.figures)}
        if tuple(figures.items()) != profile.figures:
            listed: list[Json] = [[name, figure] for name, figure in figures.items()]
            yield self._proposal("figures", self._today["figures"], listed, self._says("figures"))

    def _items(
        self,
        collection: str,
        new: Sequence[_T],
        matches: dict[int, tuple[int, str]],
        changes: Callable[[_T, _T], Iterator[tuple[str, object]]],
    ) -> Iterator[Proposal]:
        """The new items of a collection, and what the others change in those that they match."""
        present = getattr(self._profile, collection)
        keys = Keys(item.key for item in present)
        for index, item in enumerate(new):
            where = self._where(item.origins)  # type: ignore[attr-defined]
            if index not in matches:
                value = {**_as_object(item), "key": keys.give(item.key)}  # type: ignore[attr-defined]
                yield self._proposal(f"{collection}/{value['key']}", None, value, f"New in {where}.")
                continue
            at, by = matches[index]
            current = _as_object(present[at])
            for name, change in changes(present[at], item):
                emptiness = "It is empty today; " if current[name] in ("", None, []) else ""
                why = f"{emptiness}{where} says this{f' (the same work by {by})' if by else ''}."
                yield self._proposal(f"{collection}/{present[at].key}/{name}", current[name], dumped(change), why)

    def _field(self, name: str) -> Proposal:
        return self._proposal(name, self._today[name], self._new[name], self._says(name))

    def _proposal(self, path: str, current: Json, proposed: Json, why: str) -> Proposal:
        return Proposal(self._profile.key, path, current, proposed, cut(why, WHY_LIMIT))

    def _says(self, name: str) -> str:
        about = f" It is about {self._draft.leader}." if self._is_other_person and self._draft.leader else ""
        empty = "It is empty today; " if not self._today[name] else ""
        return f"{empty}{self._where(self._origins_of(name))} says this.{about}"

    def _origins_of(self, name: str) -> list[Origin]:
        return [origin for field, origin in self._draft.origins if field == name]

    def _where(self, origins: Sequence[Origin]) -> str:
        line = origins[0].line if origins else 0
        return f"{self._file}, line {line}" if line else self._file


def _as_object(item: object) -> dict[str, Json]:
    return {spec.name: dumped(getattr(item, spec.name)) for spec in fields(item)}  # type: ignore[arg-type]


def _differs(today: str, new: str) -> bool:
    """Whether a text differs from the present one in more than case, spaces and full stops."""
    a, b = (re.sub(r"[\s.,;:]+", " ", text.casefold()).strip() for text in (today, new))
    return bool(b) and b != a and b not in a


# Which items are the same


def _matched(
    present: Sequence[_T], new: Sequence[_T], tests: Sequence[Callable[[_T, _T], bool]]
) -> dict[int, tuple[int, str]]:
    return {index: (at, "") for index, at in _pairs(present, new, tests).items()}


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


def _same_key(item: Item, other: Item) -> bool:
    """Whether two items have the same key, which stays when the text that it was made from is corrected by hand."""
    return item.key == other.key


def _equal(activity: ActivityRecord, other: ActivityRecord) -> bool:
    return replace(activity, key="", person="", origins=(), links=(), year=None) == replace(
        other, key="", person="", origins=(), links=(), year=None
    )


def _alike(activity: ActivityRecord, other: ActivityRecord) -> bool:
    people, spans = (activity.person, other.person), (sorted(years(activity.when)), sorted(years(other.when)))
    if (
        activity.kind != other.kind
        or (all(people) and not same_person(*people))
        or (all(spans) and spans[0] != spans[1])
    ):
        return False
    first, second = (f"{item.title} {item.organisation}".casefold().strip() for item in (activity, other))
    return fuzz.ratio(first, second) >= _ALIKE


_SAME_MEMBERS: tuple[Callable[[MemberRecord, MemberRecord], bool], ...] = (
    lambda member, other: member.name == other.name,
    lambda member, other: same_person(member.name, other.name),
    _same_key,
)
_SAME_ACTIVITIES: tuple[Callable[[ActivityRecord, ActivityRecord], bool], ...] = (_equal, _alike, _same_key)
_SAME_OPENINGS: tuple[Callable[[OpeningRecord, OpeningRecord], bool], ...] = (
    _same_key,
    lambda opening, other: opening.degree == other.degree,
)


# What changes in an item


def _texts(today: object, new: object, *names: str) -> Iterator[tuple[str, object]]:
    return ((name, getattr(new, name)) for name in names if _differs(getattr(today, name), getattr(new, name)))


def _of_member(today: MemberRecord, new: MemberRecord) -> Iterator[tuple[str, object]]:
    # The lab's leader has a field of its own; pages about members often read as if they led.
    if new.role not in ("member", "leader", today.role) and today.role != "leader":
        yield "role", new.role
    if today.current and not new.current:
        yield "current", False
    yield from _texts(today, new, "term", "co_supervisor", "now", "interests")
    if new.homepage and (not today.homepage or same_place(today.homepage) != same_place(new.homepage)):
        yield "homepage", new.homepage
    degrees = _with_phrases(today.degrees, new.degrees)
    if degrees != today.degrees:
        yield "degrees", degrees


def _of_activity(today: ActivityRecord, new: ActivityRecord) -> Iterator[tuple[str, object]]:
    """What a file adds to an activity. A different value makes a different activity."""
    for name in ("person", "organisation", "note"):
        if not getattr(today, name) and getattr(new, name) and getattr(new, name) != today.title:
            yield name, getattr(new, name)
    if not today.when and new.when:
        yield "when", new.when
        if new.year is not None and new.year != today.year:
            yield "year", new.year
    links = _with_links(today.links, new.links)
    if links != today.links:
        yield "links", links


def _of_opening(today: OpeningRecord, new: OpeningRecord) -> Iterator[tuple[str, object]]:
    yield from _texts(today, new, "text", "funding", "start", "deadline")
    if new.seats is not None and new.seats != today.seats:
        yield "seats", new.seats


def _of_work(today: WorkRecord, new: WorkRecord) -> Iterator[tuple[str, object]]:
    if new.title and title_of(new) != title_of(today):
        yield "title", new.title
    yield from _people(today, new)
    venue_changes = _venue_changes(today, new)
    year_changes = new.year not in (None, today.year) and (
        today.year is None or (bool(new.venue or new.venue_full) and not _is_preprint(new))
    )
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
    for name, joined in (
        ("links", _with_links(today.links, new.links)),
        ("awards", _with_phrases(today.awards, new.awards)),
    ):
        if joined != getattr(today, name):
            yield name, joined


def _with_links(today: Sequence[Link], new: Sequence[Link]) -> tuple[Link, ...]:
    """The present links, and those of the file with other targets."""
    places = {same_place(link.url) for link in today}
    added = {same_place(link.url): link for link in reversed(new) if same_place(link.url) not in places}
    return (*today, *reversed(added.values()))


def _with_phrases(today: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """The present phrases, and those of the file that differ in more than case."""
    present = {phrase.casefold() for phrase in today}
    added = {phrase.casefold(): phrase for phrase in reversed(new) if phrase.casefold() not in present}
    return (*today, *reversed(added.values()))


def _is_preprint(work: WorkRecord) -> bool:
    return is_preprint(work.venue or work.venue_full)


def _venue_changes(today: WorkRecord, new: WorkRecord) -> bool:
    if not new.venue or new.venue.casefold() == today.venue.casefold():
        return False
    if not today.venue:
        return not (today.venue_full and _is_preprint(new) and not _is_preprint(today))
    return not _is_preprint(new) and (_is_preprint(today) or not same_venue(today, new))


def _long_venue_changes(today: WorkRecord, new: WorkRecord, *, venue_changes: bool) -> bool:
    if not new.venue_full or new.venue_full.casefold() in (today.venue_full.casefold(), today.venue.casefold()):
        return False
    return venue_changes or (not today.venue_full and same_venue(today, new) and not _is_preprint(new))


def _is_cut_off(today: str, new: str) -> bool:
    """Whether the present abstract is missing, or the beginning of the new one."""
    head = " ".join(today.split()).rstrip("….").rstrip()
    whole = " ".join(new.split())
    return not head or (len(whole) > len(today) and whole.startswith(head))


def _people(today: WorkRecord, new: WorkRecord) -> Iterator[tuple[str, object]]:
    if not new.authors:
        return
    same = _same_people(today.authors, new.authors)
    changes = not today.authors or (_are_fuller(today.authors, new.authors) if same else _are_more(today, new))
    if changes and new.authors != today.authors:
        yield "authors", new.authors
        if today.authors_complete != new.authors_complete:
            yield "authors_complete", new.authors_complete
    elif same and new.authors_complete and not today.authors_complete:
        yield "authors_complete", True


def _same_people(today: Sequence[str], new: Sequence[str]) -> bool:
    return len(today) == len(new) and all(map(_same_author, today, new))


def _are_fuller(today: Sequence[str], new: Sequence[str]) -> bool:
    """Whether names that have only initials today are spelt out."""
    counts = [(len(_INITIAL.findall(a)), len(_INITIAL.findall(b))) for a, b in zip(today, new, strict=True)]
    return all(after <= before for before, after in counts) and any(after < before for before, after in counts)


def _are_more(today: WorkRecord, new: WorkRecord) -> bool:
    """Whether the new list includes everybody and more."""
    return len(new.authors) > len(today.authors) and all(
        any(_same_author(name, other) for other in new.authors) for name in today.authors
    )


@lru_cache(maxsize=65_536)
def _same_author(name: str, other: str) -> bool:
    if name == other:
        return True
    # Spellings of one name share a word of at least two letters: a quick check for long lists.
    return bool({word for word in name_words(name) if len(word) > 1} & name_words(other)) and same_person(name, other)
