"""What seeding would do to existing labs: create, update, ask a person, or nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portal.seeding.merging import Change, Conflict, Merge, diff, three_way
from portal.seeding.records import LabRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from portal.seeding.snapshots import Json

StepKind = Literal["create", "update", "ask", "skip"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A lab as stored: its present profile, the last seeded one (None: created by hand), and the profile's revision
    number.
    """

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

    "create": the lab is new. "update": `changes` are made (and `proposals`, if any). "ask": nothing changes, but there
    are proposals. "skip": the pages contain nothing new. Valid only for revision `base` of the profile, 0 for a new
    lab.
    """

    kind: StepKind
    record: LabRecord
    seeded: LabRecord
    changes: tuple[Change, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    base: int = 0

    @property
    def lab(self) -> str:
        """The key of the lab."""
        return self.record.key


@dataclass(frozen=True, slots=True)
class Plan:
    """One step per seeded lab, in the order of the pages. Labs without a page are not included."""

    steps: tuple[Step, ...]

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All questions for a person."""
        return tuple(proposal for step in self.steps for proposal in step.proposals)

    @property
    def changes_nothing(self) -> bool:
        """Whether every step is "skip"."""
        return all(step.kind == "skip" for step in self.steps)


def make_plan(
    current: Mapping[str, Stored], seeded: Sequence[LabRecord], *, excluded: Collection[str] = frozenset()
) -> Plan:
    """The plan for seeded labs, given the stored ones by key.

    An edit by hand is never overwritten: where a page differs, the edit stays and the page's value becomes a proposal,
    unless its fingerprint is in `excluded`. After applying a plan and recording its proposals, planning the same labs
    gives only "skip".

    Raises:
        ValueError: Two seeded labs have the same key.
    """
    keys = [record.key for record in seeded]
    if len(set(keys)) != len(keys):
        raise ValueError(f"two labs with one key among {', '.join(keys)}")
    return Plan(tuple(_step(current.get(record.key), record, excluded) for record in seeded))


def _step(stored: Stored | None, new: LabRecord, excluded: Collection[str]) -> Step:
    if stored is None:
        return Step("create", new, new)
    # A lab created by hand has no common ancestor: all its values count as edits.
    base = stored.seeded if stored.seeded is not None else LabRecord(key=new.key, name="")
    merge = three_way(base, stored.record, new)
    proposals = tuple(
        proposal for proposal in _proposals(base, stored.record, new, merge) if proposal.fingerprint not in excluded
    )
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
            yield Proposal(ours.key, change.path, change.old, change.new, _STILL_DIFFERS)


def _same_among(works: set[str], change: Change) -> bool:
    """Whether two lists of works are equal, restricted to those that both profiles have."""
    old, new = (
        [key for key in keys if key in works] if isinstance(keys, list) else keys for keys in (change.old, change.new)
    )
    return old == new


_STILL_DIFFERS = "It was edited by hand, and the page still says something else."


def _why(conflict: Conflict) -> str:
    if conflict.ours is None:
        return "It was removed by hand, and the page has changed it since."
    if conflict.theirs is None:
        return "It was edited by hand, and the page no longer has it."
    if conflict.base in (None, "", []):
        return "It was filled in by hand, and the page says something else."
    return "It was edited by hand, and the page has changed it to something else since."
