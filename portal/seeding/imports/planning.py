"""An `Imported` compared with a profile → proposals for a person to accept, edit or refuse, one by one.

Nothing is ever removed. A preprint does not change a publication; another spelling of a name or venue is no change.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from rapidfuzz import fuzz

from portal.seeding.imports.imported import STRUCTURED
from portal.seeding.merging import LAST, Change, Proposal, apply
from portal.seeding.names import Keys, name_words, same_person
from portal.seeding.records import Json, dumped, to_json
from portal.seeding.same_works import Match, pairs, same_venue, title_of
from portal.seeding.texts import same_place, years
from portal.seeding.venues import is_preprint

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from portal.seeding.pages import Reading
    from portal.seeding.records import ActivityRecord, Json, LabRecord, MemberRecord, OpeningRecord, Origin, WorkRecord

_STRUCTURED_FILES = (".bib", ".bibtex", ".json")

_T = TypeVar("_T")
_PLAIN = ("leader_title", "institution", "department", "place", "country", "homepage", "stipend", "duration")
_TEXTS = ("about", "interests", "recruiting", "recruiting_focus", "contact", "recent_hires")
_ALIKE = 88.0
_INITIAL = re.compile(r"(?<!\w)\w(?!\w)")


def plan_import(
    profile: LabRecord, imported: Reading, *, excluded: Collection[str] = frozenset(), draft: LabRecord | None = None
) -> tuple[Proposal, ...]:
    """What a file would add to or change in a profile, path by path, beside the present value.

    Leaves out proposals with a fingerprint in `excluded`. Once all proposals are accepted, the same file proposes
    nothing more. Of a table of labs, `draft` is the row.
    """
    planner = _Planner(profile, draft or imported.draft, imported)
    return tuple(proposal for proposal in planner.proposals() if proposal.fingerprint not in excluded)


def with_proposals(profile: LabRecord, proposals: Iterable[Proposal]) -> LabRecord:
    """`profile` with the proposals accepted.

    Raises:
        MergeError: The profile no longer has the item that a proposal is about, or already has an item to be added.
        SnapshotError: A value does not fit its path.
    """
    changes = (
        Change(one.path, "added" if one.path.count("/") == 1 else "changed", one.current, one.proposed, LAST)
        for one in proposals
    )
    return apply(profile, changes)


class _Planner:
    def __init__(self, profile: LabRecord, draft: LabRecord, imported: Reading) -> None:
        self._profile = profile
        self._draft = draft
        self._file = imported.filename
        self._is_structured = imported.kind in STRUCTURED
        self._today = to_json(profile)
        self._new = to_json(draft)
        person = draft.leader if imported.role == "leader" else imported.subject
        self._is_other_person = bool(profile.leader and person) and not same_person(profile.leader, person)
        # Whether the file is about a member of the lab, not its leader.
        is_listed = any(same_person(member.name, draft.leader) for member in profile.members)
        self._is_of_a_member = imported.role != "leader" or (self._is_other_person and is_listed)

    def proposals(self) -> Iterator[Proposal]:
        profile, draft = self._profile, self._draft
        if not self._is_of_a_member:
            yield from self._scalars()
        for name in ("topics", "hardware"):
            joined = _with_new(getattr(profile, name), getattr(draft, name), str.casefold)
            if joined != getattr(profile, name):
                why = f"{self._source_of(name)} adds to them; the present ones stay."
                yield self._proposal(name, self._today[name], list(joined), why)
        same_members = matches_of(profile.members, draft.members, _SAME_MEMBERS)
        same_activities = matches_of(profile.activities, draft.activities, _SAME_ACTIVITIES)
        yield from self._items("members", same_members, _member)
        yield from self._items("works", pairs(profile.works, draft.works), self._work)
        yield from self._items("activities", same_activities, lambda today, _new: today)
        yield from self._items("openings", matches_of(profile.openings, draft.openings, _SAME_OPENINGS), _opening)

    def _work(self, today: WorkRecord, new: WorkRecord) -> WorkRecord:
        """A work with what a file says of it; what a structured source says wins over what a page says."""
        from_page = not any(origin.page.lower().endswith(_STRUCTURED_FILES) for origin in today.origins)
        is_whole = new.authors_complete and len(new.authors) >= len(today.authors)
        if self._is_structured and from_page and is_whole and not _are_the_same(today.authors, new.authors):
            return _work(replace(today, authors=()), new)
        changed = _work(today, new)
        if self._is_structured or from_page:
            return changed
        kept: dict[str, Any] = {
            spec.name: getattr(today, spec.name) or getattr(changed, spec.name)
            for spec in fields(today)
            if spec.name not in ("links", "awards")
        }
        return replace(changed, **kept)

    def _scalars(self) -> Iterator[Proposal]:
        profile, draft = self._profile, self._draft
        if draft.name and draft.name != f"{draft.leader}’s lab" and _differs(profile.name, draft.name):
            yield self._field("name")
        if draft.leader and (not profile.leader or self._is_other_person):
            yield self._field("leader")
        for name in (*_PLAIN, *_TEXTS):
            today, new = getattr(profile, name), getattr(draft, name)
            plain = same_place if name == "homepage" else name_words
            same = today and name in _PLAIN and plain(today) == plain(new)
            if _differs(today, new) and not same:
                yield self._field(name)
        figures = {**dict(profile.figures), **dict(draft.figures)}
        if tuple(figures.items()) != profile.figures:
            yield self._field("figures", [[name, figure] for name, figure in figures.items()])

    def _items(
        self, collection: str, matches: Mapping[int, Match], changed: Callable[[Any, Any], Any]
    ) -> Iterator[Proposal]:
        """The new items of a collection, and what the others change in those that they match."""
        present = getattr(self._profile, collection)
        keys = Keys(item.key for item in present)
        # A leader may be a member already, under another spelling.
        omits_leader = collection == "members" and self._is_other_person and self._is_of_a_member
        for index, item in enumerate(getattr(self._draft, collection)):
            source = self._source(item.origins)
            match = matches.get(index)
            if match is None:
                if not (omits_leader and item.role == "leader"):
                    new: Any = dumped(replace(item, key=keys.give(item.key)))
                    yield self._proposal(f"{collection}/{new['key']}", None, new, f"New in {source}.")
                continue
            sign = f" (the same work by {match.by})" if match.by else ""
            current = present[match.index]
            after = changed(current, item)
            for spec in fields(current):
                was, proposed = getattr(current, spec.name), getattr(after, spec.name)
                if was != proposed:
                    emptiness = "It is empty today; " if was in ("", None, ()) else ""
                    why = f"{emptiness}{source} says this{sign}."
                    yield self._proposal(f"{collection}/{current.key}/{spec.name}", dumped(was), dumped(proposed), why)

    def _field(self, name: str, proposed: Json = None) -> Proposal:
        about = f" It is about {self._draft.leader}." if self._is_other_person and self._draft.leader else ""
        emptiness = "" if self._today[name] else "It is empty today; "
        why = f"{emptiness}{self._source_of(name)} says this.{about}"
        return self._proposal(name, self._today[name], proposed or self._new[name], why)

    def _proposal(self, path: str, current: Json, proposed: Json, why: str) -> Proposal:
        return Proposal(self._profile.key, path, current, proposed, why)

    def _source_of(self, name: str) -> str:
        return self._source([origin for field, origin in self._draft.origins if field == name])

    def _source(self, origins: Sequence[Origin]) -> str:
        return f"{self._file}, line {origins[0].line}" if origins and origins[0].line else self._file


def _differs(today: str, new: str) -> bool:
    """Whether a text differs from the present one in more than case, spaces and full stops."""
    a, b = (re.sub(r"[\s.,;:]+", " ", text.casefold()).strip() for text in (today, new))
    return bool(b) and b != a and b not in a


def matches_of(present: Sequence[_T], new: Sequence[_T], tests: Sequence[Callable[[_T, _T], bool]]) -> dict[int, Match]:
    """For each new item the first unmatched existing one that a test accepts; strictest test first."""
    matches: dict[int, Match] = {}
    free = dict.fromkeys(range(len(present)))
    for test in tests:
        for index, item in enumerate(new):
            if index not in matches:
                candidate = next((candidate for candidate in free if test(present[candidate], item)), None)
                if candidate is not None:
                    matches[index] = Match(candidate, "")
                    del free[candidate]
    return matches


def _alike(activity: ActivityRecord, other: ActivityRecord) -> bool:
    people, spans = (activity.person, other.person), (sorted(years(activity.when)), sorted(years(other.when)))
    is_other = (all(people) and not same_person(*people)) or (all(spans) and spans[0] != spans[1])
    first, second = (f"{item.kind} {item.title} {item.organisation}".casefold().strip() for item in (activity, other))
    return not is_other and fuzz.ratio(first, second) >= _ALIKE


# A key stays when the text that it was made from is corrected by hand.
_SAME_MEMBERS: tuple[Callable[[MemberRecord, MemberRecord], bool], ...] = (
    lambda member, other: member.name == other.name,
    lambda member, other: same_person(member.name, other.name),
    lambda member, other: member.key == other.key,
)
_SAME_ACTIVITIES: tuple[Callable[[ActivityRecord, ActivityRecord], bool], ...] = (
    lambda activity, other: activity.key == other.key and _alike(activity, other),
    _alike,
    lambda activity, other: activity.key == other.key,
)
_SAME_OPENINGS: tuple[Callable[[OpeningRecord, OpeningRecord], bool], ...] = (
    lambda opening, other: opening.key == other.key,
    lambda opening, other: opening.degree == other.degree,
)


def _texts(today: object, new: object, *names: str) -> dict[str, Any]:
    return {name: getattr(new, name) for name in names if _differs(getattr(today, name), getattr(new, name))}


def _member(today: MemberRecord, new: MemberRecord) -> MemberRecord:
    # The lab's leader has a field of its own; pages about members often read as if they led.
    has_role = new.role not in ("member", "leader") and today.role != "leader"
    is_other_page = new.homepage and same_place(today.homepage) != same_place(new.homepage)
    return replace(
        today,
        role=new.role if has_role else today.role,
        current=today.current and new.current,
        homepage=new.homepage if is_other_page else today.homepage,
        degrees=_with_new(today.degrees, new.degrees, str.casefold),
        **_texts(today, new, "term", "co_supervisor", "now", "interests"),
    )


def _opening(today: OpeningRecord, new: OpeningRecord) -> OpeningRecord:
    seats = today.seats if new.seats is None else new.seats
    return replace(today, seats=seats, **_texts(today, new, "text", "funding", "start", "deadline"))


def _work(today: WorkRecord, new: WorkRecord) -> WorkRecord:
    was_preprint, is_published = (
        is_preprint(today.venue or today.venue_full),
        not is_preprint(new.venue or new.venue_full),
    )
    same = same_venue(today, new)
    if today.venue:
        moves = is_published and (was_preprint or not same) and new.venue.casefold() != today.venue.casefold()
    else:
        moves = is_published or was_preprint or not today.venue_full
    venue = new.venue if moves and new.venue else today.venue
    more = venue != today.venue or (is_published and same and not today.venue_full)
    is_full = more and new.venue_full.casefold() not in ("", today.venue.casefold(), today.venue_full.casefold())
    dates = today.year is None or (is_published and bool(new.venue or new.venue_full))
    year = new.year if new.year and dates else today.year
    people, complete = _people(today, new)
    return replace(
        today,
        title=new.title if new.title and title_of(new) != title_of(today) else today.title,
        authors=people,
        authors_complete=complete,
        venue=venue,
        venue_full=new.venue_full if is_full else today.venue_full,
        year=year,
        date=today.date or (new.date if year == new.year else ""),
        subject=today.subject or new.subject,
        abstract=new.abstract if _is_cut_off(today.abstract, new.abstract) else today.abstract,
        links=_with_new(today.links, new.links, lambda link: same_place(link.url)),
        awards=_with_new(today.awards, new.awards, str.casefold),
    )


def _with_new(today: Sequence[_T], new: Sequence[_T], said: Callable[[_T], str]) -> tuple[_T, ...]:
    """The present values, and those of the file that say something else."""
    present = set(map(said, today))
    added = {said(value): value for value in reversed(new) if said(value) not in present}
    return (*today, *reversed(added.values()))


def _is_cut_off(today: str, new: str) -> bool:
    """Whether the present abstract is missing, or the beginning of the new one."""
    head = " ".join(today.split()).rstrip("….").rstrip()
    return bool(new) and (not head or (len(new) > len(today) and " ".join(new.split()).startswith(head)))


def _people(today: WorkRecord, new: WorkRecord) -> tuple[tuple[str, ...], bool]:
    """The people of a work, from a file if it has all of today's and more of them, or more of their names."""
    has_all = all(any(_same_author(name, other) for other in new.authors) for name in today.authors)
    before, after = ((len(names), -len(_INITIAL.findall(" ".join(names)))) for names in (today.authors, new.authors))
    if new.authors and has_all and after > before:
        return new.authors, new.authors_complete
    is_complete = new.authors_complete and _are_the_same(today.authors, new.authors) and bool(new.authors)
    return today.authors, today.authors_complete or is_complete


def _are_the_same(today: Sequence[str], new: Sequence[str]) -> bool:
    return len(today) == len(new) and all(map(_same_author, today, new))


@lru_cache(maxsize=65_536)
def _same_author(name: str, other: str) -> bool:
    if name == other:
        return True
    # Spellings of one name share a word of at least two letters: a quick check for long lists.
    return bool({word for word in name_words(name) if len(word) > 1} & name_words(other)) and same_person(name, other)
