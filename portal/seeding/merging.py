"""The differences between two profiles, applying them, merging three, and what seeding would do to existing labs.

A path identifies a part of a lab profile: a field ("about"), an item of a collection ("works/flexgen") or a field of an
item ("members/ran-yan/term"). Values are JSON as written by `portal.seeding.records.to_json`. Texts, lists of plain
values and pairs are replaced as a whole. The origins of facts follow the facts: a page whose lines moved is a change,
but never a conflict.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from portal.seeding.records import COLLECTIONS, Json, LabRecord, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


ChangeKind = Literal["added", "removed", "changed", "moved"]
Item = dict[str, Json]
# The items of a profile by their paths; at "" the fields of the lab itself.
Parts = dict[str, Item]

# In place of the key before an added item: behind all others. No key has a slash.
LAST = "/"


class MergeError(ValueError):
    """A change that cannot be applied, or profiles of different labs; the message says which."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two profiles.

    For an added item, `after` is the key of the item before it ("" for the first). A collection whose common items were
    reordered gives "moved", with all keys in the old and the new order.
    """

    path: str
    kind: ChangeKind
    old: Json
    new: Json
    after: str = ""

    @property
    def is_origin(self) -> bool:
        """Whether it only concerns where facts come from; diffs for people may skip it."""
        return self.path.rpartition("/")[2] == "origins"


def diff(old: LabRecord, new: LabRecord) -> tuple[Change, ...]:
    """The changes from `old` to `new`; applied to `old` they give exactly `new`.

    Raises:
        MergeError: The records are of different labs.
    """
    return tuple(_changes(*_parts_of(old, new)))


def apply(record: LabRecord, changes: Iterable[Change]) -> LabRecord:
    """`record` with the changes applied; these may be a part of a diff.

    Raises:
        MergeError: The profile lacks a path, or already has an item to be added.
        SnapshotError: A value does not fit its path.
    """
    (parts,) = _parts_of(record)
    for change in changes:
        parts = _applied(parts, change)
    return _record_of(parts)


def _parts_of(*records: LabRecord) -> list[Parts]:
    """The parts of records, which must be of one lab."""
    for record in records:
        if record.key != records[0].key:
            raise MergeError(f"profiles of different labs: {records[0].key!r} and {record.key!r}")
    sides: list[Parts] = []
    for data in map(to_json, records):
        items: dict[str, Any] = {name: data.pop(name) for name in COLLECTIONS}
        sides.append({"": data, **{f"{name}/{item['key']}": item for name in items for item in items[name]}})
    return sides


def _record_of(parts: Parts) -> LabRecord:
    return from_json({**parts[""], **{name: [parts[path] for path in _paths(parts, name)] for name in COLLECTIONS}})


def _paths(parts: Iterable[str], collection: str) -> list[str]:
    return [path for path in parts if path.startswith(f"{collection}/")]


def _keys(paths: Iterable[str]) -> list[Json]:
    return [path.partition("/")[2] for path in paths]


def _changes(old: Parts, new: Parts) -> Iterator[Change]:
    yield from _field_changes("", old[""], new[""])
    for name in COLLECTIONS:
        was, now = _paths(old, name), _paths(new, name)
        yield from (Change(path, "removed", old[path], None) for path in was if path not in new)
        before = ""
        for path in now:
            if path in old:
                yield from _field_changes(f"{path}/", old[path], new[path])
            else:
                yield Change(path, "added", None, new[path], before)
            before = path.partition("/")[2]
        if [path for path in was if path in new] != [path for path in now if path in old]:
            yield Change(name, "moved", _keys(was), _keys(now))


def _field_changes(prefix: str, old: Item, new: Item) -> Iterator[Change]:
    for name, value in new.items():
        if old[name] != value:
            yield Change(prefix + name, "changed", old[name], value)


def _applied(parts: Parts, change: Change) -> Parts:
    path, new = change.path, change.new
    collection, _, key = path.partition("/")
    item, _, field = path.rpartition("/")
    if collection not in COLLECTIONS:
        item, field = "", path
    if change.kind == "moved" and collection in COLLECTIONS:
        wanted = [f"{collection}/{each}" for each in new] if isinstance(new, list) else []
        # What is not named stays behind what is before it.
        order = _with_insertions([each for each in wanted if each in parts], _paths(parts, collection))
        moved = {each: parts.pop(each) for each in order}
        return {**parts, **moved}
    if "/" in key or collection not in COLLECTIONS:
        if field in ("schema", "key") or field not in parts.get(item, {}):
            where = "not in this profile" if item else "a lab has no such field that can change"
            raise MergeError(f"{path}: {where}")
        parts[item][field] = new
    elif change.kind == "removed":
        if parts.pop(path, None) is None:
            raise MergeError(f"{path}: not in this profile")
    elif not isinstance(new, dict) or not key or new.get("key") != key:
        raise MergeError(f"{path}: the value is not an item of that key")
    elif change.kind == "added" and path in parts:
        raise MergeError(f"{path}: is in this profile already")
    elif path in parts or change.after == LAST:
        parts[path] = dict(new)
    else:
        before = f"{collection}/{change.after}"
        order = list(parts)
        # Without one before it, it is the first item of all.
        order.insert(order.index(before) + 1 if before in parts else 1, path)
        parts[path] = dict(new)
        return {each: parts[each] for each in order}
    return parts


def _with_insertions(order: list[str], others: list[str]) -> list[str]:
    """`order`, with each further path of `others` inserted after the one that precedes it there."""
    result = list(order)
    present = set(order)
    before = ""
    for path in others:
        if path not in present:
            result.insert(result.index(before) + 1 if before else 0, path)
            present.add(path)
        before = path
    return result


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed the same path differently; None means absent."""

    path: str
    base: Json
    ours: Json
    theirs: Json


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged profile, the changes taken from theirs, and the conflicts left for a person."""

    record: LabRecord
    applied: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def three_way(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> Merge:
    """The changes of both sides since `base`; on a conflict, ours stays and the conflict is listed.

    Equal changes do not conflict. An item removed on one side and changed on the other is one conflict. A system's
    references to works that the merge removed are dropped.

    Raises:
        MergeError: The records are of different labs.
    """
    b, o, t = _parts_of(base, ours, theirs)
    conflicts: list[Conflict] = []
    merged: Parts = {}
    for path in dict.fromkeys([*o, *t, *b]):
        item = _merged_item(path, b.get(path), o.get(path), t.get(path), conflicts)
        if item is not None:
            merged[path] = item
    for name in COLLECTIONS:
        order = _merged_order(name, _paths(b, name), _paths(o, name), _paths(t, name), conflicts)
        merged.update({path: merged.pop(path) for path in order if path in merged})
    lost = {*_paths(o, "works"), *_paths(t, "works")} - merged.keys()
    for path in _paths(merged, "systems"):
        works: Any = merged[path]["works"]
        merged[path]["works"] = [key for key in works if f"works/{key}" not in lost]
    record = _record_of(merged)
    return Merge(record, diff(ours, record), tuple(conflicts))


def _merged_item(
    path: str, base: Item | None, ours: Item | None, theirs: Item | None, conflicts: list[Conflict]
) -> Item | None:
    if ours is not None and theirs is not None:
        return _merged_fields(path, base or _empty_like(ours), ours, theirs, conflicts)
    remaining = ours or theirs
    if base is None:
        return remaining
    if remaining is None or {**base, "origins": None} == {**remaining, "origins": None}:
        return None
    conflicts.append(Conflict(path, base, ours, theirs))
    # A copy: the conflict must still show what the merge drops from the item.
    return None if ours is None else {**ours}


def _empty_like(item: Item) -> Item:
    """An empty base for an item that both sides added, so that non-empty values win."""
    nothing: dict[type, Json] = {str: "", list: []}
    return {name: nothing.get(type(value)) for name, value in item.items()}


def _merged_fields(path: str, base: Item, ours: Item, theirs: Item, conflicts: list[Conflict]) -> Item:
    merged: Item = {}
    for name, mine in ours.items():
        old, other = base.get(name), theirs[name]
        merged[name] = other if mine == old else mine
        if mine != old and other not in (old, mine):
            if name != "origins":
                conflicts.append(Conflict(f"{path}/{name}" if path else name, old, mine, other))
            elif not path:
                merged[name] = _merged_origins(old, mine, other)
    return merged


def _merged_origins(base: Any, ours: Any, theirs: Any) -> Json:  # noqa: ANN401 - lists of pairs in JSON
    """The origin of each field of the lab: ours where we changed it, else theirs."""
    was, mine, other = dict(base), dict(ours), dict(theirs)
    names = dict.fromkeys([*mine, *other])
    origins = {name: (other if mine.get(name) == was.get(name) else mine).get(name) for name in names}
    return [[name, origin] for name, origin in origins.items() if origin is not None]


def _merged_order(
    name: str, base: list[str], ours: list[str], theirs: list[str], conflicts: list[Conflict]
) -> list[str]:
    """The order of both sides' items: that of the side that reordered, else theirs with ours inserted."""
    common = set(base) & set(ours) & set(theirs)
    was, mine, other = ([path for path in side if path in common] for side in (base, ours, theirs))
    if mine == was:
        return _with_insertions(theirs, ours)
    if other not in (was, mine):
        conflicts.append(Conflict(name, _keys(was), _keys(mine), _keys(other)))
    return _with_insertions(ours, theirs)


StepKind = Literal["create", "update", "ask", "skip"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A lab as stored: its present profile, the last seeded one (None: created by hand), and the revision's number."""

    record: LabRecord
    seeded: LabRecord | None
    revision: int = 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that contradicts an edit by hand, for a person to accept or refuse. None means absent."""

    lab: str
    path: str
    current: Json
    proposed: Json
    why: str

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits, equal for the same lab, path and proposed value, so that nothing is asked twice."""
        content = json.dumps([self.lab, self.path, self.proposed], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one lab: store `record` as its profile and `seeded` as the base of the next seeding.

    "create": the lab is new. "update": `changes` are made (and `proposals`, if any). "ask": there are only proposals.
    "skip": the pages contain nothing new. Valid only for revision `base` of the profile, 0 for a new lab.
    """

    kind: StepKind
    record: LabRecord
    seeded: LabRecord
    changes: tuple[Change, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    base: int = 0


# One step per seeded lab, in the order of the pages. Labs without a page are not included.
Plan = tuple[Step, ...]


def make_plan(
    current: Mapping[str, Stored], seeded: Sequence[LabRecord], *, excluded: Collection[str] = frozenset()
) -> Plan:
    """The plan for seeded labs, given the stored ones by key.

    An edit by hand is never overwritten: where a page differs, the edit stays and the page's value becomes a proposal,
    unless its fingerprint is in `excluded`. After applying a plan and recording its proposals, planning the same labs
    gives only "skip".
    """
    return tuple(_step(current.get(record.key), record, excluded) for record in seeded)


def _step(stored: Stored | None, new: LabRecord, excluded: Collection[str]) -> Step:
    if stored is None:
        return Step("create", new, new)
    # A lab created by hand has no common ancestor: all its values count as edits.
    base = stored.seeded if stored.seeded is not None else LabRecord(key=new.key, name="")
    merge = three_way(base, stored.record, new)
    asked = _proposals(base, stored.record, new, merge)
    proposals = tuple(proposal for proposal in asked if proposal.fingerprint not in excluded)
    kind: StepKind = "update" if merge.applied else "ask" if proposals else "skip"
    return Step(kind, merge.record, new, merge.applied, proposals, stored.revision)


def _proposals(base: LabRecord, ours: LabRecord, new: LabRecord, merge: Merge) -> Iterator[Proposal]:
    """Proposals for what both sides changed, and for where the page still differs from an edit by hand."""
    for item in merge.conflicts:
        yield Proposal(ours.key, item.path, item.ours, item.theirs, _why(item))
    conflicting = {item.path for item in merge.conflicts}
    edited = {change.path for change in diff(base, ours)}
    shared = {work.key for work in merge.record.works} & {work.key for work in new.works}
    for change in diff(merge.record, new):
        says_something = change.new not in (None, "", [])
        if change.path.endswith("/works") and _same_among(shared, change):
            continue  # the system lost only works that are removed themselves, which are separate questions
        if change.path in edited - conflicting and says_something and change.kind != "moved" and not change.is_origin:
            why = "It was edited by hand, and the page still says something else."
            yield Proposal(ours.key, change.path, change.old, change.new, why)


def _same_among(works: set[str], change: Change) -> bool:
    """Whether two lists of works are equal, restricted to those that both profiles have."""
    old, new = (
        [key for key in keys if key in works] if isinstance(keys, list) else keys for keys in (change.old, change.new)
    )
    return old == new


def _why(conflict: Conflict) -> str:
    if conflict.ours is None:
        return "It was removed by hand, and the page has changed it since."
    if conflict.theirs is None:
        return "It was edited by hand, and the page no longer has it."
    if conflict.base in (None, "", []):
        return "It was filled in by hand, and the page says something else."
    return "It was edited by hand, and the page has changed it to something else since."
