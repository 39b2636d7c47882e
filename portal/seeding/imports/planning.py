"""An `Imported` compared with a profile → proposals for a person to accept, edit or refuse, one by one."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from portal.seeding.changes import MergeError, items_of
from portal.seeding.imports.identifiers import bare_address
from portal.seeding.imports.planning_people import (
    activity_pairs,
    changed_activity,
    changed_member,
    changed_opening,
    differs,
    member_pairs,
)
from portal.seeding.imports.planning_works import changed_fields, with_phrases
from portal.seeding.imports.same_works import pairs
from portal.seeding.names import Keys, name_words, same_person
from portal.seeding.plan import Proposal
from portal.seeding.records import Link
from portal.seeding.snapshots import COLLECTIONS, Json, from_json, to_json
from portal.seeding.texts import cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from portal.seeding.imports.imported import Imported
    from portal.seeding.records import (
        ActivityRecord,
        LabRecord,
        MemberRecord,
        OpeningRecord,
        Origin,
        SystemRecord,
        WorkRecord,
    )

    Item = MemberRecord | WorkRecord | ActivityRecord | OpeningRecord | SystemRecord

WHY_LIMIT = 500

_PLAIN = ("leader_title", "institution", "department", "place", "homepage")
_TEXTS = ("about", "interests", "recruiting", "recruiting_focus", "contact")
_LISTS = ("topics", "hardware")


def plan_import(
    profile: LabRecord, imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[Proposal, ...]:
    """What a file would add to or change in a profile, path by path, beside the present value.

    Leaves out proposals with a fingerprint in `excluded`. Nothing is ever removed. Once all proposals are accepted, the
    same file proposes nothing more.

    Raises:
        ValueError: The file is a table of labs (use `portal.seeding.imports.planning_labs`).
    """
    return plan_draft(profile, imported.draft, imported, excluded=excluded)


def plan_draft(
    profile: LabRecord, draft: LabRecord, imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[Proposal, ...]:
    """`plan_import` for one draft of several."""
    planner = _Planner(profile, draft, imported)
    return tuple(proposal for proposal in planner.proposals() if proposal.fingerprint not in excluded)


class _Planner:
    def __init__(self, profile: LabRecord, draft: LabRecord, imported: Imported) -> None:
        self._profile = profile
        self._draft = draft
        self._file = imported.filename
        self._role = imported.role
        self._today = to_json(profile)
        self._new = to_json(draft)
        person = draft.leader if imported.role == "leader" else imported.subject
        self._is_other_person = _is_somebody_else(profile, person)

    def proposals(self) -> Iterator[Proposal]:
        if not self._is_of_a_member():
            yield from self._scalars()
        yield from self._lists()
        yield from self._members()
        yield from self._works()
        yield from self._activities()
        yield from self._openings()

    def _is_of_a_member(self) -> bool:
        """Whether the file is about a member of the lab, not its leader."""
        return self._role != "leader" or (
            self._is_other_person
            and any(same_person(member.name, self._draft.leader) for member in self._profile.members)
        )

    def _scalars(self) -> Iterator[Proposal]:
        profile, draft = self._profile, self._draft
        if draft.name and draft.name != f"{draft.leader}’s lab" and differs(profile.name, draft.name):
            yield self._field("name")
        if draft.leader and (not profile.leader or self._is_other_person):
            yield self._field("leader")
        for name in _PLAIN:
            today, new = getattr(profile, name), getattr(draft, name)
            if name == "homepage" and today and bare_address(today) == bare_address(new):
                continue
            if differs(today, new) and (name_words(today) != name_words(new) or name == "homepage"):
                yield self._field(name)
        for name in _TEXTS:
            if differs(getattr(profile, name), getattr(draft, name)):
                yield self._field(name)
        figures = tuple({**dict(profile.figures), **dict(draft.figures)}.items())
        if figures != profile.figures:
            yield self._proposal("figures", self._today["figures"], [list(pair) for pair in figures], self._says())

    def _lists(self) -> Iterator[Proposal]:
        for name in _LISTS:
            today = getattr(self._profile, name)
            joined = with_phrases(today, getattr(self._draft, name))
            if joined != today:
                yield self._proposal(name, self._today[name], list(joined), self._adds(name))

    def _members(self) -> Iterator[Proposal]:
        present, new = self._profile.members, self._draft.members
        matches = member_pairs(present, new)
        keys = Keys(member.key for member in present)
        for index, member in enumerate(new):
            if index in matches:
                yield from self._changes(
                    "members", present[matches[index]], changed_member(present[matches[index]], member), member
                )
                continue
            if member.role == "leader" and self._is_other_person and self._is_of_a_member():
                continue  # already a member, under another spelling
            yield self._added("members", index, keys.give(member.key), member)

    def _works(self) -> Iterator[Proposal]:
        present, new = self._profile.works, self._draft.works
        matches = pairs(present, new)
        keys = Keys(work.key for work in present)
        for index, work in enumerate(new):
            match = matches.get(index)
            if match is None:
                yield self._added("works", index, keys.give(work.key), work)
            else:
                today = present[match.index]
                yield from self._changes(
                    "works", today, changed_fields(today, work), work, f"the same work by {match.by}"
                )

    def _activities(self) -> Iterator[Proposal]:
        present, new = self._profile.activities, self._draft.activities
        matches = activity_pairs(present, new)
        keys = Keys(activity.key for activity in present)
        for index, activity in enumerate(new):
            if index in matches:
                today = present[matches[index]]
                yield from self._changes("activities", today, changed_activity(today, activity), activity)
            else:
                yield self._added("activities", index, keys.give(activity.key), activity)

    def _openings(self) -> Iterator[Proposal]:
        present = {opening.key: opening for opening in self._profile.openings}
        by_degree = {opening.degree: opening for opening in self._profile.openings}
        for index, opening in enumerate(self._draft.openings):
            today = present.get(opening.key) or by_degree.get(opening.degree)
            if today is None:
                yield self._added("openings", index, opening.key, opening)
            else:
                yield from self._changes("openings", today, changed_opening(today, opening), opening)

    def _changes(
        self, collection: str, today: Item, changes: Iterable[tuple[str, object]], new: Item, by: str = ""
    ) -> Iterator[Proposal]:
        current = to_json_item(today)
        for name, value in changes:
            emptiness = "It is empty today; " if current[name] in ("", None, []) else ""
            why = f"{emptiness}{self._where(new.origins)} says this{f' ({by})' if by else ''}."
            yield self._proposal(f"{collection}/{today.key}/{name}", current[name], _as_json(value), why)

    def _added(self, collection: str, index: int, key: str, item: Item) -> Proposal:
        listed = self._new[collection]
        value = listed[index] if isinstance(listed, list) else None
        if not isinstance(value, dict):
            raise TypeError(f"{collection}: not a collection")
        return self._proposal(
            f"{collection}/{key}", None, {**value, "key": key}, f"New in {self._where(item.origins)}."
        )

    def _field(self, name: str) -> Proposal:
        return self._proposal(name, self._today[name], self._new[name], self._says(name))

    def _proposal(self, path: str, current: Json, proposed: Json, why: str) -> Proposal:
        return Proposal(self._profile.key, path, current, proposed, cut(why, WHY_LIMIT))

    def _says(self, name: str = "") -> str:
        origin = dict(self._draft.origins).get(name)
        about = f" It is about {self._draft.leader}." if self._is_other_person and self._draft.leader else ""
        empty = "It is empty today; " if name and not self._today[name] else ""
        return f"{empty}{self._where((origin,) if origin else ())} says this.{about}"

    def _adds(self, name: str) -> str:
        origin = dict(self._draft.origins).get(name)
        return f"{self._where((origin,) if origin else ())} adds to them; the present ones stay."

    def _where(self, origins: Sequence[Origin]) -> str:
        line = origins[0].line if origins else 0
        return f"{self._file}, line {line}" if line else self._file


def _is_somebody_else(profile: LabRecord, person: str) -> bool:
    return bool(profile.leader and person and profile.leader != person and not same_person(profile.leader, person))


def to_json_item(item: Item) -> dict[str, Json]:
    """An item of a collection as JSON, as `to_json` writes it."""
    return {spec.name: _as_json(getattr(item, spec.name)) for spec in fields(item)}


def _as_json(value: object) -> Json:
    if isinstance(value, tuple):
        return [_as_json(part) for part in value]
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Link):
        return {"label": value.label, "url": value.url}
    return {spec.name: _as_json(getattr(value, spec.name)) for spec in fields(value)}  # type: ignore[arg-type]


_ITEM_PARTS = 2
_FIELD_PARTS = 3


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
            _change_item(collections[name], proposal, parts)
        elif name in data and name not in ("schema", "key") and not parts:
            data[name] = proposal.proposed
        else:
            raise MergeError(f"{proposal.path}: a lab has no such field that can change")
    for name, items in collections.items():
        data[name] = list(items.values())
    return from_json(data)


def _change_item(items: dict[str, dict[str, Json]], proposal: Proposal, parts: list[str]) -> None:
    if len(parts) == _FIELD_PARTS - 1 and parts[0] in items and parts[1] in items[parts[0]] and parts[1] != "key":
        items[parts[0]][parts[1]] = proposal.proposed
    elif len(parts) == _ITEM_PARTS - 1 and isinstance(proposal.proposed, dict) and parts[0] not in items:
        if proposal.proposed.get("key") != parts[0]:
            raise MergeError(f"{proposal.path}: the value is not an item of that key")
        items[parts[0]] = dict(proposal.proposed)
    else:
        raise MergeError(f"{proposal.path}: not in this profile, or there already")
